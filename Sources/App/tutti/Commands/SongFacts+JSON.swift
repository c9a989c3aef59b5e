import AudioCore
import ProgrammeJSON
import Songs

extension SongFacts {
    /// One object; unknown values are null.
    var json: JSONValue {
        let format = summary.format
        return .object([
            "file": .string(path.withoutCredentials), "playable": .bool(failure == nil),
            "streamable": failure == nil ? .bool(isStreamable) : .null,
            "container": .optional(summary.fileType?.shortName), "codec": .optional(format?.codecShortName),
            "profile": .optional(format?.codecProfile),
            "sampleRate": format.map {
                .number($0.sampleRate, decimals: $0.sampleRate.rounded() == $0.sampleRate ? 0 : 3)
            } ?? .null,
            "channels": .optional(format.map { Int64($0.channelsPerFrame) }),
            "channelLayout": summary.channelLayout.map { .array($0.labels.map { .string("\($0)") }) } ?? .null,
            "frameCount": .optional(seconds == nil ? nil : frameCount),
            "primingFrameCount": .integer(Int64(primingFrameCount)),
            "remainderFrameCount": .integer(remainderFrameCount),
            "packetCount": .integer(packetCount), "framesPerPacket": .optional(framesPerPacket.map(Int64.init)),
            "durationSeconds": seconds.map { .number($0, decimals: 6) } ?? .null,
            "bitRate": .optional(bitRate.map(Int64.init)), "byteCount": .integer(byteCount),
            "audioByteCount": .integer(audioByteCount), "tags": tags,
            "artwork": artwork.map {
                .object(["format": .optional($0.format), "byteCount": .integer(Int64($0.byteCount))])
            } ?? .null,
            "nextSongOffset": .optional(nextSongOffset),
            "problems": .array(problemLines.map { .string($0) }),
        ])
    }

    private var tags: JSONValue {
        .object(
            AudioInfoKey.shown.compactMap { key in
                summary.info[key].map { JSONValue.Member(key: "\(key)", value: .string($0)) }
            })
    }

    /// What stops the song, and what was skipped.
    var problemLines: [String] {
        let untold = problemCount - problems.count
        return (failure.map { [$0.message] } ?? []) + problems.map(\.description)
            + (untold > 0 ? ["\(untold) more of the kind"] : [])
    }
}

extension AudioInfoKey {
    /// In the order that suits a reader.
    static let shown: [AudioInfoKey] = [
        .title, .artist, .album, .albumArtist, .compilation, .composer, .genre, .year, .track, .disc, .comment,
        .trackGain, .trackPeak, .albumGain, .albumPeak, .titleSort, .artistSort, .albumSort, .albumArtistSort,
    ]

    var title: String {
        switch self {
        case .albumArtist: "album artist"
        case .trackGain: "track gain"
        case .trackPeak: "track peak"
        case .albumGain: "album gain"
        case .albumPeak: "album peak"
        case .titleSort: "title order"
        case .artistSort: "artist order"
        case .albumSort: "album order"
        case .albumArtistSort: "album artist order"
        default: "\(self)"
        }
    }
}
