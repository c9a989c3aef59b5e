import AudioCore

/// Every limit on what clock datagrams may ask of us.
public enum ClockLimits {
    /// Requests of a listener that may wait for their reply; older ones count as lost.
    static let pendingCount = 64
    /// A reply later than this is lost.
    static let replyTimeout = TimeSpan.milliseconds(1_000)
    /// Exchanges that the estimator holds.
    static let sampleCount = 512
    /// Exchanges older than this are dropped.
    static let sampleAge = TimeSpan.seconds(150)
    /// A listener whose requests come closer together than this is in a hurry.
    static let hurriedGap = TimeSpan.milliseconds(20)
    /// Within this one that has just connected asks for the first time.
    public static let newcomerTime = TimeSpan.seconds(1)
    /// Who was in a hurry still is for so long.
    public static let hurryTime = TimeSpan.milliseconds(250)
    /// While nobody is in a hurry a responder may let requests gather for so long.
    public static let gatheringTime = TimeSpan.milliseconds(50)
    /// Keys (connections) that one responder answers.
    public static let keyCount = 8_192
    /// Requests of one key that are answered at once, and how many a second after that.
    static let requestBurst = 256.0
    static let requestsPerSecond = 60.0
}
