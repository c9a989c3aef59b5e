import AudioCore
import ClockSync
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// Taking commands: who may, in which order, and what becomes of them.
extension BroadcastSession {
    /// Takes a command. One that came before gets the same outcome again, and does nothing.
    mutating func perform(_ command: Command, from origin: CommandOrigin, _ now: HostTime) {
        do throws(CommandRefusal) {
            try authorize(origin)
        } catch {
            // Neither counted nor remembered: it takes nothing from those who may.
            return answer(CommandLog<CommandOrigin>.refusal(of: command, error), origin, now)
        }
        guard !isPending(command, from: origin) else { return }
        // The bound is against others: who adds ten thousand songs of this machine need not wait.
        switch log.admit(command, from: origin, now: now, isBounded: !isOwnUser(origin)) {
        case .repeated(let outcome), .excess(let outcome): answer(outcome, origin, now)
        case .new:
            do throws(CommandRefusal) {
                try act(on: command, from: origin, now)
            } catch {
                answer(log.refuse(command, error), origin, now)
            }
        }
    }

    /// Whether a command is being done. If so, the peer that asked is told the outcome here, too.
    private mutating func isPending(_ command: Command, from origin: CommandOrigin) -> Bool {
        let key = key(of: origin)
        if let index = pendingCommands.firstIndex(where: { $0.command.id == command.id }) {
            if pendingCommands[index].key == key { pendingCommands[index].noteAsked(from: origin) }
            return true
        }
        guard let index = pendingSettings.firstIndex(where: { $0.pending.command.id == command.id }) else {
            return false
        }
        if pendingSettings[index].pending.key == key { pendingSettings[index].pending.noteAsked(from: origin) }
        return true
    }

    func pendingCommand(_ command: Command, from origin: CommandOrigin, text: String = "") -> PendingCommand {
        PendingCommand(command: command, origin: origin, who: name(of: origin), key: key(of: origin), text: text)
    }

    private mutating func act(
        on command: Command, from origin: CommandOrigin, _ now: HostTime
    ) throws(CommandRefusal) {
        concernsAll = true
        switch command.operation {
        case .programme(let operation): try act(on: command, operation, from: origin, now)
        case .listeners(let operation, let target):
            let setting = try set(operation, of: target, by: command, from: origin, now)
            let pending = pendingCommand(command, from: origin, text: setting.text)
            guard setting.awaited.isEmpty else {
                if pendingSettings.count == BroadcastLimits.pendingCommandCount {
                    finish(pendingSettings.removeFirst(), now)
                }
                let deadline = now + BroadcastLimits.settingTime
                return pendingSettings.append(
                    PendingSetting(pending: pending, awaited: setting.awaited, deadline: deadline))
            }
            finish(pending, ClockMapping.identity.session(at: now), now)
        case .unknown: throw .unknownOperation
        }
    }

    private mutating func act(
        on command: Command, _ operation: ProgrammeOperation, from origin: CommandOrigin, _ now: HostTime
    ) throws(CommandRefusal) {
        try check(operation, from: origin)
        if opening.target == nil { transportBeforeJump = programme.transport }
        let result = try programme.apply(operation, at: elapsed(now), isOwn: isOwnUser(origin))
        if let edit = result.edit { note(.queue(edit, itemCount: programme.itemCount), now) }
        if case .inserted(let position, let count)? = result.edit, case .connection(let id) = origin {
            tellAdded(count, at: position, by: id, now)
        }
        let pending = pendingCommand(command, from: origin, text: result.isPastTheEnd ? textPastTheEnd : "")
        // What is being opened and what plays may change with every command.
        if let effect = perform(result.effect, now) {
            finish(pending, effect, now)
        } else {
            // Sources that open slowly are no reason to keep commands without end.
            if pendingCommands.count == BroadcastLimits.pendingCommandCount {
                var oldest = pendingCommands.removeFirst()
                oldest.add("no word yet whether that is heard: see 'tutti status'")
                finish(oldest, ClockMapping.identity.session(at: now), now)
            }
            pendingCommands.append(pending)
        }
    }

    /// - Throws: if the operation is not allowed to whoever asks, or not possible with this song.
    private func check(_ operation: ProgrammeOperation, from origin: CommandOrigin) throws(CommandRefusal) {
        switch operation {
        case .add(let sources), .insert(let sources, _):
            guard !isOwnUser(origin) else { return }
            guard configuration.acceptsSongs else { throw .notAllowed }
            // A path would name a file of this machine.
            guard !sources.contains(where: { if case .file = $0 { true } else { false } }) else { throw .notAllowed }
        case .seek, .skip: if !present.isSeekable { throw present.isLive ? .liveCannotSeek : .cannotSeek }
        default: break
        }
    }

    /// Whether a command comes from the user of the broadcaster's machine.
    func isOwnUser(_ origin: CommandOrigin) -> Bool {
        switch origin {
        case .own: true
        case .connection(let id): connections[id]?.connection.direction == .local
        }
    }

    private func key(of origin: CommandOrigin) -> PeerKey? {
        switch origin {
        case .own: nil
        case .connection(let id): connections[id]?.connection.remoteKey
        }
    }

    private func name(of origin: CommandOrigin) -> String {
        switch origin {
        case .own(let asker): asker.name
        case .connection(let id): connections[id]?.connection.name ?? ""
        }
    }

    /// Ends the wait of commands whose song was being opened.
    /// - Parameters:
    ///   - effect: when it sounds; nil if it cannot be played.
    ///   - text: what to tell whoever asked, where there is nothing else to tell.
    mutating func finishPending(_ effect: SessionTime?, text: String = "", _ now: HostTime) {
        let pending = pendingCommands
        pendingCommands = []
        for var command in pending {
            if let effect {
                if command.text.isEmpty { command.text = text }
                finish(command, effect, now)
            } else {
                answer(log.refuse(command.command, .unplayable), to: command, now)
            }
        }
    }

    mutating func finish(_ pending: PendingCommand, _ effect: SessionTime, _ now: HostTime) {
        let (entry, outcome) = log.append(pending.command, who: pending.who, effect: effect, text: pending.text)
        note(.command(entry), effect: entry.effect, now)
        answer(outcome, to: pending, now)
    }

    private mutating func answer(_ outcome: CommandOutcome, to pending: PendingCommand, _ now: HostTime) {
        for origin in pending.origins { answer(outcome, origin, now) }
    }

    mutating func answer(_ outcome: CommandOutcome, _ origin: CommandOrigin, _ now: HostTime) {
        var outcome = outcome
        outcome.sent = ClockMapping.identity.session(at: now)
        switch origin {
        case .own(let asker): actions.append(.answer(outcome, asker))
        case .connection(let id): send(WireEncoder.outcome(outcome), to: id, now)
        }
    }
}
