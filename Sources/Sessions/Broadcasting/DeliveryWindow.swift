import AudioCore

// How much song may be on the way to one listener
//
// Nothing overtakes what is on the way: a command waits behind it. On a link that carries little more than the song, a
// second of song takes nearly a second to arrive. So the window is what the listener's link delivers in a short time,
// and at least enough that the link does not fall idle.
//
// Among many listeners the window is at least half a second: what makes each of them slow then is how many they are,
// and smaller messages would make all of them slower still.
//
// How fast a link delivers shows only while the window holds packets back all the time (as in TCP's BBR). Otherwise the
// listener receives what is due, and the link can do at least that. Of several measurements the highest counts: where a
// packet is lost, TCP stands still for a while.

/// How much a listener may be sent beyond what it acknowledged, by how fast it received so far.
struct DeliveryWindow {
    /// One measurement of the pace.
    private struct Interval {
        var start: HostTime
        var frameCount: Int64 = 0
        /// Whether packets were held back all the time.
        var isHeldBack = true
    }

    private var interval: Interval?
    /// Frames per second in the present interval, as if it were over, and in the last two.
    private var paces: (present: Double, last: Double, former: Double) = (0, 0, 0)
    /// How fast its link delivered in the last intervals that tell, in bytes per second: the next song may have larger
    /// packets, or smaller ones.
    private var linkPaces: [Double] = []
    /// Of the song as it is sent now; 1 while that is not known.
    private var bytesPerFrame = 1.0
    /// The lowest round trip that it measured. Later ones may contain what waits here.
    private var roundTrip: TimeSpan?

    /// How fast it receives, in frames per second: in the best of these intervals, as an acknowledgement may be late.
    var pace: Double { max(paces.present, paces.last, paces.former) }

    /// Notes how large the song's frames are as it is sent now.
    mutating func note(bytesPerFrame: Double) { self.bytesPerFrame = bytesPerFrame }

    /// Notes that it was sent all that is due.
    mutating func noteAllSent() { interval?.isHeldBack = false }

    /// Notes an acknowledgement.
    /// - Parameters:
    ///   - frameCount: how many more frames it has.
    ///   - roundTrip: of its path, as far as is known; nil if nothing is.
    mutating func acknowledge(_ frameCount: Int64, roundTrip: TimeSpan?, now: HostTime) {
        if let roundTrip {
            // A peer may report anything.
            self.roundTrip = min(self.roundTrip ?? BroadcastLimits.longestWindow, max(.zero, roundTrip))
        }
        guard var interval else {
            interval = Interval(start: now)
            return
        }
        interval.frameCount += frameCount
        self.interval = interval
        let elapsed = now - interval.start
        let pace = Double(interval.frameCount) / max(elapsed, BroadcastLimits.paceInterval).seconds
        paces.present = pace
        guard elapsed >= BroadcastLimits.paceInterval else { return }
        paces = (0, pace, paces.last)
        let linkPace = pace * bytesPerFrame
        let tellsOfLink = interval.isHeldBack || linkPace > linkPaces.max() ?? .infinity
        self.interval = Interval(start: now)
        guard tellsOfLink else { return }
        if linkPaces.count == BroadcastLimits.paceCount { linkPaces.removeFirst() }
        linkPaces.append(linkPace)
    }

    /// Goes on with another epoch, whose frames are counted anew.
    mutating func turn() {
        interval = nil
        paces = (0, 0, 0)
    }

    /// Returns how much of a song that plays at `framesPerSecond` may be on the way.
    /// - Parameter shortest: how much may be in any case.
    func length(framesPerSecond: Double, shortest: TimeSpan = BroadcastLimits.shortestWindow) -> TimeSpan {
        guard let linkPace = linkPaces.max(), let roundTrip else { return BroadcastLimits.longestWindow }
        let speed = linkPace / (framesPerSecond * bytesPerFrame)
        let length = max(shortest, BroadcastLimits.deliveryTime * speed) + roundTrip * max(1, speed)
        return min(length, BroadcastLimits.longestWindow)
    }
}
