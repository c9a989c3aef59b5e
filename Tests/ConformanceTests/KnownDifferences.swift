/// In what a song is compared with ffmpeg.
enum Aspect: Hashable, Sendable {
    case codec, sampleRate, channels, packetCount, packetBytes, packetFrames, audibleFrames, sourceFrames, samples
}

/// Where we differ on purpose, and why ours is right.
struct KnownDifference: Sendable {
    var aspect: Aspect
    var reason: String
    var covers: @Sendable (Song) -> Bool

    static let all: [KnownDifference] = []

    static func covering(_ song: Song, _ aspect: Aspect) -> KnownDifference? {
        all.first { $0.aspect == aspect && $0.covers(song) }
    }
}
