import AudioCore
import Broadcasting
import ClockSync
import Listening
import Peering
import WireProtocol

extension StartTimeline {
    /// Notes what an event of a listener, or time, has led to.
    mutating func note(_ event: ListenEvent?, _ session: ListenSession) {
        switch event {
        case .contact(let contact): note(contact, sought: .broadcaster)
        case .opened: note(.connected)
        case .authenticated: note(.authenticated)
        default: break
        }
        guard let report = session.currentReport(.now()) else { return }
        note(.joined)
        if session.summary?.isReady == true { note(.song) }
        if session.sessionTime(at: .now()) != nil { note(.clock) }
        if [.ready, .playing].contains(report.state) { note(.ready) }
    }

    /// Notes what an event of a broadcast, or time, has led to.
    /// - Returns: whether the first sound is decided.
    mutating func note(_ event: BroadcastEvent?, _ session: BroadcastSession) -> Bool {
        switch event {
        case .contact(let contact): note(contact, sought: .listener)
        case .opened: note(.connected)
        case .authenticated: note(.authenticated)
        default: break
        }
        guard session.transport == .playing else { return false }
        if session.summary.isReady { note(.song) }
        if session.hasMembers { note(.joined) }
        if session.hasEnoughReady { note(.ready) }
        guard let anchor = session.anchor else { return false }
        note(.decided)
        note(.sound, at: ClockMapping.identity.host(at: anchor.session))
        return true
    }

    /// Notes that the other side was found: the user named it, or mDNS told of it, which also tells of those that
    /// nobody seeks.
    mutating func note(_ contact: PeerContact, sought role: PeerRoles) {
        if contact.key.instance == nil || contact.roles.contains(role) { note(.found) }
    }
}
