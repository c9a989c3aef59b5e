/// What is wrong with the records of a channel. After any of these it is useless.
public enum RecordError: Error, Hashable, Sendable {
    /// No record has this length.
    case badLength(Int)
    /// Something was changed, repeated, left out or put into another order on the way.
    case notAuthentic
    /// The connection ended within a record.
    case truncated
}
