import AudioCore
import Peering
import WireProtocol

/// Commands: those that concern this listener's sound, and those that somebody at this machine gives the broadcast.
extension ListenSession {
    /// Handles what the broadcaster says of commands and of its programme.
    mutating func control(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .command(let command):
            if case .listeners(let operation, _) = command.operation, obeys(command, operation) {
                actions.append(.set(operation))
                owesSettings = true
            }
        case .groupVolume(let volume):
            actions.append(.setGroupVolume(volume))
            // Behind that: whoever set it waits for this. A recorder has no volume.
            if settings != nil { send(WireEncoder.groupVolume(volume), to: id, now) }
        default: actions.append(.answer(message))
        }
    }

    /// Asks the broadcaster. Without one there is nobody to answer.
    mutating func ask(_ message: ControlMessage, _ now: HostTime) {
        guard case .member(let id) = reception?.stage else { return }
        switch message {
        case .command(let command):
            ownCommands.note(command)
            send(WireEncoder.command(command), to: id, now)
        case .follow: send(WireEncoder.follow(), to: id, now)
        case .unfollow: send(WireEncoder.unfollow(), to: id, now)
        case .queuePageRequest(let request): send(WireEncoder.queuePageRequest(request), to: id, now)
        case .songOffer(let offer): send(WireEncoder.songOffer(offer), to: id, now)
        case .songBytes(let bytes): send(WireEncoder.songBytes(bytes), to: id, now)
        case .lookup(let lookup): send(WireEncoder.lookup(lookup), to: id, now)
        default: break
        }
    }

    /// Takes note of how the loudspeakers are set.
    mutating func note(_ settings: ListenerSettings, _ now: HostTime) {
        guard settings != self.settings || owesSettings else { return }
        self.settings = settings
        tellSettings(now)
    }

    mutating func tellSettings(_ now: HostTime) {
        owesSettings = false
        guard case .member(let id) = reception?.stage, let settings else { return }
        send(WireEncoder.settings(settings), to: id, now)
    }

    /// The broadcaster that feeds this listener; nil while none does.
    public var broadcaster: Greeting? { if case .member = reception?.stage { reception?.broadcaster } else { nil } }
}
