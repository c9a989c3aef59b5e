import AudioCore
import WireProtocol

/// Pages of the queue that are asked for, one after the other, and those that came since it last changed.
final class QueuePages {
    typealias Answer = (Result<QueuePage, DeskFailure>) -> Void

    private enum Stage {
        case idle
        case asked(QueuePageRequest, since: HostTime)
    }

    /// Different pages that are waited for at once, those who wait for one, and those that are kept.
    static let waitingLimit = 32
    static let answerLimit = 1_024
    static let keptLimit = 8
    /// Commands that are ahead of it take a second each at most.
    static let patience = TimeSpan.seconds(10)

    private var stage = Stage.idle
    private var order: [QueuePageRequest] = []
    private var waiting: [QueuePageRequest: [Answer]] = [:]
    private var kept: [(request: QueuePageRequest, page: QueuePage)] = []

    /// Takes a request.
    /// - Returns: what is to be asked for now.
    func add(
        _ request: QueuePageRequest, _ now: HostTime, _ answer: @escaping Answer
    ) -> QueuePageRequest? {
        if let page = kept.first(where: { $0.request == request })?.page {
            answer(.success(page))
            return nil
        }
        let count = waiting[request]?.count
        guard count ?? 0 < Self.answerLimit, count != nil || waiting.count < Self.waitingLimit else {
            answer(.failure(.tooBusy))
            return nil
        }
        if count == nil { order.append(request) }
        waiting[request, default: []].append(answer)
        return next(now)
    }

    /// Takes note of a change of the programme; nil: of any.
    /// - Returns: whether the queue or an item may be another now, so that no page is kept.
    func note(_ change: ProgrammeChange?) -> Bool {
        switch change?.kind {
        case .queue, .item, .unknown, nil:
            kept = []
            return true
        case .status, .modes, .volume, .listener, .command, .listenerGone: return false
        }
    }

    /// Takes a page.
    /// - Returns: what is to be asked for next.
    func take(_ page: QueuePage, _ now: HostTime) -> QueuePageRequest? {
        guard case .asked(let request, _) = stage, page.first == min(request.first, page.itemCount) else { return nil }
        kept = kept.suffix(Self.keptLimit - 1) + [(request, page)]
        return finish(request, .success(page), now)
    }

    /// Gives up a page that is late.
    /// - Returns: what is to be asked for next.
    func expire(_ now: HostTime) -> QueuePageRequest? {
        guard case .asked(let request, let since) = stage, now - since >= Self.patience else { return nil }
        return finish(request, .failure(.noAnswer), now)
    }

    /// Gives up all of them.
    func fail(_ failure: DeskFailure) {
        let all = waiting.values
        (stage, order, waiting, kept) = (.idle, [], [:], [])
        for answers in all { for answer in answers { answer(.failure(failure)) } }
    }

    private func finish(
        _ request: QueuePageRequest, _ result: Result<QueuePage, DeskFailure>, _ now: HostTime
    ) -> QueuePageRequest? {
        let answers = waiting.removeValue(forKey: request) ?? []
        stage = .idle
        for answer in answers { answer(result) }
        return next(now)
    }

    private func next(_ now: HostTime) -> QueuePageRequest? {
        guard case .idle = stage, let request = order.first else { return nil }
        order.removeFirst()
        stage = .asked(request, since: now)
        return request
    }
}
