#include "CCurl.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// The parts of curl/curl.h and curl/multi.h in use. Numbers of options and results never change (libcurl-ABI.7).

enum {
    CURL_GLOBAL_ALL = 3,
    CURLMSG_DONE = 1,
    CURL_WAIT_POLLIN = 1,
    CURL_ERROR_SIZE = 256,
    CURL_HTTP_VERSION_1_1 = 2,
    CURLPROTO_HTTPS = 2,
    CURLPROTO_HTTP_OR_HTTPS = 3,
};

enum {
    CURLOPT_NOPROGRESS = 43,
    CURLOPT_FOLLOWLOCATION = 52,
    CURLOPT_MAXREDIRS = 68,
    CURLOPT_HTTP_VERSION = 84,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_CONNECTTIMEOUT_MS = 156,
    CURLOPT_PROTOCOLS = 181,
    CURLOPT_REDIR_PROTOCOLS = 182,
    CURLOPT_TCP_KEEPALIVE = 213,
    CURLOPT_QUICK_EXIT = 322,
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_RANGE = 10007,
    CURLOPT_ERRORBUFFER = 10010,
    CURLOPT_USERAGENT = 10018,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_HEADERDATA = 10029,
    CURLOPT_CAINFO = 10065,
    CURLOPT_HTTP200ALIASES = 10104,
    CURLOPT_OPENSOCKETDATA = 10164,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_HEADERFUNCTION = 20079,
    CURLOPT_OPENSOCKETFUNCTION = 20163,
    CURLINFO_EFFECTIVE_URL = 0x100001,
};

typedef struct {
    int message;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} curl_message;

struct curl_sockaddr {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    struct sockaddr_storage addr;
};

struct curl_waitfd {
    int fd;
    short events;
    short revents;
};

static struct {
    int (*global_init)(long);
    void *(*easy_init)(void);
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*easy_pause)(void *, int);
    void (*easy_cleanup)(void *);
    const char *(*easy_strerror)(int);
    void *(*multi_init)(void);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    // Also waits while libcurl has no descriptor of its own, such as during a name lookup. Since 7.66.
    int (*multi_poll)(void *, struct curl_waitfd *, unsigned, int, int *);
    curl_message *(*multi_info_read)(void *, int *);
    int (*multi_cleanup)(void *);
    void *(*slist_append)(void *, const char *);
    void (*slist_free_all)(void *);
} curl;

static bool is_loaded;

static void *open_library(void) {
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        void *handle = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    return NULL;
}

static void load(void) {
    void *handle = open_library();
    if (!handle) return;
    bool is_complete = true;
#define FIND(name) is_complete &= (*(void **)&curl.name = dlsym(handle, "curl_" #name)) != NULL
    FIND(global_init);
    FIND(easy_init);
    FIND(easy_setopt);
    FIND(easy_getinfo);
    FIND(easy_pause);
    FIND(easy_cleanup);
    FIND(easy_strerror);
    FIND(multi_init);
    FIND(multi_add_handle);
    FIND(multi_remove_handle);
    FIND(multi_perform);
    FIND(multi_poll);
    FIND(multi_info_read);
    FIND(multi_cleanup);
    FIND(slist_append);
    FIND(slist_free_all);
#undef FIND
    is_loaded = is_complete && curl.global_init(CURL_GLOBAL_ALL) == 0;
}

bool ccurl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

struct ccurl_transfer {
    void *easy;
    void *multi;
    void *headers;
    void *aliases;
    void *context;
    ccurl_sink take_header;
    ccurl_sink take_body;
    bool was_kept_from_this_machine;
    char error[CURL_ERROR_SIZE];
};

static size_t pass_header(const char *bytes, size_t size, size_t count, void *context) {
    ccurl_transfer *transfer = context;
    return transfer->take_header(transfer->context, bytes, size * count);
}

static size_t pass_body(const char *bytes, size_t size, size_t count, void *context) {
    ccurl_transfer *transfer = context;
    return transfer->take_body(transfer->context, bytes, size * count);
}

// IPv4: 0/8 reaches this machine, too (RFC 1122 section 3.2.1.3); 127/8; 169.254/16 (RFC 3927).
static bool is_near_ipv4(uint32_t address) {
    return address >> 24 == 0 || address >> 24 == 127 || address >> 16 == 0xA9FE;
}

// IPv6: ::, ::1, fe80::/10 (RFC 4291), and IPv4 inside of it (section 2.5.5, and RFC 6052's 64:ff9b::/96).
static bool is_near_ipv6(const struct in6_addr *address) {
    static const unsigned char translated[12] = {0, 0x64, 0xFF, 0x9B};
    if (IN6_IS_ADDR_UNSPECIFIED(address) || IN6_IS_ADDR_LOOPBACK(address) || IN6_IS_ADDR_LINKLOCAL(address)) {
        return true;
    }
    if (!IN6_IS_ADDR_V4MAPPED(address) && !IN6_IS_ADDR_V4COMPAT(address)
        && memcmp(address->s6_addr, translated, sizeof translated) != 0) {
        return false;
    }
    uint32_t inner;
    memcpy(&inner, address->s6_addr + 12, sizeof inner);
    return is_near_ipv4(ntohl(inner));
}

