#ifndef CCURL_H
#define CCURL_H

#include <stdbool.h>
#include <stddef.h>

// The only access to libcurl, which is loaded at run time and never linked. CCurl.c declares some twenty functions of
// its stable ABI (soname 4 since 2006) and the numbers of their options; libcurl's headers are not needed.
//
// One thread at a time may use a transfer. Only ccurl_wait blocks.

typedef struct ccurl_transfer ccurl_transfer;

/// Takes bytes. Returns how many it took: all of them, CCURL_PAUSE to take none for now, or 0 to end the transfer. Of
/// these functions it may call only ccurl_effective_url.
typedef size_t (*ccurl_sink)(void *context, const void *bytes, size_t count);

#define CCURL_PAUSE ((size_t)0x10000001)

typedef struct {
    /// Copied, like every string here.
    const char *url;
    /// "0-" or "1000-"; NULL asks for no range.
    const char *range;
    const char *user_agent;
    /// A file of trusted certificates; NULL for the system's.
    const char *certificate_file;
    /// One more header line.
    const char *header;
    long connect_timeout_milliseconds;
    long redirect_limit;
    /// Allows redirects to HTTPS only; otherwise to HTTP as well.
    bool stays_secure;
    /// Connects to no loopback, link-local or unspecified address, whatever a name or a redirect says.
    bool avoids_this_machine;
    void *context;
    /// Takes the header lines of every response, redirects included: one per call, with status line and empty line.
    ccurl_sink take_header;
    /// Takes the body of the last response.
    ccurl_sink take_body;
} ccurl_request;

/// Loads the library, once. Returns false if there is none.
bool ccurl_load(void);

/// Begins a GET over HTTP or HTTPS. Returns NULL if libcurl rejects an option, as older versions may, and sets its
/// number; or if memory ran out, with the number 0.
ccurl_transfer *ccurl_start(const ccurl_request *request, int *refused_option);

/// Does what can be done without waiting. Returns true at the end, with libcurl's code in *result, 0 for success.
bool ccurl_perform(ccurl_transfer *transfer, int *result);

/// Continues after CCURL_PAUSE; may call take_body.
void ccurl_resume(ccurl_transfer *transfer);

/// Waits until there is work to do, wake_descriptor is readable, or the time is over.
void ccurl_wait(ccurl_transfer *transfer, int wake_descriptor, int milliseconds);

/// Returns where the current response comes from, after all redirects. Valid as long as the transfer.
const char *ccurl_effective_url(ccurl_transfer *transfer);

/// Returns libcurl's description of a result other than 0. Valid as long as the transfer.
const char *ccurl_error(ccurl_transfer *transfer, int result);

/// Ends the transfer in any state, and frees it.
void ccurl_end(ccurl_transfer *transfer);

#endif
