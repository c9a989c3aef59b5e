import AudioCore

/// Every limit on what clock datagrams may ask for.
public enum ClockLimits {
    /// Requests of a listener that may await a reply; older ones count as lost.
    static let pendingCount = 64
    /// A later reply counts as lost.
    static let replyTimeout = TimeSpan.milliseconds(1_000)
    /// A path whose lowest round trip is below this is wired.
    public static let wiredRoundTrip = TimeSpan.milliseconds(1)
    /// Exchanges that the estimator keeps.
    static let sampleCount = 2_048
    /// Older exchanges are dropped.
    static let sampleAge = TimeSpan.seconds(150)
    /// A listener whose requests come closer together than this is in a hurry.
    static let urgentGap = TimeSpan.milliseconds(20)
    /// Requests of a listener that come closer together than this are a group, and say nothing of a hurry.
    static let groupGap = TimeSpan.microseconds(500)
    /// A newly connected listener sends its first request within this time.
    public static let joinerTime = TimeSpan.seconds(1)
    /// How long a listener counts as in a hurry after a hurried request.
    public static let urgentTime = TimeSpan.milliseconds(250)
    /// How long a responder may let requests gather while no listener is in a hurry.
    public static let gatheringTime = TimeSpan.milliseconds(50)
    /// The gap between two requests of a listener that knows the clock well.
    static let steadyInterval = TimeSpan.milliseconds(250)
    /// The same between two groups of requests, on a quiet wire, and how many go at once.
    static let groupInterval = TimeSpan.milliseconds(500)
    static let groupCount = 4
    /// Requests a second that all listeners together send at most once they know the clock: the broadcaster names the
    /// gap that follows from their number.
    static let settledRequestsPerSecond = 1_000.0
    /// The longest gap that is named or obeyed. Longer ones would look like silence.
    static let longestInterval = TimeSpan.seconds(1)
    /// Keys (connections) that one responder answers.
    public static let keyCount = 8_192
    /// Requests per key that are answered at once, and the number per second after that.
    static let requestBurst = 256.0
    static let requestsPerSecond = 150.0
}
