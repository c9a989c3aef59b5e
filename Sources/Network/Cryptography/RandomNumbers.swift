import CSodium

/// Random numbers that nobody can predict.
public enum RandomNumbers {
    /// Returns a uniform number from 0 up to, but not including, the bound.
    public static func uniform(below bound: UInt32) -> UInt32 {
        Sodium.prepare()
        return randombytes_uniform(bound)
    }

    public static func bytes32() -> Bytes32 {
        Sodium.prepare()
        return Bytes32 { randombytes_buf($0.baseAddress!, $0.count) }
    }
}
