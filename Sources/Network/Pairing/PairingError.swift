/// Why an exchange about a code failed.
public enum PairingError: Error, Hashable, Sendable {
    /// The two codes differ, or somebody stands between the two machines.
    case wrongCode
    /// A message breaks its layout, or came out of turn.
    case malformed
}
