// The allocator's functions. glibc exports the real ones under names of its own, so nothing has to be looked up, which
// would itself allocate.
#include "Watch.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void *malloc(size_t size) {
    watch_note(ALLOCATE);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    watch_note(ALLOCATE);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    watch_note(ALLOCATE);
    return __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    watch_note(ALLOCATE);
    return __libc_realloc(block, total);
}

void *memalign(size_t alignment, size_t size) {
    watch_note(ALLOCATE);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    watch_note(ALLOCATE);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    watch_note(ALLOCATE);
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *found = __libc_memalign(alignment, size);
    if (!found) return ENOMEM;
    *block = found;
    return 0;
}

void free(void *block) {
    watch_note(FREE);
    __libc_free(block);
}
