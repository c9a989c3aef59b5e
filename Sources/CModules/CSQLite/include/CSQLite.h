#ifndef CSQLITE_H
#define CSQLITE_H

#include <stdbool.h>
#include <stdint.h>

// The only access to SQLite, which is loaded at run time and never linked: a process that asks for no library of music
// maps nothing of it. The functions are those of sqlite3.h without their first letters' 3, and with the same contract;
// their numbers never change (https://sqlite.org/c3ref/intro.html). A connection is used by one thread at a time.

typedef struct sqlite3 csqlite_database;
typedef struct sqlite3_stmt csqlite_statement;

enum {
    CSQLITE_OK = 0,
    CSQLITE_BUSY = 5,
    CSQLITE_READONLY = 8,
    CSQLITE_IOERR = 10,
    CSQLITE_CORRUPT = 11,
    CSQLITE_FULL = 13,
    CSQLITE_CANTOPEN = 14,
    CSQLITE_NOTADB = 26,
    CSQLITE_ROW = 100,
    CSQLITE_DONE = 101,

    CSQLITE_OPEN_READWRITE = 0x2,
    CSQLITE_OPEN_CREATE = 0x4,
    CSQLITE_OPEN_NOMUTEX = 0x8000,
};

/// Loads the library, once. Returns false if there is none, or one before 3.27 (2019).
bool csqlite_load(void);

// Only after csqlite_load() has returned true.

int csqlite_open(const char *path, csqlite_database **database, int flags);
/// Statements must be finalized before.
int csqlite_close(csqlite_database *database);
int csqlite_busy_timeout(csqlite_database *database, int milliseconds);
/// The result code without its extension.
int csqlite_errcode(csqlite_database *database);
/// Valid until the next call with the same database.
const char *csqlite_errmsg(csqlite_database *database);
int64_t csqlite_last_insert_rowid(csqlite_database *database);

/// Prepares the first statement of the text for many uses. *rest is where the next one begins.
int csqlite_prepare(csqlite_database *database, const char *text, csqlite_statement **statement, const char **rest);
int csqlite_step(csqlite_statement *statement);
int csqlite_reset(csqlite_statement *statement);
int csqlite_finalize(csqlite_statement *statement);

/// Parameters count from 1. Texts are copied.
int csqlite_bind_text(csqlite_statement *statement, int index, const char *bytes, int count);
int csqlite_bind_int64(csqlite_statement *statement, int index, int64_t value);
int csqlite_bind_null(csqlite_statement *statement, int index);

/// Columns count from 0. A text is valid until the next step, reset or finalize; not zero-terminated at its count if it
/// holds zeros.
const unsigned char *csqlite_column_text(csqlite_statement *statement, int column);
int csqlite_column_bytes(csqlite_statement *statement, int column);
int64_t csqlite_column_int64(csqlite_statement *statement, int column);
bool csqlite_column_is_null(csqlite_statement *statement, int column);

#endif
