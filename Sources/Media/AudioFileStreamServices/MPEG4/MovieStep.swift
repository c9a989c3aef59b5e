/// What a step through an MPEG-4 file came to.
enum MovieStep: Equatable {
    /// Bytes were taken; perhaps none, but something changed.
    case took(Int)
    /// Goes on at this place in the file.
    case goTo(Int64)
    /// This many bytes must be there.
    case needsMore(Int)
}
