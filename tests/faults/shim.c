/*
 * Fault injection below libc, by LD_PRELOAD on 64-bit Linux.
 *
 * Every call that opens or changes a file below NEARSIG_FAULT_ROOT is a fault point. Points are numbered from 1 in call
 * order; with one writing thread the order is fixed.
 *
 *   NEARSIG_FAULT_ROOT  absolute path of the folder, without symbolic links
 *   NEARSIG_FAULT_AT    number of the point with the fault, 0 or unset for none
 *   NEARSIG_FAULT_DO    error:EIO, error:ENOSPC   the call fails and does nothing
 *                       short                     a write writes half, the next write fails with ENOSPC
 *                       kill, kill_after          SIGKILL before or after the call
 *   NEARSIG_FAULT_LOG   file that gets one line per point, columns separated by tabs:
 *                       number, operation, inode, path, second path, offset, bytes, errno
 *   NEARSIG_FAULT_DATA  file that gets the bytes of all writes, in order
 *
 * Paths in the log are relative to the root. fsync, fdatasync and syncfs are recorded and not performed: whether data
 * would survive a power loss is computed from the log, and tests need no durable files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALL(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

enum action { NOTHING, FAIL, SHORT, KILL, KILL_AFTER };

static char root[PATH_MAX];
static size_t root_length;
static long fault_at;
static enum action fault_action;
static int fault_error;
/* The next write fails, after a short one. */
static int write_fails;
static int log_file = -1;
static int data_file = -1;
static long points;
/* Held from the number of a point to its line in the log. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A call that is a fault point. */
struct point {
    const char *operation;
    char path[PATH_MAX];
    char second[PATH_MAX];
    int is_point;
    long number;
    long inode;
    long offset;
    long bytes;
};

/* Ends the process with a message: the environment of the shim is wrong. */
static void refuse(const char *what)
{
    fprintf(stderr, "shim: %s\n", what);
    _exit(99);
}

/* Opens a file of the shim under a high number, so that the numbers of other files stay the same. */
static int open_record(const char *variable)
{
    const char *name = getenv(variable);
    if (!name)
        return -1;
    int low = CALL(openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    int high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, 500);
    if (high < 0)
        refuse(variable);
    close(low);
    return high;
}

static void parse_action(const char *text)
{
    if (!strcmp(text, "error:EIO"))
        fault_action = FAIL, fault_error = EIO;
    else if (!strcmp(text, "error:ENOSPC"))
        fault_action = FAIL, fault_error = ENOSPC;
    else if (!strcmp(text, "short"))
        fault_action = SHORT;
    else if (!strcmp(text, "kill"))
        fault_action = KILL;
    else if (!strcmp(text, "kill_after"))
        fault_action = KILL_AFTER;
    else
        refuse("NEARSIG_FAULT_DO");
}

__attribute__((constructor)) static void start(void)
{
    const char *folder = getenv("NEARSIG_FAULT_ROOT");
    const char *at = getenv("NEARSIG_FAULT_AT");
    const char *action = getenv("NEARSIG_FAULT_DO");
    if (!folder || folder[0] != '/' || strlen(folder) >= PATH_MAX)
        refuse("NEARSIG_FAULT_ROOT");
    strcpy(root, folder);
    root_length = strlen(root);
    fault_at = at ? atol(at) : 0;
    if (fault_at)
        parse_action(action ? action : "");
    log_file = open_record("NEARSIG_FAULT_LOG");
    data_file = open_record("NEARSIG_FAULT_DATA");
}

/* Writes all bytes to a file of the shim. */
static void record(int file, const void *bytes, size_t length)
{
    for (const char *rest = bytes; file >= 0 && length > 0;) {
        long written = CALL(write, file, rest, length);
        if (written <= 0)
            refuse("cannot write the log");
        rest += written;
        length -= written;
    }
}

