/* The OpenMP executor: each thread gets one range, and all are of equal length. It is compiled with -fopenmp if KDR_HAVE_OPENMP is
 * defined. */
#include <kickdrift/executor.h>

#if defined(KDR_HAVE_OPENMP)

#include <omp.h>

/* OpenMP runtimes end the process if they cannot start a thread, so that requests for very many are refused before. */
enum { MAX_THREADS = 4096 };

static void parallel_for(void *context, size_t count, kdr_range_fn *body, void *argument) {
    int threads = (int)(intptr_t)context;
    if (threads == 0) {
        threads = omp_get_max_threads();
    }
    if ((size_t)threads > count) {
        threads = (int)count;
    }
    if (threads < 2) {
        body(argument, 0, count);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        /* Inside another parallel region the runtime may give fewer threads than asked for. */
        const size_t n = (size_t)omp_get_num_threads();
        const size_t i = (size_t)omp_get_thread_num();
        const size_t length = count / n;
        const size_t longer = count % n; /* the first ranges have one more */
        const size_t begin = i * length + (i < longer ? i : longer);
        const size_t end = begin + length + (i < longer);
        if (begin < end) {
            body(argument, begin, end);
        }
    }
}

kdr_status kdr_executor_openmp(int threads, kdr_executor *executor) {
    if (!executor) {
        return KDR_ERROR_NULL;
    }
    if (threads < 0 || threads > MAX_THREADS) {
        return KDR_ERROR_ARGUMENT;
    }
    *executor = (kdr_executor){(void *)(intptr_t)threads, parallel_for};
    return KDR_OK;
}

#else

kdr_status kdr_executor_openmp(int threads, kdr_executor *executor) {
    if (!executor) {
        return KDR_ERROR_NULL;
    }
    return threads < 0 ? KDR_ERROR_ARGUMENT : KDR_ERROR_UNAVAILABLE;
}

#endif
