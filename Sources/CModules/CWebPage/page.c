#include "CWebPage.h"

/* Clang knows this part of C23 in every mode of the language, and warns. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* Each file of the folder is here, */
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char card_js[] = {
#embed "page/card.js"
};
static const unsigned char clock_js[] = {
#embed "page/clock.js"
};
static const unsigned char connection_js[] = {
#embed "page/connection.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char envelope_js[] = {
#embed "page/envelope.js"
};
static const unsigned char hmac_js[] = {
#embed "page/hmac.js"
};
static const unsigned char listener_js[] = {
#embed "page/listener.js"
};
static const unsigned char listeners_js[] = {
#embed "page/listeners.js"
};
static const unsigned char player_js[] = {
#embed "page/player.js"
};
static const unsigned char playout_js[] = {
#embed "page/playout.js"
};
static const unsigned char queue_js[] = {
#embed "page/queue.js"
};
static const unsigned char resampler_js[] = {
#embed "page/resampler.js"
};
static const unsigned char sink_js[] = {
#embed "page/sink.js"
};
static const unsigned char song_js[] = {
#embed "page/song.js"
};
static const unsigned char songs_js[] = {
#embed "page/songs.js"
};
static const unsigned char state_js[] = {
#embed "page/state.js"
};
static const unsigned char wire_js[] = {
#embed "page/wire.js"
};
static const unsigned char worklet_js[] = {
#embed "page/worklet.js"
};

static const char html[] = "text/html; charset=utf-8";
static const char css[] = "text/css; charset=utf-8";
static const char script[] = "text/javascript; charset=utf-8";

#define FILE(name, type, bytes) {name, type, bytes, sizeof bytes}

/* and here. */
static const struct cwebpage_file files[] = {
    FILE("index.html", html, index_html),
    FILE("style.css", css, style_css),
    FILE("app.js", script, app_js),
    FILE("card.js", script, card_js),
    FILE("clock.js", script, clock_js),
    FILE("connection.js", script, connection_js),
    FILE("dom.js", script, dom_js),
    FILE("envelope.js", script, envelope_js),
    FILE("hmac.js", script, hmac_js),
    FILE("listener.js", script, listener_js),
    FILE("listeners.js", script, listeners_js),
    FILE("player.js", script, player_js),
    FILE("playout.js", script, playout_js),
    FILE("queue.js", script, queue_js),
    FILE("resampler.js", script, resampler_js),
    FILE("sink.js", script, sink_js),
    FILE("song.js", script, song_js),
    FILE("songs.js", script, songs_js),
    FILE("state.js", script, state_js),
    FILE("wire.js", script, wire_js),
    FILE("worklet.js", script, worklet_js),
};

size_t cwebpage_file_count(void) { return sizeof files / sizeof files[0]; }

const struct cwebpage_file *cwebpage_file(size_t index) { return &files[index]; }
