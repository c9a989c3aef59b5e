import AudioCore

/// How long peers wait for each other, and how many there may be.
public enum PeeringLimits {
    /// A dial that has not connected by then is given up. Records of machines that lost power stay in caches for
    /// minutes; on a LAN a live one answers within milliseconds.
    public static let dialTimeout = TimeSpan.seconds(1)
    /// Between the addresses of one peer, so that the first that works is the only one used (after RFC 8305).
    public static let addressStagger = TimeSpan.milliseconds(150)
    /// From the first failure; doubles up to ``longestBackOff``.
    public static let firstBackOff = TimeSpan.milliseconds(500)
    public static let longestBackOff = TimeSpan.seconds(15)
    /// A peer that was connected and is missed is dialled this often, each of its addresses, whether or not the dials
    /// before were answered: what left while the network was cut is lost, and the next that leaves gets through.
    public static let missedInterval = TimeSpan.milliseconds(600)
    /// No sooner than so long after the dial before, where that cannot leave the machine.
    static let redialInterval = TimeSpan.milliseconds(100)
    /// For so long. Then it backs off as any other.
    public static let missedTime = TimeSpan.seconds(600)
    /// For so long, if mDNS forgot it and its machine refuses: time for one that is started again at the same port.
    static let refusedTime = TimeSpan.seconds(15)
    /// A process that says so little for so long has its connection taken over by another of its own, without waiting
    /// for ``silenceTimeout``: longer than ``keepAliveInterval``.
    public static let successionTime = TimeSpan.milliseconds(800)
    /// A listener leaves it to the broadcaster for so long which of two connections goes on.
    public static let contestTime = TimeSpan.seconds(3)
    /// And says nothing of a loss for so long, if it was told that another connection goes on.
    public static let handoverTime = TimeSpan.seconds(1)
    /// A connection on which no greeting came by then is closed.
    public static let greetingTimeout = TimeSpan.seconds(2)
    /// Something is said at least this often, so that silence means loss.
    public static let keepAliveInterval = TimeSpan.milliseconds(750)
    /// After this much silence the other side is taken for dead. The user hears of it within 3 s.
    public static let silenceTimeout = TimeSpan.milliseconds(2_500)
    /// A session that was not called for longer did not run: its timers are closer together, whatever happens.
    public static let longestLook = TimeSpan.milliseconds(600)
    /// After that nobody is judged for so long: what lies in the sockets is read first.
    static let settlingTime = TimeSpan.milliseconds(250)
    /// Peers that are followed at once.
    public static let contactCount = 4_096
    /// Connections with one address at once: more than anybody runs on one machine, and few enough that one machine
    /// cannot take all there are.
    public static let connectionsPerAddress = 64
    /// Addresses of one peer that are tried.
    public static let addressesPerContact = 8
    /// Lines of one kind that are told once and remembered, and how many of them one address may bring about.
    public static let rememberedNoticeCount = 256
    public static let rememberedNoticeCountPerAddress = 16
    /// Lines of one kind that are told each time, and how many of them one address may bring about, in so long: a thousand
    /// listeners may come, go and come again, and as many as one machine may run.
    public static let repeatedCount = 4_096
    public static let repeatedCountPerAddress = connectionsPerAddress
    public static let repeatedTime = TimeSpan.seconds(600)
}
