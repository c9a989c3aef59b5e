/// The result of a step through an MPEG-4 file.
enum MovieProgress: Equatable {
    /// Consumed this many bytes; perhaps none, but something changed.
    case took(Int)
    /// Continue at this offset in the file.
    case goTo(Int64)
    /// This many bytes are needed.
    case needsMore(Int)
}
