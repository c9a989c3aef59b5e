import AudioCore
import NIOCore
import Peering
import WireProtocol

/// What each listener is sent when.
extension BroadcastSession {
    /// Sends a listener all that is due and that its socket has room for.
    mutating func feed(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.isMember, let form = form(for: link) else { return }
        if !link.hasStream {
            connections[id]?.hasStream = true
            send(form.streamMessage, to: id, now)
        }
        if !link.hasEntered { enter(id, form, now, lostPacketCount: 0) }
        guard connections[id]?.hasEntered == true else { return }
        if !link.hasAnchor, case .playing(let anchor) = phase {
            connections[id]?.hasAnchor = true
            send(WireEncoder.anchor(anchor), to: id, now)
        }
        skipIfLate(id, form, now)
        sendPackets(id, of: form.log, now)
        sendEndIfDue(id, form, now)
    }

    /// Packets go out in batches: whoever has all up to the horizon is left in peace until it wants more, and then is
    /// sent several messages at once, up to a little beyond.
    private mutating func sendPackets(_ id: ConnectionID, of log: PacketLog, _ now: HostTime) {
        let isAwaitingTime = !isPlaying || connections[id]?.isLearningClock(now) ?? false
        let lead =
            isAwaitingTime ? min(configuration.horizon, BroadcastLimits.leadBeforeStart) : configuration.horizon
        let wanted = position(now) + frames(in: lead)
        guard let link = connections[id], (log.startIndex..<log.endIndex).contains(link.cursor),
            log[link.cursor].position < wanted
        else { return }
        let batch = isAwaitingTime ? .zero : min(BroadcastLimits.batchTime, lead * 0.05)
        let horizon = wanted + frames(in: batch)
        let playing = log.index(of: max(position(now), .zero))
        while let link = connections[id], (log.startIndex..<log.endIndex).contains(link.cursor),
            link.bytesInFlight < BroadcastLimits.bytesInFlight
        {
            let group = log[link.cursor]
            // By the timeline as it is, what comes now is late.
            if let stall, group.position >= stall.frame { break }
            guard group.position < horizon,
                link.cursor <= playing || log.byteCount(playing..<link.cursor) < BroadcastLimits.bytesAhead
            else { break }
            connections[id]?.cursor += 1
            send(group.message, to: id, now)
        }
    }

    /// Places a joiner, or one that fell behind: from the packets that its decoder needs first.
    private mutating func enter(_ id: ConnectionID, _ form: SongForm, _ now: HostTime, lostPacketCount: UInt32) {
        let log = form.log
        let index = log.index(of: max(position(now), .zero))
        guard index < log.endIndex else { return }
        let start = log.entry(before: index, prerollPacketCount: form.prerollPacketCount)
        connections[id]?.cursor = start
        connections[id]?.hasEntered = true
        // PCM may begin in the middle of the song.
        let isBeginning = start == 0 && log[start].position <= .zero
        let frame = isBeginning ? .zero : max(log[index].position, .zero)
        send(
            WireEncoder.entry(EntryMark(epoch: log.epoch, frame: frame, lostPacketCount: lostPacketCount)), to: id,
            now)
    }

    /// A listener whose next packets are overdue loses them, and goes on with those that are due now.
    private mutating func skipIfLate(_ id: ConnectionID, _ form: SongForm, _ now: HostTime) {
        let log = form.log
        guard case .playing = phase, let link = connections[id], link.cursor < log.endIndex,
            link.bytesInFlight < BroadcastLimits.bytesInFlight
        else { return }
        guard link.cursor < log.startIndex || log[link.cursor].end <= position(now) else { return }
        let next = log.index(of: max(position(now), .zero))
        guard next > link.cursor, next < log.endIndex else { return }
        let isPreroll = log.entry(before: next, prerollPacketCount: form.prerollPacketCount) <= link.cursor
        guard !isPreroll else { return }
        let lost = log.packetCount(max(link.cursor, log.startIndex)..<next)
        actions.append(.notice(.warning, "\(link.connection.name) is too slow: \(lost) packets dropped for it"))
        enter(id, form, now, lostPacketCount: UInt32(clamping: lost))
    }

    private mutating func sendEndIfDue(_ id: ConnectionID, _ form: SongForm, _ now: HostTime) {
        guard let end, form.isComplete, let link = connections[id], !link.hasEnd, link.cursor >= form.log.endIndex
        else { return }
        connections[id]?.hasEnd = true
        send(WireEncoder.streamEnd(log.epoch, at: end), to: id, now)
    }
}
