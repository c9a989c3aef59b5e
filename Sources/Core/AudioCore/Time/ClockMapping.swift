/// Where session time stands against this machine's host time: an affine map around a reference point.
///
///     session(h) = session + (h - host) * (1 + skew)
///
/// The broadcaster itself uses ``identity``. A value type, free of locks: safe on a real-time thread.
public struct ClockMapping: Hashable, Sendable, BitwiseCopyable {
    /// The reference instant on this machine's clock; choose one near the instants to be converted.
    public var host: HostTime
    /// Session time at the reference.
    public var session: SessionTime
    /// How much faster the session clock runs than this host's.
    public var skew: PartsPerMillion

    public init(host: HostTime, session: SessionTime, skew: PartsPerMillion) {
        self.host = host
        self.session = session
        self.skew = skew
    }

    /// The broadcaster's own: session time is its host time.
    public static let identity = ClockMapping(
        host: HostTime(nanoseconds: 0), session: SessionTime(nanoseconds: 0), skew: .zero)

    // Only the elapsed part passes through floating point, and of it only the ppm: nanoseconds stay exact for hours.
    public func session(at instant: HostTime) -> SessionTime {
        let elapsed = instant - host
        return session + elapsed + TimeSpan(seconds: elapsed.seconds * skew.value * 1e-6)
    }

    public func host(at instant: SessionTime) -> HostTime {
        let elapsed = instant - session
        return host + elapsed - TimeSpan(seconds: elapsed.seconds * (1 - 1 / skew.ratio))
    }
}
