import AudioCore

/// How often and how long somebody may guess a code.
public enum PairingLimits {
    public static let codeDigitCount = 8
    /// A code that nobody tried is replaced after this time.
    public static let codeLifetime = TimeSpan.seconds(120)
    /// Failures after which pairing closes until it is asked for again. With one try for each code, whoever guesses is
    /// right once in 33 million times.
    public static let failureCount = 3
    /// A try that takes longer has failed: two round trips and nothing to type.
    public static let attemptTimeout = TimeSpan.seconds(10)
}
