/// In what a song is compared with ffmpeg, and with what was encoded (`source`).
enum Aspect: Hashable, Sendable {
    case readable, codec, sampleRate, channels, packetCount, packetBytes, packetFrames, source, audibleFrames, samples
}

/// Where we differ on purpose, and why ours is right.
struct KnownDifference: Sendable {
    var aspect: Aspect
    var reason: String
    var covers: @Sendable (Song) -> Bool

    static let all: [KnownDifference] = [
        KnownDifference(aspect: .readable, reason: "ffmpeg knows no RIFX with an extensible format, sox writes it") {
            $0.container == "rifx"
        },
        // The letters say big-endian (RIFF's definition of 1991), and sox, which wrote them, reads them so.
        KnownDifference(aspect: .codec, reason: "ffmpeg takes RIFX's samples for little-endian") {
            $0.container == "rifx"
        },
        KnownDifference(aspect: .packetBytes, reason: "ffprobe reads the byte that pads RF64's data chunk as audio") {
            ["rf64", "bw64"].contains($0.container) && $0.channels * 3 * Int($0.frames ?? 0) % 2 == 1
        },
    ]

    static func covering(_ song: Song, _ aspect: Aspect) -> KnownDifference? {
        all.first { $0.aspect == aspect && $0.covers(song) }
    }
}
