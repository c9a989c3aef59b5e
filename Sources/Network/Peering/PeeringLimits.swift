import AudioCore

/// How long peers wait for each other, and how many there may be.
public enum PeeringLimits {
    /// A dial that has not connected within this time is given up. Records of machines that lost power stay in caches
    /// for minutes; on a LAN a live one answers within milliseconds.
    public static let dialTimeout = TimeSpan.seconds(1)
    /// Delay between dials to the addresses of one peer, so that only the first that works is used (after RFC 8305).
    public static let addressStagger = TimeSpan.milliseconds(150)
    /// Backoff after the first failure; doubles up to ``longestBackOff``.
    public static let firstBackOff = TimeSpan.milliseconds(500)
    public static let longestBackOff = TimeSpan.seconds(15)
    /// A lost peer is dialled this often, at each of its addresses, whether or not earlier dials were answered: what
    /// was sent while the network was cut is lost, and the next attempt gets through.
    public static let lostPeerInterval = TimeSpan.milliseconds(600)
    /// Shortest time between dials if the previous one could not leave the machine.
    static let redialInterval = TimeSpan.milliseconds(100)
    /// How long a lost peer is dialled this often. Then it backs off like any other.
    public static let lostPeerTime = TimeSpan.seconds(600)
    /// The same if mDNS forgot it and its machine refuses: time for the process to restart at the same port.
    static let refusedTime = TimeSpan.seconds(15)
    /// A process that was silent this long loses its connection to another of its own, without waiting for
    /// ``silenceTimeout``: longer than ``keepAliveInterval``.
    public static let successionTime = TimeSpan.milliseconds(800)
    /// How long a listener lets the broadcaster decide which of two connections goes on.
    public static let contestTime = TimeSpan.seconds(3)
    /// How long it does not report a loss if it was told that another connection goes on.
    public static let handoverTime = TimeSpan.seconds(1)
    /// A connection without a greeting is closed after this time.
    public static let greetingTimeout = TimeSpan.seconds(2)
    /// Each side sends something at least this often, so that silence means loss.
    public static let keepAliveInterval = TimeSpan.milliseconds(750)
    /// After this much silence the other side is taken for dead. The user is told within 3 s.
    public static let silenceTimeout = TimeSpan.milliseconds(2_500)
    /// A session that was not called for longer did not run: its timers are always closer together.
    public static let longestTurnGap = TimeSpan.milliseconds(750)
    /// How long nobody is judged after that: what waits in the sockets is read first.
    static let settlingTime = TimeSpan.milliseconds(250)
    /// Peers followed at once.
    public static let contactCount = 8_192
    /// Connections with one address at once: more than anybody runs on one machine, but few enough that one machine
    /// cannot take them all.
    public static let connectionsPerAddress = 64
    /// Addresses tried per peer.
    public static let addressesPerContact = 8
    /// Lines of one kind that are shown once and remembered, and how many of them one address may cause.
    public static let rememberedNoticeCount = 256
    public static let rememberedNoticeCountPerAddress = 16
    /// Lines of one kind that are shown each time, and how many of them one address may cause, within ``repeatedTime``:
    /// enough for a thousand listeners, or as many as one machine may run, to come, go and come again.
    public static let repeatedCount = 4_096
    public static let repeatedCountPerAddress = connectionsPerAddress
    public static let repeatedTime = TimeSpan.seconds(600)
}