/* Stores the path of an open file. */
static void path_of_file(int file, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    long length = CALL(readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

/* Removes `.`, `..` and repeated slashes of an absolute path. */
static void normalize(char *path)
{
    char result[PATH_MAX] = "";
    size_t length = 0;
    char *rest = path, *part;
    while ((part = strsep(&rest, "/"))) {
        if (!*part || !strcmp(part, "."))
            continue;
        if (!strcmp(part, "..")) {
            while (length && result[--length] != '/')
                ;
            result[length] = 0;
            continue;
        }
        length += snprintf(result + length, sizeof result - length, "/%s", part);
    }
    strcpy(path, *result ? result : "/");
}

/* Stores the absolute form of a path that is relative to an open folder. */
static void absolute_path(int folder, const char *name, char *path)
{
    char base[PATH_MAX] = "";
    if (name[0] != '/' && folder == AT_FDCWD)
        getcwd(base, sizeof base);
    else if (name[0] != '/')
        path_of_file(folder, base);
    if (strlen(base) + strlen(name) + 2 > PATH_MAX)
        refuse("path too long");
    sprintf(path, "%s/%s", base, name);
    normalize(path);
}

/* Makes a path relative to the root. Returns 0 if it is not below it. */
static int below_root(char *path)
{
    if (strncmp(path, root, root_length) || (path[root_length] && path[root_length] != '/'))
        return 0;
    memmove(path, path + root_length, strlen(path + root_length) + 1);
    if (!*path)
        strcpy(path, "/.");
    memmove(path, path + 1, strlen(path));
    return 1;
}

/* Numbers a call if it is a point, takes the lock, and returns the fault to inject. */
static enum action number(struct point *point)
{
    if (!point->is_point)
        return NOTHING;
    pthread_mutex_lock(&lock);
    point->number = ++points;
    if (point->number != fault_at)
        return NOTHING;
    if (fault_action == KILL)
        CALL(kill, getpid(), SIGKILL);
    return fault_action;
}

/* Numbers a call on an open file. */
static enum action begin_file(struct point *point, const char *operation, int file)
{
    struct stat status;
    *point = (struct point){.operation = operation};
    path_of_file(file, point->path);
    point->is_point = below_root(point->path);
    if (point->is_point && !fstat(file, &status))
        point->inode = status.st_ino;
    return number(point);
}

/* Numbers a call on a path, or on two if `second` is set. */
static enum action begin_path(struct point *point, const char *operation, int folder, const char *path,
                              int second_folder, const char *second)
{
    *point = (struct point){.operation = operation};
    absolute_path(folder, path, point->path);
    point->is_point = below_root(point->path);
    if (second) {
        absolute_path(second_folder, second, point->second);
        point->is_point |= below_root(point->second);
    }
    return number(point);
}

/* Records a call and releases the lock. Returns its result, and keeps errno. */
static long end(struct point *point, enum action action, long result)
{
    int error = result < 0 ? errno : 0;
    if (!point->is_point)
        return result;
    char line[2 * PATH_MAX + 256];
    int length = snprintf(line, sizeof line, "%ld\t%s\t%ld\t%s\t%s\t%ld\t%ld\t%d\n", point->number, point->operation,
                          point->inode, point->path, point->second, point->offset, point->bytes, error);
    record(log_file, line, length);
    if (action == KILL_AFTER)
        CALL(kill, getpid(), SIGKILL);
    pthread_mutex_unlock(&lock);
    errno = error;
    return result;
}

/* Ends a call that fails by injection. */
static long fail(struct point *point, int error)
{
    point->bytes = 0;
    errno = error;
    return end(point, NOTHING, -1);
}

/* Runs a call on a path with an injected fault, if any. */
#define PATH_CALL(operation, folder, path, second_folder, second, call)                     \
    do {                                                                                    \
        struct point point;                                                                 \
        enum action action = begin_path(&point, operation, folder, path, second_folder, second); \
        return action == FAIL ? fail(&point, fault_error) : end(&point, action, call);      \
    } while (0)

/* Runs a call on an open file with an injected fault, if any. */
#define FILE_CALL(operation, file, length, call)                                            \
    do {                                                                                    \
        struct point point;                                                                 \
        enum action action = begin_file(&point, operation, file);                           \
        point.offset = length;                                                              \
        return action == FAIL ? fail(&point, fault_error) : end(&point, action, call);      \
    } while (0)

/* Opening */

static const char *open_operation(int flags)
{
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return "open_unnamed";
    if (flags & O_TRUNC)
        return "open_truncate";
    if (flags & O_CREAT)
        return "open_create";
    return (flags & O_ACCMODE) == O_RDONLY ? "open_read" : "open_write";
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    struct point point;
    struct stat status;
    enum action action = begin_path(&point, open_operation(flags), folder, path, 0, NULL);
    if (action == FAIL)
        return fail(&point, fault_error);
    int file = CALL(openat, folder, path, flags, mode);
    int error = errno;
    if (file >= 0 && point.is_point && !fstat(file, &status)) {
        point.inode = status.st_ino;
        if (S_ISDIR(status.st_mode) && (flags & O_TMPFILE) != O_TMPFILE)
            point.operation = "open_folder";
    }
    errno = error;
    return end(&point, action, file);
}

#define MODE_ARGUMENT(flags, mode)                            \
    mode_t mode = 0;                                          \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) { \
        va_list arguments;                                    \
        va_start(arguments, flags);                           \
        mode = va_arg(arguments, mode_t);                     \
        va_end(arguments);                                    \
    }

int open(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_file(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...)
{
    MODE_ARGUMENT(flags, mode)
    return open_file(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode)
{
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int creat64(const char *path, mode_t mode)
{
    return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Writing */

/* Returns the offset at which the next write to a file begins. */
static long write_offset(int file)
{
    struct stat status;
    if (fcntl(file, F_GETFL) & O_APPEND)
        return fstat(file, &status) ? 0 : status.st_size;
    long offset = CALL(lseek, file, 0L, SEEK_CUR);
    return offset < 0 ? 0 : offset;
}

/* Writes one buffer; `offset` is -1 for the file's own. All writes come here. */
static long write_bytes(const char *operation, int file, const void *bytes, size_t length, long offset)
{
    struct point point;
    enum action action = begin_file(&point, operation, file);
    if (point.is_point)
        point.offset = offset < 0 ? write_offset(file) : offset;
    if (action == FAIL)
        return fail(&point, fault_error);
    if (point.is_point && write_fails)
        return fail(&point, ENOSPC);
    if (action == SHORT) {
        length /= 2;
        write_fails = 1;
    }
    long written = offset < 0 ? CALL(write, file, bytes, length) : CALL(pwrite64, file, bytes, length, offset);
    if (point.is_point && written > 0) {
        int error = errno;
        point.bytes = written;
        record(data_file, bytes, written);
        errno = error;
    }
    return end(&point, action, written);
}

ssize_t write(int file, const void *bytes, size_t length)
{
    return write_bytes("write", file, bytes, length, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset)
{
    return write_bytes("write", file, bytes, length, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset)
{
    return write_bytes("write", file, bytes, length, offset);
}

/* Returns the first buffer that is not empty: a vectored write may be short. */
static const struct iovec *first_buffer(const struct iovec *buffers, int count)
{
    static const struct iovec empty = {"", 0};
    for (; count > 0; buffers++, count--)
        if (buffers->iov_len)
            return buffers;
    return &empty;
}

ssize_t writev(int file, const struct iovec *buffers, int count)
{
    char path[PATH_MAX];
    path_of_file(file, path);
    if (!below_root(path))
        return CALL(writev, file, buffers, count);
    const struct iovec *first = first_buffer(buffers, count);
    return write_bytes("write", file, first->iov_base, first->iov_len, -1);
}

ssize_t pwritev(int file, const struct iovec *buffers, int count, off_t offset)
{
    const struct iovec *first = first_buffer(buffers, count);
    return write_bytes("write", file, first->iov_base, first->iov_len, offset);
}

ssize_t pwritev64(int file, const struct iovec *buffers, int count, off64_t offset)
{
    return pwritev(file, buffers, count, offset);
}

/* Copies by reading and writing, so that the bytes are known. Returns the copied bytes, perhaps fewer than wanted. */
static long copy_bytes(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length)
{
    static const size_t BUFFER = 1 << 16;
    char *buffer = malloc(BUFFER);
    if (!buffer)
        refuse("out of memory");
    size_t wanted = length < BUFFER ? length : BUFFER;
    long start = from_offset ? *from_offset : CALL(lseek, from, 0L, SEEK_CUR);
    long found = CALL(pread64, from, buffer, wanted, start);
    long copied = found;
    if (found > 0)
        copied = write_bytes("copy", to, buffer, found, to_offset ? *to_offset : -1);
    int error = errno;
    free(buffer);
    if (copied > 0) {
        from_offset ? (void)(*from_offset += copied) : (void)CALL(lseek, from, start + copied, SEEK_SET);
        if (to_offset)
            *to_offset += copied;
    }
    errno = error;
    return copied;
}

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags)
{
    (void)flags;
    return copy_bytes(from, from_offset, to, to_offset, length);
}

ssize_t sendfile(int to, int from, off_t *offset, size_t length)
{
    return copy_bytes(from, offset, to, NULL, length);
}

ssize_t sendfile64(int to, int from, off64_t *offset, size_t length)
{
    return copy_bytes(from, offset, to, NULL, length);
}

int ftruncate(int file, off_t length)
{
    FILE_CALL("truncate", file, length, CALL(ftruncate, file, length));
}

int ftruncate64(int file, off64_t length)
{
    FILE_CALL("truncate", file, length, CALL(ftruncate, file, length));
}

int fchmod(int file, mode_t mode)
{
    FILE_CALL("chmod", file, 0, CALL(fchmod, file, mode));
}

/* Synchronization */

int fsync(int file)
{
    FILE_CALL("sync", file, 0, 0);
}

int fdatasync(int file)
{
    FILE_CALL("sync", file, 0, 0);
}

int syncfs(int file)
{
    FILE_CALL("sync_all", file, 0, 0);
}

/* Folders */

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags)
{
    if (flags & ~(RENAME_NOREPLACE | RENAME_EXCHANGE))
        refuse("renameat2 with unknown flags");
    const char *operation = flags & RENAME_EXCHANGE ? "exchange" : "rename";
    PATH_CALL(operation, folder, from, other, to, CALL(renameat2, folder, from, other, to, flags));
}

int renameat(int folder, const char *from, int other, const char *to)
{
    return renameat2(folder, from, other, to, 0);
}

int rename(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int folder, const char *from, int other, const char *to, int flags)
{
    PATH_CALL("link", folder, from, other, to, CALL(linkat, folder, from, other, to, flags));
}

int link(const char *from, const char *to)
{
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    const char *operation = flags & AT_REMOVEDIR ? "rmdir" : "unlink";
    PATH_CALL(operation, folder, path, 0, NULL, CALL(unlinkat, folder, path, flags));
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    struct point point;
    struct stat status;
    enum action action = begin_path(&point, "mkdir", folder, path, 0, NULL);
    if (action == FAIL)
        return fail(&point, fault_error);
    int made = CALL(mkdirat, folder, path, mode);
    int error = errno;
    if (!made && point.is_point && !fstatat(folder, path, &status, 0))
        point.inode = status.st_ino;
    errno = error;
    return end(&point, action, made);
}

int mkdir(const char *path, mode_t mode)
{
    return mkdirat(AT_FDCWD, path, mode);
}

int symlinkat(const char *target, int folder, const char *path)
{
    PATH_CALL("symlink", folder, path, 0, NULL, CALL(symlinkat, target, folder, path));
}

int symlink(const char *target, const char *path)
{
    return symlinkat(target, AT_FDCWD, path);
}
