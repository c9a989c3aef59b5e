import AudioCore
import NIOCore
import WireProtocol

/// What a controller looks up, one thing after the other, beside its other requests. Each is asked for part by part.
struct LookupLane {
    enum Step {
        case send(ByteBuffer)
        case answer(ControlAnswer)
    }

    private enum Stage {
        case idle
        /// `parts`: those that came, of so many bytes in all; nil before the first one.
        case asked(Lookup, parts: (bytes: ByteBuffer, byteCount: Int)?, since: HostTime)
    }

    private var stage = Stage.idle
    private var waiting: ArraySlice<LookupSubject> = []

    /// What waits beyond that is forgotten, the oldest first.
    private static let waitingLimit = 16

    var isEmpty: Bool { if case .idle = stage { waiting.isEmpty } else { false } }

    /// What waits about another item is forgotten: whoever asks looks at this one now.
    mutating func add(_ subject: LookupSubject) {
        waiting.removeAll { $0 == subject || subject.item != nil && $0.item != nil && $0.item != subject.item }
        waiting = waiting.suffix(Self.waitingLimit - 1) + [subject]
    }

    /// Does what is due.
    mutating func advance(_ now: HostTime) -> [Step] {
        switch stage {
        case .idle: return begin(now)
        case .asked(let lookup, _, let since):
            guard now - since > ControlLimits.lookupTime else { return [] }
            return end(lookup, .foundNothing(lookup.subject, reason: "there was no answer"), now)
        }
    }

    private mutating func begin(_ now: HostTime) -> [Step] {
        stage = .idle
        guard let subject = waiting.popFirst() else { return [] }
        let lookup = Lookup(subject)
        stage = .asked(lookup, parts: nil, since: now)
        return [.send(WireEncoder.lookup(lookup))]
    }

    private mutating func end(_ lookup: Lookup, _ answer: ControlAnswer, _ now: HostTime) -> [Step] {
        [.answer(answer)] + begin(now)
    }

    /// Takes what was found; of a lookup that is not waited for, nothing.
    mutating func take(_ finding: Finding, _ now: HostTime) -> [Step] {
        guard case .asked(let lookup, let parts, let since) = stage, lookup.id == finding.id else { return [] }
        switch finding.content {
        case .nothing(let reason): return end(lookup, .foundNothing(lookup.subject, reason: reason), now)
        case .part(let byteCount, let offset, var part):
            guard offset == lookup.offset else { return [] }
            // It may have become another one meanwhile: a file that was replaced.
            guard parts.map({ $0.byteCount == byteCount }) ?? true else {
                return end(lookup, .foundNothing(lookup.subject, reason: "it changed while it was sent"), now)
            }
            var bytes = parts?.bytes ?? ByteBuffer()
            bytes.writeBuffer(&part)
            guard bytes.readableBytes < byteCount else {
                return end(lookup, .found(lookup.subject, Array(bytes.readableBytesView)), now)
            }
            let next = Lookup(id: lookup.id, offset: bytes.readableBytes, lookup.subject)
            stage = .asked(next, parts: (bytes, byteCount), since: since)
            return [.send(WireEncoder.lookup(next))]
        }
    }
}
