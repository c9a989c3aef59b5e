import AudioCore
import ProgrammeJSON
import TuttiRuntime
import WireProtocol

// One object per line. `event` says which it is:
//
//     event      keys besides `unixSeconds`
//     notice     severity ("detail", "info", "warning"), message
//     broadcast  name, state ("waiting", "playing", "paused", "idle", "finishing", "ended"), readyListeners and
//                wantedListeners (while waiting), song (null while idle with nothing to play), next, listeners,
//                worstPair, volume and muted (of its own loudspeakers)
//     listening  broadcaster (null while waiting for one), song, next, listener
//     playing    state ("playing", "paused", "starving", "ended"), song, volume, muted, xruns, underruns
//     end        outcome ("completed", "interrupted", "failed"), exitCode, message (of a failure)
//
//     next       the title of what plays after the song
//     song       title, artist, format, elapsedSeconds, totalSeconds
//     listener   name, state, bufferedSeconds, lowWaterSeconds (of decoded song, since it began to sound), timing,
//                xruns, underruns, replacements (of all causes: timelineSteps, deviceClockSteps, deviceRestarts, and
//                underruns that were got over), lostPackets, sentPCM (whether it cannot decode the song itself),
//                volume, muted, role ("stereo", "left", "right", "mono", "1" to "8"), offsetMicroseconds,
//                highestVolume (that it may have now; null if any), quietHoursUntil ("07:00"; null outside of quiet
//                hours, and in those that never end) (these six of its own display only)
//     timing     errorMicroseconds, errorBoundMicroseconds, asymmetryLimitMicroseconds, roundTripMicroseconds,
//                clockPPM, devicePPM, correctionPPM
//     worstPair  first, second, distanceMicroseconds
//
// A volume is a number from 0 to 100. Unknown values are null. A status that equals the last one is left out. Later
// versions may add keys and kinds of events.

/// Turns events into JSON objects, one per line. Pure.
struct JSONView: Sendable {
    let level: DisplayFlags.Level
    private var lastStatus: JSONValue?

    init(level: DisplayFlags.Level) { self.level = level }

    /// Returns the object for an event; nil if the level leaves it out, or it repeats the last status.
    mutating func value(for event: DisplayEvent, unixSeconds: Double) -> JSONValue? {
        switch event {
        case .warning(let text): notice(.warning, text, unixSeconds)
        case .page(let notice): self.notice(notice.level, notice.sentence, unixSeconds)
        case .service(let notice): self.notice(notice.level, notice.sentence, unixSeconds)
        case .lines: nil
        case .runtime(.notice(let notice)): self.notice(notice.level, notice.sentence, unixSeconds)
        case .runtime(.broadcast(let status)): self.status("broadcast", unixSeconds, status.json)
        case .runtime(.listening(let status, let song, let broadcaster)):
            self.status(
                "listening", unixSeconds,
                [
                    "broadcaster": .optional(broadcaster), "song": song?.json ?? .null, "next": .optional(status.next),
                    "listener": status.json,
                ])
        case .runtime(.playing(let status)): self.status("playing", unixSeconds, status.json)
        }
    }

    private func notice(_ severity: NoticeLevel, _ text: String, _ unixSeconds: Double) -> JSONValue? {
        guard shows(severity) else { return nil }
        return Self.event(
            "notice", unixSeconds, ["severity": .string(severity.rawValue), "message": .string(text)])
    }

    private mutating func status(
        _ name: String, _ unixSeconds: Double, _ members: KeyValuePairs<String, JSONValue>
    ) -> JSONValue? {
        let status = JSONValue.object(members)
        guard level != .quiet, status != lastStatus else { return nil }
        lastStatus = status
        return Self.event(name, unixSeconds, members)
    }

    /// Returns the last object of a run.
    func end(_ result: SessionResult, exitCode: Int32, unixSeconds: Double) -> JSONValue {
        Self.event(
            "end", unixSeconds,
            [
                "outcome": .string(result.outcomeName), "exitCode": .integer(Int64(exitCode)),
                "message": .optional(result.failure?.sentence),
            ])
    }

    private func shows(_ severity: NoticeLevel) -> Bool {
        switch severity {
        case .detail: level == .verbose
        case .info: level != .quiet
        case .warning: true
        }
    }

