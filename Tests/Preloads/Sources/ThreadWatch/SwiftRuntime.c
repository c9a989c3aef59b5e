// The Swift runtime's own hooks: pointers through which it allocates, retains and releases, and the flag that makes its
// fast paths look at them (stdlib/public/runtime/HeapObject.cpp). It keeps them for profilers, and they catch what
// interposed symbols do not: calls inside the runtime, and a runtime that is linked into the program.
//
// One of them is not used: the runtime's way to _swift_retain cuts the upper byte off what it is given, and with it the
// sign by which strings without an object are known (Swift 6.3). The pointer one step before it sees the whole.
#include "Watch.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef void *reference;
typedef reference (*one)(reference);
typedef reference (*many)(reference, uint32_t);
typedef void (*drop_one)(reference);
typedef void (*drop_many)(reference, uint32_t);
typedef reference (*make)(const void *, size_t, size_t);

static one real_retain, real_try_retain;
static many real_retain_n;
static drop_one real_release;
static drop_many real_release_n;
static make real_allocate;

static reference retain(reference object) {
    watch_note(RETAIN);
    return (intptr_t)object > 0 ? real_retain(object) : object;
}

static reference retain_n(reference object, uint32_t count) {
    watch_note(RETAIN);
    return real_retain_n(object, count);
}

static reference try_retain(reference object) {
    watch_note(RETAIN);
    return real_try_retain(object);
}

static void release(reference object) {
    watch_note(RELEASE);
    real_release(object);
}

static void release_n(reference object, uint32_t count) {
    watch_note(RELEASE);
    real_release_n(object, count);
}

static reference allocate(const void *metadata, size_t size, size_t mask) {
    watch_note(OBJECT);
    return real_allocate(metadata, size, mask);
}

static bool hook(const char *name, void *saved, void *ours) {
    void **pointer = symbols_find(name);
    if (!pointer) return false;
    *(void **)saved = *pointer;
    *pointer = ours;
    return true;
}

__attribute__((constructor)) static void install(void) {
    symbols_open();
    _Atomic(bool) *is_hooked =
        symbols_find("_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly");
    // A program without Swift, which a test may start by the way: nothing to watch.
    if (!is_hooked) return;
    const bool all = hook("_ZL21_swift_retain_adapter", &real_retain, retain)
        && hook("_swift_release", &real_release, release) && hook("_swift_allocObject", &real_allocate, allocate);
    if (!all) {
        fprintf(stderr, "thread watch: this Swift runtime has other hooks than those that are known\n");
        abort();
    }
    // A linker leaves these out of a program that never calls them.
    hook("_swift_retain_n", &real_retain_n, retain_n);
    hook("_swift_release_n", &real_release_n, release_n);
    hook("_swift_tryRetain", &real_try_retain, try_retain);
    atomic_store(is_hooked, true);
}
