#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

// The one door to libcurl, which is loaded at run time and never linked. Of its stable ABI (soname 4 since 2006) some
// twenty functions and the numbers of their options are declared in CCurl.c; its headers are not needed.
//
// A transfer is used by one thread at a time. Nothing here blocks but ccurl_wait.

typedef struct ccurl_transfer ccurl_transfer;

/// Takes bytes. Returns how many it took: all, CCURL_PAUSE for none now, or 0 to end the transfer. Must not call back,
/// but for ccurl_effective_url.
typedef size_t (*ccurl_sink)(void *context, const void *bytes, size_t count);

#define CCURL_PAUSE ((size_t)0x10000001)

typedef struct {
    /// Copied, as are all texts.
    const char *url;
    /// "0-" or "1000-"; NULL asks for no range.
    const char *range;
    const char *user_agent;
    /// Certificates that are trusted, a file; NULL for the system's.
    const char *certificate_file;
    /// One more header line.
    const char *header;
    long connect_timeout_milliseconds;
    long redirect_limit;
    /// Redirections lead to HTTPS only; else also to HTTP.
    bool stays_secure;
    void *context;
    /// Of each response, those that redirect too: its header lines, one a call, status line and empty line included.
    ccurl_sink take_header;
    /// The bytes of the last response.
    ccurl_sink take_body;
} ccurl_request;

/// Loads the library; again does nothing. False where there is none.
bool ccurl_load(void);

/// Begins a GET by HTTP or HTTPS. NULL where libcurl refuses an option, whose number is told then, as older ones may;
/// with 0 where memory ran out.
ccurl_transfer *ccurl_start(const ccurl_request *request, int *refused_option);

/// Does what can be done without waiting. True when it is over; *result is libcurl's code then, 0 for success.
bool ccurl_perform(ccurl_transfer *transfer, int *result);

/// Goes on after CCURL_PAUSE; may call take_body.
void ccurl_resume(ccurl_transfer *transfer);

/// Waits until something can be done, until wake_descriptor is readable, or for so long.
void ccurl_wait(ccurl_transfer *transfer, int wake_descriptor, int milliseconds);

/// Where the present response comes from, behind all redirections. Valid while the transfer is.
const char *ccurl_effective_url(ccurl_transfer *transfer);

/// What libcurl says of a result that is not 0. Valid while the transfer is.
const char *ccurl_error(ccurl_transfer *transfer, int result);

/// Ends it, wherever it is.
void ccurl_end(ccurl_transfer *transfer);

#endif
