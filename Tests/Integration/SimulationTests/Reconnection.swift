import AudioCore
import Listening
import SimulationKit

/// What a listener that was cut off, and whoever listens to it, may count on.
enum Reconnection {
    /// From the network's return until listener and broadcaster have each other again.
    static let time = TimeSpan.seconds(1)
    /// And until it sounds, where it was silent: the clock is learned anew, the packets come, the sound fades in.
    static let soundTime = TimeSpan.seconds(2)
    /// Until a loss is told.
    static let noticeTime = TimeSpan.seconds(3)
    /// What is held while music plays, less what had been heard of the last packets.
    static let held = TimeSpan.seconds(9)
    /// Of a listener that goes by a clock that it cannot ask.
    static let skew = TimeSpan.microseconds(100)
}

extension BroadcastNode {
    /// Whether a listener is one of those that it feeds and hears of, once.
    func feeds(_ node: ListenNode) -> Bool {
        session.listeners.filter { $0.name == node.name }.count == 1
            && session.listeners.contains { $0.name == node.name && $0.report != nil }
            && node.session.isFed && node.session.broadcasterInstance == greeting.instance
    }
}

extension ListenNode {
    func hasToldLoss(between first: TrueTime, and last: TrueTime) -> Bool {
        notices.contains { $0.notice.isLoss && (first...last).contains($0.time) }
    }
}

extension ListenNotice {
    /// Whether it tells that a broadcaster is gone, or that song is missing since it was.
    var isLoss: Bool {
        switch self {
        case .lost, .songLost: true
        default: false
        }
    }
}
