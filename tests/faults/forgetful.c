/*
 * Replaces data/file and list, as a stage of the pipeline does, and forgets what its argument names:
 *   nothing, data (the sync of the bytes), folder (the sync of data/ before the list is renamed),
 *   end (the sync of the folder of the list), part (the temporary name), order (the list goes first),
 *   shim (writes in a way that the shim does not see).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *forgotten;

static int forgets(const char *what)
{
    return !strcmp(forgotten, what);
}

static void sync_path(const char *path)
{
    int file = open(path, O_RDONLY);
    fsync(file);
    close(file);
}

static void replace(const char *part, const char *target, const char *text)
{
    const char *name = forgets("part") ? target : part;
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    long written = forgets("shim") ? syscall(SYS_write, file, text, strlen(text)) : write(file, text, strlen(text));
    if (written < 0)
        _exit(1);
    if (!forgets("data"))
        fsync(file);
    close(file);
    if (name == part)
        rename(part, target);
}

int main(int count, char **arguments)
{
    (void)count;
    forgotten = arguments[1];
    if (!forgets("order"))
        unlink("out_paths");
    sync_path(".");
    replace("data/file.part", "data/file", "new data\n");
    if (!forgets("folder"))
        sync_path("data");
    replace("out_paths.part", "out_paths", "new list\n");
    if (!forgets("end"))
        sync_path(".");
    unlink("leftover");
    return 0;
}
