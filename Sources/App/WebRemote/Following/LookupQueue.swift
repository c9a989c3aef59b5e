import AudioCore
import WireProtocol

/// Lookups of all pages, one after the other: each once, however many pages want it. What was found of the last items
/// is kept, since many pages want the same picture when a song begins.
final class LookupQueue {
    typealias Answer = (Result<[UInt8]?, DeskFailure>) -> Void

    private enum Stage {
        case idle
        case asked(LookupSubject, since: HostTime)
    }

    /// Different lookups that are waited for at once, those who wait for one, and those that are kept.
    static let waitingLimit = 32
    static let answerLimit = 1_024
    static let keptLimit = 12
    static let keptByteCount = 12 * 1024 * 1024
    /// Longer than the controller's own (``ControlLimits/lookupTime``), which answers.
    static let patience = TimeSpan.seconds(65)

    private var stage = Stage.idle
    private var order: [LookupSubject] = []
    private var waiting: [LookupSubject: [Answer]] = [:]
    /// Oldest first.
    private var kept: [(subject: LookupSubject, bytes: [UInt8]?)] = []

    /// Takes a lookup.
    /// - Returns: what is to be looked up now.
    func add(_ subject: LookupSubject, _ now: HostTime, _ answer: @escaping Answer) -> LookupSubject? {
        if let found = kept.first(where: { $0.subject == subject }) {
            answer(.success(found.bytes))
            return nil
        }
        let count = waiting[subject]?.count
        guard count ?? 0 < Self.answerLimit, count != nil || waiting.count < Self.waitingLimit else {
            answer(.failure(.tooBusy))
            return nil
        }
        if count == nil { order.append(subject) }
        waiting[subject, default: []].append(answer)
        return next(now)
    }

    /// Takes what was found.
    /// - Returns: what is to be looked up next.
    func take(
        _ result: Result<[UInt8]?, DeskFailure>, of subject: LookupSubject, _ now: HostTime
    ) -> LookupSubject? {
        guard case .asked(subject, _) = stage else { return nil }
        if case .success(let bytes) = result { keep(bytes, of: subject) }
        return finish(subject, result, now)
    }

    /// Gives up a lookup that is late.
    /// - Returns: what is to be looked up next.
    func expire(_ now: HostTime) -> LookupSubject? {
        guard case .asked(let subject, let since) = stage, now - since >= Self.patience else { return nil }
        return finish(subject, .failure(.noAnswer), now)
    }

    /// Gives up all of them, and forgets what was found: another broadcast numbers its items anew.
    func fail(_ failure: DeskFailure) {
        let all = waiting.values
        (stage, order, waiting, kept) = (.idle, [], [:], [])
        for answers in all { for answer in answers { answer(.failure(failure)) } }
    }

    private func finish(
        _ subject: LookupSubject, _ result: Result<[UInt8]?, DeskFailure>, _ now: HostTime
    ) -> LookupSubject? {
        let answers = waiting.removeValue(forKey: subject) ?? []
        stage = .idle
        for answer in answers { answer(result) }
        return next(now)
    }

    private func next(_ now: HostTime) -> LookupSubject? {
        guard case .idle = stage, let subject = order.first else { return nil }
        order.removeFirst()
        stage = .asked(subject, since: now)
        return subject
    }

    /// A library changes; what belongs to an item stays.
    private func keep(_ bytes: [UInt8]?, of subject: LookupSubject) {
        guard subject.item != nil else { return }
        kept.append((subject, bytes))
        var byteCount = kept.reduce(0) { $0 + ($1.bytes?.count ?? 0) }
        while kept.count > Self.keptLimit || byteCount > Self.keptByteCount, let oldest = kept.first {
            byteCount -= oldest.bytes?.count ?? 0
            kept.removeFirst()
        }
    }
}
