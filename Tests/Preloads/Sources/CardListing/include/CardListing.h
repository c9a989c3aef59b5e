// CardListing: ALSA's lists of sound cards and devices name one card whose one device is `default`, whatever hardware
// the machine has. For programs that play only where a card is listed, as Chromium does, which never asks for one of an
// asoundrc. It is preloaded, never linked.
