import AudioCore

// A source that brings less than is heard: a slow server, a pipe whose writer pauses, a station that was cut off.
//
// Listeners fall silent by themselves when their packets end. What comes after that is late, and would be late for ever.
// So the timeline stands still at the first frame that did not come in time. What the source brings then is kept back
// until there is as much of it as a start wants; then the anchor is moved: that frame is due one start delay later, and
// the rest behind it. No frame is lost, and all go on at the same instant, for they follow the anchor. Since the epoch
// stays, so do decoders and what they have decoded.
//
// A broadcaster that did not run for a while finds itself behind all of a sudden; its source, which is not to blame, is
// given a second to catch up. So a file goes on where it would be by then, as for whoever lost packets.
//
// A listener may still hold in its sound card what it has played last, and would play it again if the timeline came
// back to it. So the timeline is not moved before that is gone.

/// A source has fallen behind.
struct SourceStall {
    /// The first frame that was not there.
    let frame: FramePosition
    /// When it is due.
    let due: SessionTime
    var isTold = false
}

extension BroadcastSession {
    /// Whether so much of the song is there from `frame` on that it may begin.
    func hasLead(from frame: FramePosition) -> Bool {
        guard end == nil, let last = log.end else { return true }
        return last - frame >= frames(in: configuration.sourceLead)
            || log.byteCount(log.index(of: frame)..<log.endIndex) >= BroadcastLimits.bytesAhead
    }

    /// Sees whether the source keeps up, and moves the timeline when it did not.
    mutating func watchSource(_ now: HostTime) {
        // A live source's frames are due when they are due.
        guard !isLive, case .playing(let anchor) = phase, let last = log.end else { return }
        let session = ClockMapping.identity.session(at: now)
        if stall == nil, isBehind(lead: anchor.session(of: last) - session, now) {
            stall = SourceStall(frame: last, due: anchor.session(of: last))
        }
        guard let stall else { return }
        let isThere = last > stall.frame
        if isThere ? session < stall.due - BroadcastLimits.latestSend : end != nil {
            // It came in time after all, or nothing more will come.
            self.stall = nil
            return
        }
        if !stall.isTold, session >= stall.due {
            self.stall?.isTold = true
            actions.append(.notice(.warning, "the song comes too slowly: silent until enough of it is there"))
        }
        guard isThere, hasLead(from: stall.frame), session >= stall.due + BroadcastLimits.stallTime else { return }
        goOn(after: stall, anchor, now)
    }

    private mutating func isBehind(lead: TimeSpan, _ now: HostTime) -> Bool {
        guard end == nil, lead < BroadcastLimits.leastLead else {
            behindSince = nil
            return false
        }
        // It was seen to fall behind: ticks are closer than that.
        if lead > .zero, behindSince == nil { return true }
        let since = behindSince ?? now
        behindSince = since
        return now - since >= BroadcastLimits.catchUpTime
    }

    private mutating func goOn(after stall: SourceStall, _ anchor: Anchor, _ now: HostTime) {
        var moved = anchor
        moved.frame = stall.frame
        moved.session = ClockMapping.identity.session(at: now) + configuration.startDelay
        phase = .playing(moved)
        self.stall = nil
        behindSince = nil
        for link in connections.links { link.hasAnchor = false }
        let silence = (moved.session - stall.due).seconds
        actions.append(.notice(.info, "the song goes on after \(Int(silence.rounded())) s of silence"))
    }
}
