// Loaded with LD_PRELOAD, it kills a program just before one of its system calls that change files or send to a server:
// the one with the number in KILL_AT_CALL, beginning with 1.
//
// What is written into an open file does not count: such a file is a draft, and only the calls below make it visible.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static long chosen;
static atomic_long calls;

__attribute__((constructor)) static void choose(void) {
    const char *text = getenv("KILL_AT_CALL");
    chosen = text ? atol(text) : 0;
}

static void next_call(void) {
    if (atomic_fetch_add(&calls, 1) + 1 == chosen) kill(getpid(), SIGKILL);
}

static int open_file(int folder, const char *path, int flags, mode_t mode) {
    if (flags & (O_CREAT | O_TRUNC)) next_call();
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

// An absent mode is not used.
#define MODE(flags, last)                                      \
    mode_t mode = 0;                                           \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                     \
        va_list list;                                          \
        va_start(list, last);                                  \
        mode = (mode_t)va_arg(list, int);                      \
        va_end(list);                                          \
    }

int open(const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_file(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_file(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE(flags, flags)
    return open_file(folder, path, flags | O_LARGEFILE, mode);
}

int link(const char *old, const char *new) {
    next_call();
    return (int)syscall(SYS_linkat, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int linkat(int old_folder, const char *old, int new_folder, const char *new, int flags) {
    next_call();
    return (int)syscall(SYS_linkat, old_folder, old, new_folder, new, flags);
}

int rename(const char *old, const char *new) {
    next_call();
    return (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
}

int renameat(int old_folder, const char *old, int new_folder, const char *new) {
    next_call();
    return (int)syscall(SYS_renameat2, old_folder, old, new_folder, new, 0);
}

int renameat2(int old_folder, const char *old, int new_folder, const char *new, unsigned flags) {
    next_call();
    return (int)syscall(SYS_renameat2, old_folder, old, new_folder, new, flags);
}

int unlink(const char *path) {
    next_call();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
    next_call();
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int rmdir(const char *path) {
    next_call();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
    next_call();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int ftruncate(int file, off_t length) {
    next_call();
    return (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate64(int file, off64_t length) {
    next_call();
    return (int)syscall(SYS_ftruncate, file, length);
}

int fsync(int file) {
    next_call();
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    next_call();
    return (int)syscall(SYS_fdatasync, file);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    next_call();
    return syscall(SYS_sendmsg, socket, message, flags);
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    next_call();
    return syscall(SYS_sendto, socket, bytes, count, flags, NULL, 0);
}
