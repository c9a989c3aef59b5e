import AudioCore
import WireProtocol

/// When the song starts, and when it is over.
extension BroadcastSession {
    var wantedListenerCount: Int {
        let others =
            switch configuration.start {
            case .now: 0
            case .whenReady(let count): max(count, configuration.allowedNames.count)
            }
        return others + (configuration.ownListener == nil ? 0 : 1)
    }

    /// Starts when enough listeners are ready and those found meanwhile have had their time.
    mutating func decideStart(_ now: HostTime) {
        guard case .waiting(let since) = phase else { return }
        guard !isLive else { return startLive() }
        if wantedListenerCount == 0 {
            start(now)
            return
        }
        let members = connections.links.filter(\.isMember)
        let ready = members.count(where: \.isReady)
        if members.count < max(1, wantedListenerCount) {
            gatheringDeadline = nil
        } else if gatheringDeadline == nil {
            gatheringDeadline = now + BroadcastLimits.gatheringTime
        }
        if now - since > BroadcastLimits.namedListenerTime, !configuration.allowedNames.isEmpty,
            configuration.start != .now
        {
            startWithoutTheMissing(now)
            return
        }
        guard ready >= wantedListenerCount, let gatheringDeadline, now >= gatheringDeadline else { return }
        guard ready == members.count || now >= gatheringDeadline + BroadcastLimits.readinessTime else { return }
        start(now)
    }

    /// Some of the listeners that were named did not come.
    private mutating func startWithoutTheMissing(_ now: HostTime) {
        let members = connections.links.filter { $0.isMember && !isOwn($0) }
        let missing = configuration.allowedNames.filter { name in !members.contains { isCalled($0, name) } }
        guard !members.isEmpty else {
            finish(.nobody(missing), now)
            return
        }
        guard members.contains(where: \.isReady) else { return }
        if !missing.isEmpty {
            actions.append(.notice(.warning, "starting without \(missing.joined(separator: ", ")): not found"))
        }
        start(now)
    }

    private func isOwn(_ link: ListenerLink) -> Bool {
        link.connection.greeting.map { $0.instance == configuration.ownListener } ?? false
    }

    private func isCalled(_ link: ListenerLink, _ name: String) -> Bool {
        link.connection.greeting.map { connections.allowed.isBorne(name, by: $0) } ?? false
    }

    /// Where enough of the song is there.
    private mutating func start(_ now: HostTime) {
        guard let rate = summary.format?.sampleRate, hasLead(from: .zero) else { return }
        let session = ClockMapping.identity.session(at: now) + configuration.startDelay
        phase = .playing(Anchor(epoch: log.epoch, frame: .zero, session: session, framesPerSecond: rate))
        actions.append(.advertise)
    }

    /// Over when everyone has heard the last frame, or should have.
    mutating func decideEnd(_ now: HostTime) {
        guard case .playing(let anchor) = phase, let end, stall == nil else { return }
        let last = anchor.session(of: end)
        let session = ClockMapping.identity.session(at: now)
        guard session >= last else { return }
        let haveAllFinished = connections.links.allSatisfy { !$0.isMember || $0.hasFinished(log.epoch) }
        guard haveAllFinished || session >= last + BroadcastLimits.farewellTime else { return }
        finish(sourceFailure.map { .brokenOff($0) } ?? .completed, now)
    }

    /// Tells everyone how it ended, and closes.
    mutating func finish(_ outcome: BroadcastOutcome, _ now: HostTime) {
        let message = WireEncoder.broadcastEnd(farewell(outcome))
        for id in connections.ids {
            if let link = connections[id], link.isMember || link.isObserver { send(message, to: id, now) }
            actions.append(.close(id))
        }
        phase = .over
        actions.append(.finished(outcome))
    }

    private func farewell(_ outcome: BroadcastOutcome) -> BroadcastEnd {
        switch outcome {
        case .completed: BroadcastEnd(.completed)
        case .stopped: BroadcastEnd(.stopped, "the broadcaster stopped")
        // The reader's own words name a path of this machine.
        case .brokenOff: BroadcastEnd(.failed, "the song could not be read to its end")
        case .unplayable: BroadcastEnd(.failed, "the song cannot be played")
        case .nobody: BroadcastEnd(.stopped)
        }
    }
}
