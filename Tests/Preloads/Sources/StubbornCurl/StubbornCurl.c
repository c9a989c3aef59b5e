#include "StubbornCurl.h"

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int message;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} message;

// Of all that libcurl has what Tutti uses of it; nothing here is more than an address.
static char easy, multi, list;
static bool is_told;

int curl_global_init(long flags) { return (int)(flags & 0); }
void *curl_easy_init(void) { return &easy; }
void curl_easy_cleanup(void *handle) { (void)handle; }
void *curl_multi_init(void) { return &multi; }
int curl_multi_cleanup(void *handle) { return handle != &multi; }
int curl_multi_add_handle(void *handle, void *added) { return handle != &multi || added != &easy; }
int curl_multi_remove_handle(void *handle, void *removed) { return handle != &multi || removed != &easy; }
int curl_easy_pause(void *handle, int mask) { return handle != &easy || mask; }
void *curl_slist_append(void *handle, const char *text) { return handle || !text ? NULL : &list; }
void curl_slist_free_all(void *handle) { (void)handle; }

int curl_easy_getinfo(void *handle, int info, ...) {
    (void)info;
    // CURLE_UNKNOWN_OPTION
    return handle == &easy ? 48 : 43;
}

int curl_easy_setopt(void *handle, int option, ...) {
    const char *log = getenv("STUBBORN_CURL_LOG");
    FILE *file = log ? fopen(log, "ae") : NULL;
    if (file) {
        fprintf(file, "%d\n", option);
        fclose(file);
    }
    const char *refused = getenv("STUBBORN_CURL_REFUSES");
    return handle != &easy || (refused && atoi(refused) == option) ? 48 : 0;
}

const char *curl_easy_strerror(int code) { return code == 7 ? "nobody is there" : "something else"; }

int curl_multi_perform(void *handle, int *running) {
    *running = 0;
    return handle != &multi;
}

message *curl_multi_info_read(void *handle, int *left) {
    // CURLMSG_DONE, CURLE_COULDNT_CONNECT
    static message done = {.message = 1, .easy = &easy, .data.result = 7};
    *left = 0;
    if (handle != &multi || is_told) return NULL;
    is_told = true;
    return &done;
}

int curl_multi_poll(void *handle, void *descriptors, unsigned count, int milliseconds, int *ready) {
    (void)descriptors, (void)count;
    poll(NULL, 0, milliseconds < 10 ? milliseconds : 10);
    *ready = 0;
    return handle != &multi;
}
