// A sound card made in software: an ALSA external I/O plugin that plays into a file and captures from
// another, for tests without hardware.
//
// The library is loaded by libasound, not linked by anyone; nothing is declared here for callers. An asoundrc names it:
//
//     pcm_type.tutti_card { lib "/path/libSoftwareSoundCard.so" }
//     pcm.card {
//         type tutti_card
//         ppm 40.0                    # how much faster than nominal the card runs, in true time
//         burst_us 5000               # frames are fetched, and the hardware pointer moves, once a burst
//         latency_us 1000             # from the fetch of a burst to its first frame at the loudspeaker
//         coarse no                   # yes: the delay, too, moves only once a burst
//         recording "/tmp/heard.wav"  # what was heard; its sidecar is /tmp/heard.wav.timing
//         source "/tmp/air.wav"       # what is in the air, for captures; none: there is no capture side
//         source_at "1234567890"      # true time, in nanoseconds, of the first frame of that; "0", and the default: when a
//                                     # capture first starts
//         control "/tmp/card.control" # see below
//         formats "S16_LE S32_LE"     # default: S16_LE S24_LE S24_3LE S32_LE FLOAT_LE
//         rates "48000"               # default: 44100 48000 96000
//         channels_min 2              # default: 1
//         channels_max 2              # default: 8
//         buffer_bytes_max 65536      # default: 1048576
//         stamps raw                  # status is stamped on any clock; monotonic: not on the raw one; real: on real time
//                                     # only, as by cards without stamps that are of use
//         rewinds given               # ignored: frames that are taken back are heard all the same, and what is written in
//                                     # their place comes behind them, as on a sound server
//         realtime yes                # the card's own thread runs with real-time priority where that is allowed
//     }
//
// True time is CLOCK_MONOTONIC_RAW of the initial time namespace, read by raw system call: neither a preloaded clock
// interposer nor a time namespace changes it, so the recordings of all hosts of a machine share one clock.
//
// A run starts at true time t0. Burst b, frames b*B ..< (b+1)*B of the run, is fetched at t0 + b*B/rate, and frame n is
// heard at t0 + latency + n/rate, where rate = nominal * (1 + ppm/1e6). That is what the sidecar says of a segment, and
// what the reported delay says at any instant t: written - delay = floor((t - t0 - latency) * rate), since drivers count
// frames that are through. With `coarse yes` it is true at the instants of a fetch, to the nearest frame, and stands still
// between them, as in drivers that count whole transfers.
//
// A capture delivers frames of the source, a WAVE file, in the file's own layout. The source goes on in the air whether
// it is captured or not, frame k at A + k/rate; before and after it there is silence. A run starts at t0, the first
// such instant; its frame n is in the air at t0 + n/rate. Burst b, frames b*B ..< (b+1)*B of the run, is delivered at
// t0 + (b+1)*B/rate + latency: the pointer moves then. The reported delay says at any instant t: read + delay =
// floor((t - t0) * rate), frames in the air which were not read; with `coarse yes` only at the instants of a delivery.
// A burst that fills the buffer is an xrun; what was not read is lost with it. The sidecar, /tmp/air.wav.timing, says
// when the source's first frame was in the air (its one segment; a source that has one keeps to it, unless `source_at`
// says otherwise), and tells of each run: `event started`, at its t0, `stopped`, and the faults.
//
// The control file holds a line for each fault that lasts or comes; it may be changed at any time:
//
//     busy                 opening fails with EBUSY
//     chatter              opening prints a line to standard output and one to standard error
//     gone                 the device is unplugged: an open one is disconnected, opening fails with ENODEV
//     gone-at NANOSECONDS  the same from that true time on
//     xrun-at NANOSECONDS  the run that goes on at that true time breaks off in an xrun, once
//     stall-at NANOSECONDS the run that goes on at that true time stands still, once: pointer and delay move no more,
//                          nothing is heard, and no error is told, until the device is prepared anew
//
// Each side of the card is opened by one at a time; further opening fails with EBUSY, as of hardware.
