import AudioCore
import NIOCore
import WireProtocol

/// Requests to a broadcast, one after the other, each answered before the next.
struct RequestLane {
    enum Step {
        case send(ByteBuffer)
        case answer(ControlAnswer)
        case openSong(String)
        case readSong(Int)
        /// A request came to nothing.
        case fail(ControlEnding)
        /// A song came to nothing half-way: the broadcast waits for the rest until the connection ends.
        case abandon(ControlEnding)
        /// There is no request left.
        case empty
    }

    private enum Waiting {
        case nothing
        /// For the id of the item that a command names by its position.
        case item(Command, position: Int, since: HostTime)
        /// For a command's outcome; `firstSent` is when the command was sent at first.
        case outcome(Command, firstSent: HostTime, sent: HostTime)
        /// To send a command again that was refused as one of too many.
        case retry(Command, firstSent: HostTime, at: HostTime)
        case effect(at: HostTime)
        /// For this machine to open a file; `firstTried` is when it did so at first.
        case file(path: String, position: Int?, firstTried: HostTime)
        /// To send a song to its end.
        case song(SongSending, firstTried: HostTime)
        /// To offer a song again that was refused as one of too many commands.
        case songRetry(SongSending, firstTried: HostTime, at: HostTime)
        case state(since: HostTime)
        /// For a page, and then for those that follow it, unless it alone was asked for.
        case page(first: Int, isAlone: Bool, since: HostTime)
    }

    private var requests: ArraySlice<ControlRequest> = []
    private let name: String
    /// Whether nobody waits for effects: who follows sees them, and may ask for more at once.
    var isQuick = false
    private var waiting = Waiting.nothing
    private var hasFailed = false
    /// Commands whose outcome may still come.
    private var late: [CommandID] = []

    private static let lateLimit = 16

    init(with name: String) { self.name = name }

    /// Files that are to be sent, with the one that is on its way.
    var fileCount: Int {
        let waitingCount = requests.count { if case .send = $0 { true } else { false } }
        return switch waiting {
        case .file, .song, .songRetry: waitingCount + 1
        case .nothing, .item, .outcome, .retry, .effect, .state, .page: waitingCount
        }
    }

    /// Takes one more request.
    mutating func add(_ request: ControlRequest) { requests.append(request) }

    /// Does what is due.
    mutating func advance(_ now: HostTime) -> [Step] {
        switch waiting {
        case .nothing: return makeNextRequest(now)
        case .effect(let time):
            guard now >= time else { return [] }
            return makeNextRequest(now)
        case .retry(let command, let firstSent, let time):
            guard now >= time else { return [] }
            waiting = .outcome(command, firstSent: firstSent, sent: now)
            return [.send(WireEncoder.command(command))]
        case .outcome(let command, _, let sent):
            guard now - sent > ControlLimits.answerTime else { return [] }
            return isQuick ? goOnWithout(command, now) : fail(.timedOut(name), now)
        case .item(_, _, let since), .state(let since), .page(_, _, let since):
            return now - since > ControlLimits.answerTime ? fail(.timedOut(name), now) : []
        case .songRetry(let sending, let firstTried, let time):
            guard now >= time else { return [] }
            waiting = .file(path: sending.path, position: sending.offer.position, firstTried: firstTried)
            return [.openSong(sending.path)]
        case .song(let sending, _):
            return now - sending.advanced > ControlLimits.sendingTime ? [.abandon(.timedOut(name))] : []
        case .file: return []
        }
    }

    private mutating func makeNextRequest(_ now: HostTime) -> [Step] {
        waiting = .nothing
        guard let request = requests.popFirst() else { return [.empty] }
        if case .ifDone = request {} else { hasFailed = false }
        switch request {
        case .ifDone where hasFailed: return makeNextRequest(now)
        case .command(let command), .ifDone(let command):
            guard let position = command.itemPosition else { return send(command, now) }
            waiting = .item(command, position: position, since: now)
            return [.send(WireEncoder.queuePageRequest(QueuePageRequest(first: position, count: 1)))]
        case .send(let path, let position):
            waiting = .file(path: path, position: position, firstTried: now)
            return [.openSong(path)]
        case .state, .changes:
            waiting = .state(since: now)
            return [.send(WireEncoder.follow())]
        case .queue:
            waiting = .page(first: 0, isAlone: false, since: now)
            return [.send(WireEncoder.queuePageRequest(QueuePageRequest(first: 0)))]
        case .queuePage(let page):
            waiting = .page(first: page.first, isAlone: true, since: now)
            return [.send(WireEncoder.queuePageRequest(page))]
        // Not one of these: it has a lane of its own.
        case .lookup: return makeNextRequest(now)
        }
    }

    private mutating func fail(_ ending: ControlEnding, _ now: HostTime) -> [Step] {
        hasFailed = true
        return [.fail(ending)] + makeNextRequest(now)
    }

