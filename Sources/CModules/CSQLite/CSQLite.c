#include "CSQLite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

enum {
    // The first one whose FTS5 has "remove_diacritics 2".
    OLDEST_VERSION = 3027000,
    PREPARE_PERSISTENT = 1,
    TYPE_NULL = 5,
};

typedef void (*destructor)(void *);
#define TRANSIENT ((destructor)-1)

static struct {
    int (*libversion_number)(void);
    int (*open_v2)(const char *, csqlite_database **, int, const char *);
    int (*close)(csqlite_database *);
    int (*busy_timeout)(csqlite_database *, int);
    int (*errcode)(csqlite_database *);
    const char *(*errmsg)(csqlite_database *);
    int64_t (*last_insert_rowid)(csqlite_database *);
    int (*prepare_v3)(csqlite_database *, const char *, int, unsigned, csqlite_statement **, const char **);
    int (*step)(csqlite_statement *);
    int (*reset)(csqlite_statement *);
    int (*finalize)(csqlite_statement *);
    int (*bind_text)(csqlite_statement *, int, const char *, int, destructor);
    int (*bind_int64)(csqlite_statement *, int, int64_t);
    int (*bind_null)(csqlite_statement *, int);
    const unsigned char *(*column_text)(csqlite_statement *, int);
    int (*column_bytes)(csqlite_statement *, int);
    int64_t (*column_int64)(csqlite_statement *, int);
    int (*column_type)(csqlite_statement *, int);
} sqlite;

static bool is_loaded;

static void load(void) {
    void *handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    bool is_complete = true;
#define FIND(name) is_complete &= (*(void **)&sqlite.name = dlsym(handle, "sqlite3_" #name)) != NULL
    FIND(libversion_number);
    FIND(open_v2);
    FIND(close);
    FIND(busy_timeout);
    FIND(errcode);
    FIND(errmsg);
    FIND(last_insert_rowid);
    FIND(prepare_v3);
    FIND(step);
    FIND(reset);
    FIND(finalize);
    FIND(bind_text);
    FIND(bind_int64);
    FIND(bind_null);
    FIND(column_text);
    FIND(column_bytes);
    FIND(column_int64);
    FIND(column_type);
#undef FIND
    is_loaded = is_complete && sqlite.libversion_number() >= OLDEST_VERSION;
}

bool csqlite_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

int csqlite_open(const char *path, csqlite_database **database, int flags) {
    return sqlite.open_v2(path, database, flags, NULL);
}

int csqlite_close(csqlite_database *database) { return sqlite.close(database); }

int csqlite_busy_timeout(csqlite_database *database, int milliseconds) {
    return sqlite.busy_timeout(database, milliseconds);
}

int csqlite_errcode(csqlite_database *database) { return sqlite.errcode(database) & 0xFF; }

const char *csqlite_errmsg(csqlite_database *database) { return sqlite.errmsg(database); }

int64_t csqlite_last_insert_rowid(csqlite_database *database) { return sqlite.last_insert_rowid(database); }

int csqlite_prepare(csqlite_database *database, const char *text, csqlite_statement **statement, const char **rest) {
    return sqlite.prepare_v3(database, text, -1, PREPARE_PERSISTENT, statement, rest);
}

int csqlite_step(csqlite_statement *statement) { return sqlite.step(statement); }

int csqlite_reset(csqlite_statement *statement) { return sqlite.reset(statement); }

int csqlite_finalize(csqlite_statement *statement) { return sqlite.finalize(statement); }

int csqlite_bind_text(csqlite_statement *statement, int index, const char *bytes, int count) {
    return sqlite.bind_text(statement, index, bytes, count, TRANSIENT);
}

int csqlite_bind_int64(csqlite_statement *statement, int index, int64_t value) {
    return sqlite.bind_int64(statement, index, value);
}

int csqlite_bind_null(csqlite_statement *statement, int index) { return sqlite.bind_null(statement, index); }

const unsigned char *csqlite_column_text(csqlite_statement *statement, int column) {
    return sqlite.column_text(statement, column);
}

int csqlite_column_bytes(csqlite_statement *statement, int column) { return sqlite.column_bytes(statement, column); }

int64_t csqlite_column_int64(csqlite_statement *statement, int column) {
    return sqlite.column_int64(statement, column);
}

bool csqlite_column_is_null(csqlite_statement *statement, int column) {
    return sqlite.column_type(statement, column) == TYPE_NULL;
}
