/// In what a song is compared with ffmpeg, and with what was encoded (`source`).
enum Aspect: Hashable, Sendable {
    case readable, codec, sampleRate, channels, packetCount, packetBytes, packetFrames, source, audibleFrames, samples,
        meanSamples, damage
}

/// Where we differ on purpose, and why ours is right.
struct KnownDifference: Sendable {
    var aspect: Aspect
    var reason: String
    var covers: @Sendable (Song) -> Bool

    static let all: [KnownDifference] =
        [
            KnownDifference(aspect: .readable, reason: "ffmpeg knows no RIFX with an extensible format, sox writes it")
            {
                $0.container == "rifx" && $0.isExtensible
            },
            // The letters say big-endian (RIFF's definition of 1991), and sox, which wrote them, reads them so.
            KnownDifference(aspect: .codec, reason: "ffmpeg takes RIFX's samples for little-endian") {
                $0.container == "rifx" && !$0.isExtensible
            },
            KnownDifference(aspect: .packetBytes, reason: "ffprobe reads the byte that pads RF64's data chunk as audio")
            {
                ["rf64", "bw64"].contains($0.container) && $0.codec == "pcm_s24le"
                    && $0.channels * 3 * Int($0.frames ?? 0) % 2 == 1
            },
            KnownDifference(aspect: .audibleFrames, reason: "the fact chunk ends the last block where the source ended")
            {
                $0.codec == "adpcm_ima_wav" && $0.variant.hasPrefix("sox")
            },
            // What was encoded tells: see `source`.
            KnownDifference(aspect: .audibleFrames, reason: "ffmpeg does not end a song where edit list or samples end")
            {
                $0.isMPEG4 && !$0.isLossless
            },
            KnownDifference(
                aspect: .audibleFrames, reason: "ffmpeg trims the last packet of a song only, and not to nothing"
            ) {
                $0.codec == "vorbis"
            },
            // Vorbis I section 4.3.8: a quarter of the block before and a quarter of this one.
            KnownDifference(aspect: .packetFrames, reason: "ffprobe takes half of a block for each after another size")
            {
                $0.codec == "vorbis"
            },
            KnownDifference(aspect: .source, reason: "opusenc mixes more channels down to two at this bit rate") {
                $0.codec == "opus" && $0.variant.contains("--bitrate 64") && $0.channels > 2
            },
            KnownDifference(aspect: .source, reason: "ffmpeg writes no remainder of Opus into CAF's packet table") {
                $0.container == "caf" && $0.codec == "opus"
            },
            KnownDifference(
                aspect: .readable, reason: "ffmpeg knows no free format; its twin, whose headers tell all, agrees"
            ) {
                $0.container == "mp1-free"
            },
            KnownDifference(aspect: .codec, reason: "ffmpeg knows no AMR-WB in CAF") {
                $0.container == "caf" && $0.codec == "amr_wb"
            },
            KnownDifference(aspect: .codec, reason: "ffmpeg goes by MPEG-4's object type, which is one for all layers")
            {
                $0.container == "mp4" && $0.codec == "mp2"
            },
            KnownDifference(aspect: .audibleFrames, reason: "ffmpeg takes no notice of CAF's remainder in AAC") {
                $0.container == "caf" && $0.isHEAAC
            },
            // The hierarchical configuration leaves it open. Both channels are the same.
            KnownDifference(aspect: .channels, reason: "ffmpeg makes two of each channel that might have had stereo") {
                $0.codec == "he_aac" && $0.channels == 1 && $0.variant.contains("hierarchical")
            },
            // LAME's decoder agrees with ours, within the rounding to 16 bits.
            KnownDifference(aspect: .samples, reason: "ffmpeg approximates the power of 4/3 of large values in MP3") {
                $0.container == "mp4" && $0.codec == "mp3"
            },
        ]
}

extension Song {
    /// Whether sox writes WAVE's extensible format for it.
    fileprivate var isExtensible: Bool { channels > 2 || codec.hasPrefix("pcm_s24") }
}
