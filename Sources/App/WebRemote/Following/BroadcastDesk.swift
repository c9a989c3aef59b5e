import AudioCore
import Controlling
import ProgrammeJSON
import WireProtocol

/// What all pages share of the one broadcast that they show: its state, and what is asked of it for them.
///
///     away ──connected──▶ greeted ──the state──▶ following ──lost──▶ away
///
/// Each change is made into JSON once, for all pages. What several pages ask for at the same time is asked for once.
/// Answers come from a controller of the broadcast, in the order in which its lanes ask. Confined to one event loop;
/// calls its callers back there. Owns no clock.
final class BroadcastDesk {
    enum Presence {
        case away
        /// The broadcast of this name is there.
        case greeted(String)
        case following(String, ProgrammeState)
    }

    /// What every page is told.
    enum News {
        /// A text of JSON.
        case text(String)
        /// The broadcast is over or lost, for this reason.
        case ended(String)
    }

    private(set) var presence = Presence.away
    private let ask: (ControlRequest) -> Void
    /// Called for what every page is told.
    var tell: (News) -> Void = { _ in }
    /// Whether there is a page: a thousand listeners take their time to be made into JSON.
    var isWatched: () -> Bool = { true }
    private let commands = PendingCommands()
    private let pages = QueuePages()
    private let waiters = StateWaiters()
    /// What is quick to find, and what takes the broadcaster the reading of a whole song.
    private let lookups = [LookupQueue(), LookupQueue()]
    private var changes = ChangeFlow()
    private(set) var foundPaths = FoundPaths()
    /// The change since which the queue and its items are the same.
    private var queueSequence: UInt64 = 0
    /// The text of the present state, and when it was made; nil until a page needs it.
    private var stateText: (made: HostTime, text: String)?
    /// When a state last came from the broadcast: from then on its clock goes on in here.
    private var stateTime = HostTime(nanoseconds: 0)
    /// The text is made anew after this: it says what the time is.
    static let stateTextAge = TimeSpan.milliseconds(50)

    /// - Parameter ask: passes a request to the controller.
    init(ask: @escaping (ControlRequest) -> Void) { self.ask = ask }

    /// The broadcast's name; nil while there is none.
    var name: String? {
        switch presence {
        case .away: nil
        case .greeted(let name), .following(let name, _): name
        }
    }

    /// The state as JSON, as if the broadcast had sent it now; nil while it is not known.
    func stateJSON(now: HostTime) -> String? {
        guard case .following(let name, var state) = presence else { return nil }
        if let stateText, now - stateText.made < Self.stateTextAge { return stateText.text }
        state.sent = state.sent + (now - stateTime)
        let text = state.json(of: name, queueSequence: queueSequence).text
        stateText = (now, text)
        return text
    }

    // MARK: The controller's answers

    /// Takes what the controller says.
    func take(_ answer: ControlAnswer, now: HostTime) {
        switch answer {
        case .connected(let name, _): presence = .greeted(name)
        case .state(let state, let change): take(state, change, now)
        case .outcome(let outcome): commands.take(outcome)
        case .page(let page): askFurther(pages.take(page, now))
        case .found(let subject, let bytes): take(.success(bytes), of: subject, now)
        case .foundNothing(let subject, let reason):
            take(reason.isEmpty ? .success(nil) : .failure(.nothingFound(reason)), of: subject, now)
        // A refusal came before as an outcome, and what is late is noticed here.
        case .failed, .sending: break
        }
    }

    private func take(_ state: ProgrammeState, _ change: ProgrammeChange?, _ now: HostTime) {
        guard let name else { return }
        presence = .following(name, state)
        stateText = nil
        waiters.tell(true)
        if pages.note(change) { queueSequence = state.sequence }
        guard let change else {
            stateTime = now
            return tellState(now)
        }
        switch changes.take(change, now) {
        case .now: if isWatched() { tell(.text("{\"change\":\(change.json.text)}")) }
        case .withTheState: break
        }
    }

    private func tellState(_ now: HostTime) {
        if isWatched(), let text = stateJSON(now: now) { tell(.text("{\"state\":\(text)}")) }
    }

    /// Takes note that the controller has lost the broadcast, or finds none.
    func lose(_ reason: String) {
        let wasThere = name != nil
        presence = .away
        stateText = nil
        commands.fail(.away)
        pages.fail(.away)
        for queue in lookups { queue.fail(.away) }
        if wasThere { tell(.ended(reason)) }
    }

    /// Answers all who wait: nothing will come any more.
    func end() {
        lose("the page for browsers ends")
        waiters.tell(false)
    }

    /// Takes note that time has passed; must come at least every second.
    func tick(now: HostTime) {
        waiters.expire(now)
        commands.expire(now)
        askFurther(pages.expire(now))
        for queue in lookups {
            if let next = queue.expire(now) { ask(.lookup(next)) }
        }
        if changes.takeState(now) { tellState(now) }
    }

    private func askFurther(_ request: QueuePageRequest?) {
        if let request { ask(.queuePage(request)) }
    }

    // MARK: What pages ask for

    /// Waits a moment for the state, if it is not there.
    /// - Parameter then: is told whether it is.
    func whenFollowing(now: HostTime, then: @escaping (Bool) -> Void) {
        if case .following = presence { then(true) } else { waiters.add(now, then) }
    }

    /// Has a command done.
    func perform(
        _ operation: CommandOperation, now: HostTime, then: @escaping (Result<CommandOutcome, DeskFailure>) -> Void
    ) {
        guard case .following = presence else { return then(.failure(.away)) }
        if let path = foundPaths.firstUnknown(in: operation) { return then(.failure(.unknownPath(path))) }
        let command = Command(operation)
        guard commands.add(command, now, then) else { return then(.failure(.tooBusy)) }
        ask(.command(command))
    }

    /// Gets some items of the queue.
    func queue(
        _ request: QueuePageRequest, now: HostTime, then: @escaping (Result<QueuePage, DeskFailure>) -> Void
    ) {
        guard case .following = presence else { return then(.failure(.away)) }
        askFurther(pages.add(request, now, then))
    }

    /// Looks something up.
    /// - Parameter then: is given nil where there simply is none.
    func lookUp(
        _ subject: LookupSubject, now: HostTime, then: @escaping (Result<[UInt8]?, DeskFailure>) -> Void
    ) {
        guard case .following = presence else { return then(.failure(.away)) }
        if let next = lookups[Self.lane(of: subject)].add(subject, now, then) { ask(.lookup(next)) }
    }

    private func take(_ result: Result<[UInt8]?, DeskFailure>, of subject: LookupSubject, _ now: HostTime) {
        if case .songs = subject, case .success(let bytes?) = result { foundPaths.note(bytes) }
        if let next = lookups[Self.lane(of: subject)].take(result, of: subject, now) { ask(.lookup(next)) }
    }

    private static func lane(of subject: LookupSubject) -> Int { if case .levels = subject { 1 } else { 0 } }
}
