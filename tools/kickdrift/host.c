/* This file makes the program's calls to the system that do not concern files. The bodies for Windows come first. */
#include "host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

#include <fcntl.h>
#include <io.h>
#include <process.h>

#include <io/wide.h>

#include <shellapi.h>

char **host_begin(int *argc, char **argv) {
    int count = 0;
    wchar_t **const given = CommandLineToArgvW(GetCommandLineW(), &count);
    char **const made = given ? calloc((size_t)count + 1, sizeof *made) : NULL;
    for (int i = 0; made && i < count; ++i) {
        char *const text = kdr_narrowed(given[i]);
        made[i] = text ? text : calloc(1, 1);
    }
    LocalFree(given);
    (void)_setmode(_fileno(stdout), _O_BINARY);
    (void)_setmode(_fileno(stderr), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    DWORD mode;
    const HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    if (GetConsoleMode(console, &mode)) {
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING); /* allows the progress bar to clear the rest of its line */
    }
    *argc = made ? count : *argc;
    return made ? made : argv;
}

bool host_is_terminal(FILE *stream) {
    DWORD mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(_fileno(stream)), &mode); /* _isatty returns true for every device */
}

int host_columns(void) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    const bool is_console = GetConsoleScreenBufferInfo(GetStdHandle(STD_OUTPUT_HANDLE), &info);
    return is_console ? info.srWindow.Right - info.srWindow.Left + 1 : 0;
}

int host_processors(void) {
    DWORD_PTR of_process = 0, of_system = 0;
    int count = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &of_process, &of_system)) {
        for (; of_process; of_process &= of_process - 1) {
            ++count;
        }
    }
    return count > 0 ? count : 1;
}

double host_memory(void) {
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    return GlobalMemoryStatusEx(&memory) ? (double)memory.ullTotalPhys : 0;
}

bool host_own_folder(char *folder, size_t size) {
    wchar_t wide[4 * MAX_PATH];
    const DWORD length = GetModuleFileNameW(NULL, wide, sizeof wide / sizeof *wide);
    char *const text = length > 0 && length < sizeof wide / sizeof *wide ? kdr_narrowed(wide) : NULL;
    char *const slash = text ? strrchr(text, '\\') : NULL;
    const bool good = slash && (size_t)(slash - text) < size;
    if (good) {
        *slash = '\0';
        memcpy(folder, text, (size_t)(slash - text) + 1);
    }
    free(text);
    return good;
}

/* Returns the argument in quotation marks; to be freed. Marks inside it get a backslash, and so do backslashes before a mark: the C library
 * of the other program removes them. NULL on failure. */
static wchar_t *quoted(const char *argument) {
    char *const text = malloc(2 * strlen(argument) + 3), *to = text;
    if (!text) {
        return NULL;
    }
    *to++ = '"';
    size_t backslashes = 0;
    for (const char *c = argument; *c; ++c) {
        for (size_t i = 0; *c == '"' && i <= backslashes; ++i) {
            *to++ = '\\';
        }
        backslashes = *c == '\\' ? backslashes + 1 : 0;
        *to++ = *c;
    }
    for (size_t i = 0; i < backslashes; ++i) {
        *to++ = '\\';
    }
    *to++ = '"';
    *to = '\0';
    wchar_t *const wide = kdr_widened(text);
    free(text);
    return wide;
}

static int run(const char *name, char *const arguments[]) {
    size_t count = 0;
    while (arguments[count]) {
        ++count;
    }
    wchar_t **const wide = calloc(count + 1, sizeof *wide), *const program = kdr_widened(name);
    bool good = wide && program;
    for (size_t i = 0; good && i < count; ++i) {
        wide[i] = quoted(arguments[i]);
        good = wide[i];
    }
    errno = ENOMEM;
    fflush(NULL);
    const intptr_t status = good ? _wspawnvp(_P_WAIT, program, (const wchar_t *const *)wide) : -1;
    for (size_t i = 0; wide && i < count; ++i) {
        free(wide[i]);
    }
    free(wide);
    free(program);
    return (int)status;
}

int host_run(char *const arguments[]) { return run(arguments[0], arguments); }

void host_become(const char *program, char *const arguments[]) {
    const int status = run(program, arguments);
    if (status >= 0) {
        exit(status);
    }
}

void *host_module(const char *path, char *why, size_t size) {
    wchar_t *const wide = kdr_widened(path);
    void *const module = wide ? (void *)LoadLibraryW(wide) : NULL;
    if (!module) {
        const DWORD error = GetLastError();
        snprintf(why, size, "%s: error %lu of Windows%s", path, error,
                 error == ERROR_MOD_NOT_FOUND ? ", no such file, or one that it needs" : "");
    }
    free(wide);
    return module;
}

const void *host_symbol(void *module, const char *name) {
    const FARPROC found = GetProcAddress(module, name);
    const void *address;
    memcpy(&address, &found, sizeof address);
    return address;
}

void host_module_close(void *module) { FreeLibrary(module); }

#else

#include <dlfcn.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <crt_externs.h>
#include <limits.h>
#include <mach-o/dyld.h>
#define environ (*_NSGetEnviron())
#endif

char **host_begin(int *argc, char **argv) {
    (void)argc;
    return argv;
}

bool host_is_terminal(FILE *stream) { return isatty(fileno(stream)) == 1; }

int host_columns(void) {
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int host_processors(void) {
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

double host_memory(void) {
    const double pages = (double)sysconf(_SC_PHYS_PAGES);
    return pages > 0 ? pages * (double)sysconf(_SC_PAGESIZE) : 0;
}

bool host_own_folder(char *folder, size_t size) {
#if defined(__APPLE__)
    uint32_t room = (uint32_t)size;
    const bool found = _NSGetExecutablePath(folder, &room) == 0;
#else
    const ssize_t length = readlink("/proc/self/exe", folder, size);
    const bool found = length > 0 && (size_t)length < size;
    folder[found ? length : 0] = '\0';
#endif
    char *const slash = found ? strrchr(folder, '/') : NULL;
    if (slash) {
        *slash = '\0';
    }
    return slash;
}

int host_run(char *const arguments[]) {
    pid_t child;
    int status = 0;
    fflush(NULL);
    errno = posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ);
    return errno == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void host_become(const char *program, char *const arguments[]) { execvp(program, arguments); }

void *host_module(const char *path, char *why, size_t size) {
    void *const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        snprintf(why, size, "%s", dlerror());
    }
    return module;
}

const void *host_symbol(void *module, const char *name) { return dlsym(module, name); }

void host_module_close(void *module) { dlclose(module); }

#endif
