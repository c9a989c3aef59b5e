/* What kind of file system a directory lies on. Swift's view of the C library lacks statfs(2). */
#ifndef CFILESYSTEMS_H
#define CFILESYSTEMS_H

/* Whether a directory lies on another machine, or is made by a program: the kernel may not tell of changes there
   (inotify(7), "Limitations and caveats"). 0 also where it cannot be seen. */
int cfilesystems_is_remote(const char *path);

#endif
