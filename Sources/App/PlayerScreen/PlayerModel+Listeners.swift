import AudioCore
import TerminalIO
import WireProtocol

/// An offset that was asked for a moment ago: the next key counts from there, though the listener has not said yet that
/// it plays so.
struct WantedOffset: Sendable {
    let instance: UInt64
    let offset: TimeSpan
    let since: HostTime

    private static let patience = TimeSpan.seconds(2)

    /// Nil for another listener, and once that one has had its time.
    func offset(of listener: ProgrammeListener, _ now: HostTime) -> TimeSpan? {
        listener.instance == instance && now - since < Self.patience ? offset : nil
    }
}

/// What keys set of the selected listener, beside its volume.
extension PlayerModel {
    mutating func pressInListeners(_ key: Key, _ now: HostTime) {
        switch key {
        case .character("["): shift(by: .milliseconds(-1), now)
        case .character("]"): shift(by: .milliseconds(1), now)
        case .character("{"): shift(by: .milliseconds(-10), now)
        case .character("}"): shift(by: .milliseconds(10), now)
        case .character("x"): changeRole()
        default: break
        }
    }

    /// Has the listener sound later, or earlier if the span is negative.
    private mutating func shift(by span: TimeSpan, _ now: HostTime) {
        guard let listener = selectedListener, let settings = listener.settings else { return }
        let range = LoudspeakerSettings.offsetRange
        let present = wantedOffset?.offset(of: listener, now) ?? settings.offset
        let next = min(max(present + span, range.lowerBound), range.upperBound)
        wantedOffset = WantedOffset(instance: listener.instance, offset: next, since: now)
        perform(.offset(next), of: .named(listener.name))
    }

    /// Both sides, one of them, both on one loudspeaker.
    private mutating func changeRole() {
        guard let listener = selectedListener, let settings = listener.settings else { return }
        let next: ChannelRole =
            switch settings.role {
            case .stereo: .left
            case .left: .right
            case .right: .mono
            case .mono, .channel: .stereo
            }
        perform(.role(next), of: .named(listener.name))
    }
}
