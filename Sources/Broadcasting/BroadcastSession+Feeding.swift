import AudioCore
import NIOCore
import Peering
import WireProtocol

/// What each listener is sent when.
extension BroadcastSession {
    /// Sends a listener all that is due and that its socket has room for.
    mutating func feed(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember, let streamMessage else { return }
        if !link.hasStream {
            connections[id]?.hasStream = true
            send(streamMessage, to: id, now)
            enter(id, now, lostPacketCount: 0)
        }
        if !link.hasAnchor, case .playing(let anchor) = phase {
            connections[id]?.hasAnchor = true
            send(WireEncoder.anchor(anchor), to: id, now)
        }
        skipIfLate(id, now)
        let isAwaitingTime = !isPlaying || link.isLearningClock(now)
        let lead =
            isAwaitingTime ? min(configuration.horizon, BroadcastLimits.leadBeforeStart) : configuration.horizon
        let horizon = position(now) + frames(in: lead)
        let playing = log.index(of: max(position(now), .zero))
        while let link = connections[id], (log.startIndex..<log.endIndex).contains(link.cursor),
            link.bytesInFlight < BroadcastLimits.bytesInFlight
        {
            let group = log[link.cursor]
            guard group.position < horizon,
                link.cursor <= playing || log.byteCount(playing..<link.cursor) < BroadcastLimits.bytesAhead
            else { break }
            connections[id]?.cursor += 1
            send(group.message, to: id, now)
        }
        sendEndIfDue(id, now)
    }

    /// Places a joiner, or one that fell behind: from the packets that its decoder needs first.
    private mutating func enter(_ id: ConnectionID, _ now: HostTime, lostPacketCount: UInt32) {
        let index = log.index(of: max(position(now), .zero))
        guard index < log.endIndex else { return }
        let start = log.entry(before: index, prerollPacketCount: summary.decoderPrerollPacketCount)
        connections[id]?.cursor = start
        let frame = start == 0 ? .zero : log[index].position
        send(
            WireEncoder.entry(EntryMark(epoch: log.epoch, frame: max(frame, .zero), lostPacketCount: lostPacketCount)),
            to: id, now)
    }

    /// A listener whose next packets are overdue loses them, and goes on with those that are due now.
    private mutating func skipIfLate(_ id: ConnectionID, _ now: HostTime) {
        guard case .playing = phase, let link = connections[id], link.cursor < log.endIndex,
            link.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return }
        guard link.cursor < log.startIndex || log[link.cursor].end <= position(now) else { return }
        let next = log.index(of: max(position(now), .zero))
        guard next > link.cursor, next < log.endIndex else { return }
        let isPreroll = log.entry(before: next, prerollPacketCount: summary.decoderPrerollPacketCount) <= link.cursor
        guard !isPreroll else { return }
        let lost = log.packetCount(max(link.cursor, log.startIndex)..<next)
        actions.append(.notice(.warning, "\(link.connection.name) is too slow: \(lost) packets dropped for it"))
        enter(id, now, lostPacketCount: UInt32(clamping: lost))
    }

    private mutating func sendEndIfDue(_ id: ConnectionID, _ now: HostTime) {
        guard let end, let link = connections[id], !link.hasEnd, link.cursor >= log.endIndex else { return }
        connections[id]?.hasEnd = true
        send(WireEncoder.streamEnd(log.epoch, at: end), to: id, now)
    }
}