    /// A song that has to be opened first takes its time. Whoever follows asks for more meanwhile.
    private mutating func goOnWithout(_ command: Command, _ now: HostTime) -> [Step] {
        late = late.suffix(Self.lateLimit - 1) + [command.id]
        hasFailed = true
        return makeNextRequest(now)
    }

    private mutating func send(_ command: Command, _ now: HostTime) -> [Step] {
        waiting = .outcome(command, firstSent: now, sent: now)
        return [.send(WireEncoder.command(command))]
    }

    /// Takes a message.
    mutating func receive(_ message: ControlMessage, _ now: HostTime) -> [Step] {
        switch (message, waiting) {
        case (.outcome(let outcome), .outcome(let command, let firstSent, _)) where outcome.id == command.id:
            return take(outcome, of: command, firstSent, now)
        case (.outcome(let outcome), .song(let sending, let firstTried)) where outcome.id == sending.offer.id:
            if outcome.verdict == .refused(.tooManyCommands), now - firstTried < ControlLimits.patience {
                waiting = .songRetry(sending, firstTried: firstTried, at: now + ControlLimits.retryTime)
                return []
            }
            return take(outcome, of: Command(id: outcome.id, .unknown(code: 0)), firstTried, now)
        case (.songCredit(let credit), .song(var sending, let firstTried)) where credit.id == sending.offer.id:
            let isIdle = sending.isIdle
            sending.advance(upTo: credit.upTo, now)
            waiting = .song(sending, firstTried: firstTried)
            return isIdle && !sending.isIdle ? [.readSong(sending.wantedByteCount)] : []
        case (.programmeState(let state), .state): return [.answer(.state(state, nil))] + makeNextRequest(now)
        case (.queuePage(let page), .item(let command, let position, _))
        where page.first == min(position, page.itemCount):
            // An empty page is of the queue's end.
            guard let item = page.items.first else { return fail(.refused(by: name, .noSuchItem), now) }
            return send(command.naming(item.id), now)
        case (.queuePage(let page), .page(let first, let isAlone, _)) where page.first == min(first, page.itemCount):
            return isAlone ? [.answer(.page(page))] + makeNextRequest(now) : take(page, now)
        case (.outcome(let outcome), _): return takeLate(outcome)
        default: return []
        }
    }

    private mutating func takeLate(_ outcome: CommandOutcome) -> [Step] {
        guard let index = late.firstIndex(of: outcome.id) else { return [] }
        late.remove(at: index)
        guard case .refused(let refusal) = outcome.verdict else { return [.answer(.outcome(outcome))] }
        return [.answer(.outcome(outcome)), .fail(.refused(by: name, refusal))]
    }

    /// Takes what this machine found in a file.
    mutating func takeSong(_ event: ControlEvent, _ now: HostTime) -> [Step] {
        switch (event, waiting) {
        case (.songOpened(let name, let byteCount), .file(let path, let position, let firstTried)):
            let offer = SongOffer(byteCount: byteCount, position: position, name: name)
            waiting = .song(SongSending(offer, path: path, now), firstTried: firstTried)
            return [.send(WireEncoder.songOffer(offer))]
        case (.songRead(let bytes), .song(var sending, let firstTried)):
            guard bytes.readableBytes > 0 else {
                return [.abandon(.unreadable(path: sending.path, "it became shorter while it was sent"))]
            }
            let messages = sending.send(bytes, now)
            waiting = .song(sending, firstTried: firstTried)
            return messages.map { .send($0) } + (sending.isIdle ? [] : [.readSong(sending.wantedByteCount)])
        case (.songFailed(let words), .file(let path, _, _)): return fail(.unreadable(path: path, words), now)
        case (.songFailed(let words), .song(let sending, _)):
            return [.abandon(.unreadable(path: sending.path, words))]
        default: return []
        }
    }

    private mutating func take(
        _ outcome: CommandOutcome, of command: Command, _ firstSent: HostTime, _ now: HostTime
    ) -> [Step] {
        switch outcome.verdict {
        case .done(_, let effect):
            if isQuick { return [.answer(.outcome(outcome))] + makeNextRequest(now) }
            let lead = min(max(effect - outcome.sent, .zero), ControlLimits.longestLead)
            waiting = .effect(at: now + lead)
            return [.answer(.outcome(outcome))] + advance(now)
        case .refused(.tooManyCommands) where now - firstSent < ControlLimits.patience:
            waiting = .retry(command, firstSent: firstSent, at: now + ControlLimits.retryTime)
            return []
        case .refused(let refusal):
            return [.answer(.outcome(outcome))] + fail(.refused(by: name, refusal), now)
        }
    }

    private mutating func take(_ page: QueuePage, _ now: HostTime) -> [Step] {
        let next = page.first + page.items.count
        guard next < page.itemCount, !page.items.isEmpty else { return [.answer(.page(page))] + makeNextRequest(now) }
        waiting = .page(first: next, isAlone: false, since: now)
        return [.answer(.page(page)), .send(WireEncoder.queuePageRequest(QueuePageRequest(first: next)))]
    }
}
