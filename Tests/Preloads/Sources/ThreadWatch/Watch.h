// The counting; see include/ThreadWatch.h.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum kind { ALLOCATE, FREE, LOCK, OBJECT, RETAIN, RELEASE, KIND_COUNT };

/// Notes a call of the calling thread. Cheap, and harmless on any thread at any time.
void watch_note(enum kind);

/// Around every function of libasound. What is called in between is libasound's own affair.
void watch_enter_sound(void);
void watch_leave_sound(void);
/// Whether the calling thread is watched, and not inside libasound.
bool watch_is_on(void);

/// The calling thread named itself.
void watch_named(const char *name);
/// Its loop begins, or ends. Repeated beginnings count for nothing.
void watch_begin(void);
void watch_end(void);

/// Writes the lines about libasound's functions.
void sound_report(FILE *);

/// Addresses and names in this program and its libraries.
void symbols_open(void);
/// A variable or function by its linker name, exported or not; NULL if there is none.
void *symbols_find(const char *name);
void symbols_print(FILE *, void *address);
