import AudioCore
import WireProtocol

// What programs are told of a programme: the lines of `tutti status --json`, and the state and changes that the page
// follows.

extension ProgrammeState {
    /// - Parameters:
    ///   - broadcaster: its name.
    ///   - queueSequence: of the newest change of the queue; nil where it is unknown.
    public func json(of broadcaster: String, queueSequence: UInt64? = nil) -> JSONValue {
        .object([
            "broadcaster": .string(broadcaster), "sequence": .integer(Int64(clamping: sequence)),
            "queueSequence": queueSequence.map { .integer(Int64(clamping: $0)) } ?? .null,
            "sent": .number(sent.seconds, decimals: 6),
            "status": status.json, "modes": modes.json, "items": .integer(Int64(itemCount)),
            "volume": volume.json, "listeners": .array(listeners.map(\.json)),
            "page": page?.json ?? .null,
        ])
    }
}

extension PageLocation {
    fileprivate var json: JSONValue {
        let (scheme, name): (String, String?) =
            switch self.scheme {
            case .http: ("http", nil)
            case .https(let name): ("https", name)
            }
        return .object(["port": .integer(Int64(port)), "scheme": .string(scheme), "name": .optional(name)])
    }
}

extension TransportStatus {
    fileprivate var json: JSONValue {
        .object([
            "transport": .string("\(transport)"), "current": current?.json ?? .null,
            "next": next?.json ?? .null,
            "position": position.map { position in
                .object([
                    "seconds": .number(position.time(at: position.session).seconds, decimals: 6),
                    "at": .number(position.session.seconds, decimals: 6),
                    "rate": .number((position.framesPerSecond ?? 0) / position.sampleRate, decimals: 9),
                    "frame": .integer(position.frame.index), "sampleRate": .number(position.sampleRate, decimals: 0),
                ])
            } ?? .null,
        ])
    }
}

extension ProgrammeChange {
    /// `sequence`, `effect`, and one member of the change's kind.
    public var json: JSONValue {
        let (name, value): (String, JSONValue) =
            switch kind {
            case .status(let status): ("status", status.json)
            case .modes(let modes): ("modes", modes.json)
            case .queue(let edit, let count):
                ("queue", .object(["edit": .string("\(edit)"), "items": .integer(Int64(count))]))
            case .item(let item): ("item", item.json)
            case .volume(let volume): ("volume", volume.json)
            case .listener(let listener): ("listener", listener.json)
            case .listenerGone(let instance): ("gone", .string(String(instance, radix: 16)))
            case .command(let entry):
                ("command", .object(["who": .string(entry.who), "what": .string(entry.operation.reading)]))
            case .unknown: ("unknown", .null)
            }
        return .object([
            .init(key: "sequence", value: .integer(Int64(clamping: sequence))),
            .init(key: "effect", value: .number(effect.seconds, decimals: 6)), .init(key: name, value: value),
        ])
    }
}

extension PlayModes {
    fileprivate var json: JSONValue {
        .object(["repeat": .string("\(repeats)"), "shuffle": .bool(isShuffled)])
    }
}

extension VolumeSetting {
    fileprivate var json: JSONValue { .object(["level": .integer(Int64(level)), "muted": .bool(isMuted)]) }
}

extension ProgrammeListener {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "instance": .string(String(instance, radix: 16)), "state": .string(state.rawValue),
            "browser": .bool(isBrowser),
            "volume": settings?.volume.json ?? .null, "role": .optional(settings?.role.description),
            "offsetMicroseconds": settings.map { .number($0.offset.microseconds, decimals: 0) } ?? .null,
            "errorMicroseconds": timing.map { .number($0.error.microseconds, decimals: 1) } ?? .null,
            "boundMicroseconds": timing.map { .number($0.bound.microseconds, decimals: 1) } ?? .null,
        ])
    }
}

extension SessionTime {
    fileprivate var seconds: Double { Double(nanoseconds) / 1e9 }
}
