import AudioCore
import ClockSync
import WireProtocol

/// Deciding when the song starts and when it is over.
extension BroadcastSession {
    mutating func decideStart(_ now: HostTime) {
        guard case .waiting(let since) = phase else { return }
        if now - since > BroadcastLimits.startPatience {
            finishPending(
                ClockMapping.identity.session(at: now),
                text: isSilenced ? "it is paused before its start" : "it begins when listeners are ready", now)
        }
        guard !isSilenced else { return }
        // A live source plays as soon as there is something to play.
        if let anchor = timeline.heard.follower.liveAnchor { return play(by: anchor, now) }
        let members = connections.links.filter(\.isMember)
        let audience = StartDecision.Audience(
            present: members.count, ready: members.count(where: \.isReady), wanted: wantedListenerCount,
            newest: members.compactMap(\.admitted).max())
        let isNamed = !configuration.allowedNames.isEmpty && configuration.start != .now
        let verdict = startDecision.judge(
            audience, since: since, searched: configuration.searches ? began : nil, isNamed: isNamed, now: now)
        switch verdict {
        case .wait: break
        case .start: start(now)
        case .startWithoutTheMissing: startWithoutTheMissing(members.filter { !isOwn($0) }, now)
        }
    }

    var wantedListenerCount: Int {
        let others =
            switch configuration.start {
            case .now: 0
            case .whenReady(let count): max(count, configuration.allowedNames.count)
            }
        return others + (configuration.ownListener == nil ? 0 : 1)
    }

    /// Starts although some of the named listeners did not come.
    private mutating func startWithoutTheMissing(_ members: [ListenerLink], _ now: HostTime) {
        let missing = configuration.allowedNames.filter { name in !members.contains { isCalled($0, name) } }
        guard !members.isEmpty else {
            finish(.nobody(missing), now)
            return
        }
        guard members.contains(where: \.isReady), hasEnough else { return }
        if !missing.isEmpty { notify(.startedWithout(missing)) }
        start(now)
    }

    /// Whether these are the loudspeakers of this machine, which play for this process.
    func isOwn(_ link: ListenerLink) -> Bool {
        guard link.connection.direction == .local, let greeting = link.connection.greeting else { return false }
        return greeting.instance == configuration.ownListener
    }

    private func isCalled(_ link: ListenerLink, _ name: String) -> Bool {
        connections.isName(name, of: link)
    }

    private var hasEnough: Bool { timeline.heard.follower.isEnough(song, from: timeline.heard.firstFrame) }

    /// Starts if enough of the song is there.
    private mutating func start(_ now: HostTime) {
        guard let rate = song.framesPerSecond, hasEnough else { return }
        let session = ClockMapping.identity.session(at: now) + (configuration.startDelay ?? startDelay)
        play(
            by: Anchor(epoch: song.epoch, frame: timeline.heard.firstFrame, session: session, framesPerSecond: rate),
            now)
    }

    /// As long as a command takes to reach those that are ready, and to be heard there; longer for one that is to sound
    /// before the others.
    private var startDelay: TimeSpan {
        let ready = connections.links.filter(\.isReady)
        guard let slowest = ready.map({ $0.report?.timing?.roundTrip ?? .zero }).max() else {
            return BroadcastLimits.longStartDelay
        }
        let isWired = slowest < ClockLimits.wiredRoundTrip
        let delay = max(commandLead + BroadcastLimits.startMargin, isWired ? .zero : BroadcastLimits.longStartDelay)
        let earliest = ready.map { $0.settings?.offset ?? .zero }.min() ?? .zero
        return min(BroadcastLimits.longestCommandLead, delay + max(.zero, -earliest))
    }

    /// Finishes when the programme is over, and every listener has heard the last frame or should have.
    mutating func decideEnd(_ now: HostTime) {
        // Commands may have led past its end before the first sound.
        if case .idle = phase, programme.transport == .idle, !configuration.staysIdle {
            return finish(.completed, now)
        }
        guard isPlaying, opening.track == nil, timeline.comingCount == 0, let last = lastInstant else { return }
        let session = ClockMapping.identity.session(at: now)
        guard session >= last else { return }
        let haveAllFinished = connections.links.allSatisfy { !$0.isMember || $0.hasFinished(song.epoch) }
        guard haveAllFinished || session >= last + BroadcastLimits.farewellTime else { return }
        if programme.transport == .playing { _ = programme.advance() }
        guard configuration.staysIdle else { return finish(song.failure.map { .brokenOff($0) } ?? .completed, now) }
        actions.append(.changed)
    }

    /// When the programme's last frame is due; nil while it is not known, or the programme goes on.
    private var lastInstant: SessionTime? {
        switch programme.transport {
        case .playing:
            timeline.heard.follower.heldFrame == nil && programme.following == nil ? timeline.heard.endInstant : nil
        case .idle: configuration.staysIdle ? nil : timeline.heard.cutInstant ?? timeline.heard.endInstant
        case .paused, .stopped: nil
        }
    }
}
