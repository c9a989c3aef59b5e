/// The relation of session time to this machine's host time: an affine map around a reference point.
///
///     session(h) = session + (h - host) * (1 + skew)
///
/// The broadcaster itself uses ``identity``. A lock-free value type: safe on a real-time thread.
public struct ClockMapping: Hashable, Sendable, BitwiseCopyable {
    /// The reference instant on this machine's clock; best chosen near the instants to be converted.
    public var host: HostTime
    /// Session time at the reference instant.
    public var session: SessionTime
    /// Rate of the session clock against this host's clock.
    public var skew: PartsPerMillion

    public init(host: HostTime, session: SessionTime, skew: PartsPerMillion) {
        self.host = host
        self.session = session
        self.skew = skew
    }

    /// The broadcaster's mapping: session time is its host time.
    public static let identity = ClockMapping(
        host: HostTime(nanoseconds: 0), session: SessionTime(nanoseconds: 0), skew: .zero)

    // Only the elapsed time passes through floating point, and only its ppm: nanoseconds stay exact for hours.
    public func session(at instant: HostTime) -> SessionTime {
        let elapsed = instant - host
        return session + elapsed + TimeSpan(seconds: elapsed.seconds * skew.value * 1e-6)
    }

    public func host(at instant: SessionTime) -> HostTime {
        let elapsed = instant - session
        return host + elapsed - TimeSpan(seconds: elapsed.seconds * (1 - 1 / skew.ratio))
    }
}
