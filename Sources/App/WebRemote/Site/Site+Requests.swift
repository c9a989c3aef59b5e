import AudioCore
import HostSystem
import MusicLibrary
import ProgrammeJSON
import WireProtocol

/// What pages ask for, done at the desk.
extension Site {
    /// Columns of a song's loudness that a page draws at most.
    private static let levelColumnCount = 1_000

    /// - Parameters:
    ///   - guest: who asks; nil for somebody without a code.
    ///   - then: is given the answer's member, with the request's name.
    func perform(
        _ request: PageRequest, by guest: GuestID?,
        then: @escaping (Result<JSONValue.Member, DeskFailure>) -> Void
    ) {
        func answer(_ key: String, _ json: JSONValue) { then(.success(JSONValue.Member(key: key, value: json))) }
        let now = HostTime.now()
        switch request {
        case .command(let command):
            perform(command.operations[...]) { result in
                then(result.map { JSONValue.Member(key: "outcome", value: $0.json) })
            }
        case .queue(let page):
            desk.queue(page, now: now) { result in
                then(result.map { JSONValue.Member(key: "queue", value: $0.json) })
            }
        case .lyrics(let item):
            desk.lookUp(.lyrics(of: item), now: now) { result in
                then(
                    result.map { bytes in
                        let text = bytes.map { String(decoding: $0, as: UTF8.self) }
                        return .init(
                            key: "lyrics",
                            value: .object(["item": .integer(Int64(item.number)), "text": .optional(text)]))
                    })
            }
        case .levels(let item):
            desk.lookUp(.levels(of: item), now: now) { result in
                then(
                    result.map { bytes in
                        let levels = bytes.flatMap { LevelEnvelope(encoded: $0) }
                        return .init(key: "levels", value: levels.map(Self.drawn) ?? .null)
                    })
            }
        case .songs(let query, let limit):
            desk.lookUp(.songs(query: query, limit: limit), now: now) { result in
                then(
                    result.map { bytes in
                        let songs = FoundSong.songs(found: bytes ?? []).prefix(limit)
                        return .init(key: "songs", value: .array(songs.map(\.json)))
                    })
            }
        case .stream: answer("stream", streamAddress(for: guest))
        case .ping: answer("pong", .object([]))
        }
    }

    /// Has operations done, one after the other, until one is refused.
    private func perform(
        _ operations: ArraySlice<CommandOperation>, then: @escaping (Result<CommandOutcome, DeskFailure>) -> Void
    ) {
        guard let first = operations.first else { return then(.failure(.noAnswer)) }
        let rest = operations.dropFirst()
        desk.perform(first, now: .now()) { result in
            guard case .success(let outcome) = result, outcome.isDone, !rest.isEmpty else { return then(result) }
            self.perform(rest, then: then)
        }
    }

    /// The same for a page, which draws few columns: a long song has a million levels.
    private static func drawn(_ levels: LevelEnvelope) -> JSONValue {
        let count = min(levelColumnCount, levels.intervalCount)
        func columns(_ byte: (LevelEnvelope.Level) -> UInt8) -> JSONValue {
            .array(
                (0..<levels.channelCount).map { channel in
                    .array(
                        (0..<count).map { column in
                            let first = column * levels.intervalCount / count
                            let end = (column + 1) * levels.intervalCount / count
                            let highest = (first..<end).map { byte(levels.level(ofInterval: $0, channel: channel)) }
                                .max()
                            return LevelScale.decibels(of: highest ?? 0).map { .number($0, decimals: 1) } ?? .null
                        })
                })
        }
        return .object([
            "intervalSeconds": .number(levels.duration.seconds / Double(max(1, count)), decimals: 6),
            "peak": columns(\.peak), "rms": columns(\.rms),
        ])
    }
}