static bool is_near(const struct curl_sockaddr *address) {
    if (address->family == AF_INET) {
        return is_near_ipv4(ntohl(((const struct sockaddr_in *)&address->addr)->sin_addr.s_addr));
    }
    if (address->family != AF_INET6) return true;
    return is_near_ipv6(&((const struct sockaddr_in6 *)&address->addr)->sin6_addr);
}

// Called for each address that libcurl is about to connect to, after names and redirects were resolved.
static int open_socket(void *context, int purpose, struct curl_sockaddr *address) {
    (void)purpose;
    ccurl_transfer *transfer = context;
    if (is_near(address)) {
        transfer->was_kept_from_this_machine = true;
        return -1;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Returns 0, or the first option that libcurl rejects.
static int prepare(ccurl_transfer *transfer, const ccurl_request *request) {
    void *easy = transfer->easy;
    int refused = 0;
#define SET(option, value) \
    if (!refused && curl.easy_setopt(easy, option, value) != 0) refused = option
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTP_OR_HTTPS);
    SET(CURLOPT_REDIR_PROTOCOLS, (long)(request->stays_secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP_OR_HTTPS));
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, request->redirect_limit);
    SET(CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_milliseconds);
    SET(CURLOPT_NOPROGRESS, 1L);
    // Otherwise resolver timeouts would come as signals.
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TCP_KEEPALIVE, 1L);
    SET(CURLOPT_ERRORBUFFER, transfer->error);
    SET(CURLOPT_USERAGENT, request->user_agent);
    if (request->range) SET(CURLOPT_RANGE, request->range);
    if (request->certificate_file) SET(CURLOPT_CAINFO, request->certificate_file);
    if (request->avoids_this_machine) {
        SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
        SET(CURLOPT_OPENSOCKETDATA, transfer);
    }
    if (request->header) SET(CURLOPT_HTTPHEADER, transfer->headers);
    // Shoutcast's status line.
    SET(CURLOPT_HTTP200ALIASES, transfer->aliases);
    SET(CURLOPT_HEADERFUNCTION, pass_header);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, pass_body);
    SET(CURLOPT_WRITEDATA, transfer);
#undef SET
    // The only option that may be rejected, by a libcurl before 7.87: then ending may have to wait for the resolver.
    (void)curl.easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    return refused;
}

ccurl_transfer *ccurl_start(const ccurl_request *request, int *refused_option) {
    *refused_option = 0;
    ccurl_transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer) return NULL;
    transfer->context = request->context;
    transfer->take_header = request->take_header;
    transfer->take_body = request->take_body;
    transfer->easy = curl.easy_init();
    transfer->multi = curl.multi_init();
    transfer->headers = request->header ? curl.slist_append(NULL, request->header) : NULL;
    transfer->aliases = curl.slist_append(NULL, "ICY 200 OK");
    const bool is_complete =
        transfer->easy && transfer->multi && transfer->aliases && (transfer->headers || !request->header);
    if (is_complete) *refused_option = prepare(transfer, request);
    if (!is_complete || *refused_option || curl.multi_add_handle(transfer->multi, transfer->easy) != 0) {
        ccurl_end(transfer);
        return NULL;
    }
    return transfer;
}

bool ccurl_perform(ccurl_transfer *transfer, int *result) {
    int running = 0;
    int code = curl.multi_perform(transfer->multi, &running);
    if (code != 0) {
        // CURLE_RECV_ERROR: the connection is no longer usable.
        *result = 56;
        return true;
    }
    int left = 0;
    for (curl_message *message; (message = curl.multi_info_read(transfer->multi, &left));) {
        if (message->message != CURLMSG_DONE) continue;
        *result = message->data.result;
        return true;
    }
    return false;
}

void ccurl_resume(ccurl_transfer *transfer) { curl.easy_pause(transfer->easy, 0); }

void ccurl_wait(ccurl_transfer *transfer, int wake_descriptor, int milliseconds) {
    struct curl_waitfd wake = {.fd = wake_descriptor, .events = CURL_WAIT_POLLIN};
    int count = 0;
    curl.multi_poll(transfer->multi, &wake, 1, milliseconds, &count);
}

const char *ccurl_effective_url(ccurl_transfer *transfer) {
    const char *url = NULL;
    curl.easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
    return url ? url : "";
}

const char *ccurl_error(ccurl_transfer *transfer, int result) {
    if (transfer->was_kept_from_this_machine) return "it leads to the broadcaster's own machine or link, which is not allowed";
    return transfer->error[0] ? transfer->error : curl.easy_strerror(result);
}

void ccurl_end(ccurl_transfer *transfer) {
    if (transfer->multi && transfer->easy) curl.multi_remove_handle(transfer->multi, transfer->easy);
    if (transfer->easy) curl.easy_cleanup(transfer->easy);
    if (transfer->multi) curl.multi_cleanup(transfer->multi);
    if (transfer->headers) curl.slist_free_all(transfer->headers);
    if (transfer->aliases) curl.slist_free_all(transfer->aliases);
    free(transfer);
}
