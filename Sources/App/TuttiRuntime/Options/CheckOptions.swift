import AudioCore

/// The options of `tutti check`; acted on by ``Checker``.
public struct CheckOptions: Sendable {
    /// The broadcaster's address, for which mDNS is not needed.
    public var address: NetworkAddress?
    /// Names of the only broadcasts that are of interest; empty takes any.
    public var from: [String] = []
    /// How long to observe, from the first listener that plays.
    public var duration = TimeSpan.seconds(30)
    /// How far apart two listeners may be: |e1 - e2| + b1 + b2.
    public var limit = TimeSpan.microseconds(100)
    /// The same where one of them is a browser.
    public var browserLimit = TimeSpan.milliseconds(10)

    public init() {}
}