    private static func event(
        _ name: String, _ unixSeconds: Double, _ members: KeyValuePairs<String, JSONValue>
    ) -> JSONValue {
        .object(
            [
                .init(key: "event", value: .string(name)),
                .init(key: "unixSeconds", value: .number(unixSeconds, decimals: 3)),
            ] + members.map { .init(key: $0.key, value: $0.value) })
    }
}

extension BroadcastStatus {
    fileprivate var json: KeyValuePairs<String, JSONValue> {
        let waiting: (ready: JSONValue, wanted: JSONValue) =
            if case .waiting(let ready, let wanted) = state {
                (.integer(Int64(ready)), .integer(Int64(wanted)))
            } else {
                (.null, .null)
            }
        return [
            "name": .string(name), "state": .string(state.jsonName), "readyListeners": waiting.ready,
            "wantedListeners": waiting.wanted, "song": song?.json ?? .null, "next": .optional(next),
            "listeners": .array(listeners.map(\.json)),
            "refusedConnections": .integer(Int64(refusedCount)), "worstPair": worstPairJSON,
            "volume": loudspeakers?.volume.json ?? .null, "muted": loudspeakers.map { .bool($0.isMuted) } ?? .null,
        ]
    }

    private var worstPairJSON: JSONValue {
        guard let worst = worstPair else { return .null }
        return .object([
            "first": .string(worst.first), "second": .string(worst.second),
            "distanceMicroseconds": worst.distance.jsonMicroseconds,
        ])
    }
}

extension BroadcastStatus.State {
    fileprivate var jsonName: String {
        switch self {
        case .waiting: "waiting"
        case .playing: "playing"
        case .paused: "paused"
        case .idle: "idle"
        case .finishing: "finishing"
        case .ended: "ended"
        }
    }
}

extension SongStatus {
    fileprivate var json: JSONValue {
        .object([
            "title": .string(title), "artist": .optional(artist), "format": .string(format),
            "elapsedSeconds": elapsed.jsonSeconds, "totalSeconds": total?.jsonSeconds ?? .null,
        ])
    }
}

extension PlayStatus {
    fileprivate var json: KeyValuePairs<String, JSONValue> {
        [
            "state": .string(state.rawValue), "song": song.json, "volume": volume.json,
            "muted": .bool(isMuted), "xruns": .integer(Int64(xruns)), "underruns": .integer(Int64(underruns)),
        ]
    }
}

extension ListenerStatus {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(name), "state": .string(state.rawValue), "bufferedSeconds": buffered.jsonSeconds,
            "lowWaterSeconds": lowWater?.jsonSeconds ?? .null,
            "timing": timing?.json ?? .null, "xruns": .integer(Int64(counters.xruns)),
            "underruns": .integer(Int64(counters.underruns)), "replacements": .integer(Int64(counters.replacements)),
            "timelineSteps": .integer(Int64(counters.timelineSteps)),
            "deviceClockSteps": .integer(Int64(counters.deviceClockSteps)),
            "deviceRestarts": .integer(Int64(counters.deviceRestarts)),
            "lostPackets": .integer(Int64(counters.lostPackets)), "sentPCM": .bool(isSentPCM),
            "volume": loudspeakers?.volume.json ?? .null, "muted": loudspeakers.map { .bool($0.isMuted) } ?? .null,
            "role": .optional(loudspeakers?.role.description),
            "offsetMicroseconds": loudspeakers?.offset.jsonMicroseconds ?? .null,
            "highestVolume": ceiling == .none ? .null : ceiling.volume.json,
            "quietHoursUntil": .optional(ceiling.quietEnd?.description),
        ])
    }
}

extension ListenerTiming {
    fileprivate var json: JSONValue {
        .object([
            "errorMicroseconds": error.jsonMicroseconds, "errorBoundMicroseconds": errorBound.jsonMicroseconds,
            "asymmetryLimitMicroseconds": asymmetryLimit.jsonMicroseconds,
            "roundTripMicroseconds": roundTrip.jsonMicroseconds,
            "clockPPM": .number(clockSkew.value, decimals: 3), "devicePPM": .number(deviceSkew.value, decimals: 3),
            "correctionPPM": .number(correction.value, decimals: 3),
        ])
    }
}

extension Volume {
    fileprivate var json: JSONValue { .integer(Int64(percent)) }
}

extension TimeSpan {
    fileprivate var jsonSeconds: JSONValue { .number(seconds, decimals: 3) }
    fileprivate var jsonMicroseconds: JSONValue { .number(microseconds, decimals: 1) }
}
