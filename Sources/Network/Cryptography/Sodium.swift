import CSodium

/// libsodium, made ready once. This target is the only one that imports it.
enum Sodium {
    /// Finds out what the processor can do and opens the source of random numbers; must precede every other call.
    private static let isReady = sodium_init() >= 0

    /// Traps if there is no source of random numbers: nothing that follows would be secret.
    static func prepare() { precondition(isReady, "libsodium has no source of random numbers") }
}
