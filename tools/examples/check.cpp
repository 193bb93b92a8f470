// A kernel in C++, a lambda without captures, against a reference in C++: y = a x + b, fused, in float.
#include <kickdrift/check.h>

#include <cmath>
#include <cstdio>

int main() {
    kdr_check_desc desc = kdr_check_desc_default();
    desc.real = KDR_F32;
    desc.inputs = 3; // a, x, b
    desc.array_reference = [](void *, std::size_t count, const void *const *in, void *const *out) {
        const auto a = static_cast<const float *>(in[0]), x = static_cast<const float *>(in[1]), b = static_cast<const float *>(in[2]);
        for (std::size_t i = 0; i < count; ++i) {
            static_cast<float *>(out[0])[i] = std::fma(a[i], x[i], b[i]);
        }
    };
    // In double the product is exact. The sum is rounded to double and then to float, which is wrong halfway between two floats.
    desc.array = [](void *, std::size_t count, const void *const *in, void *const *out) {
        const auto a = static_cast<const float *>(in[0]), x = static_cast<const float *>(in[1]), b = static_cast<const float *>(in[2]);
        for (std::size_t i = 0; i < count; ++i) {
            static_cast<float *>(out[0])[i] = static_cast<float>(static_cast<double>(a[i]) * x[i] + b[i]);
        }
    };
    desc.cases = 100000;
    kdr_check_report report;
    kdr_error error;
    char text[2048];
    if (kdr_check_kernel(&desc, &report, &error) != KDR_OK) {
        std::puts(error.message);
        return 2;
    }
    std::printf("%s", kdr_check_report_describe(&report, text, sizeof text));
    return report.failed != 0;
}
