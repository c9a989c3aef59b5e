/// How a terminal takes pictures.
public enum GraphicsProtocol: Hashable, Sendable {
    /// The terminal graphics protocol of kitty (sw.kovidgoyal.net/kitty/graphics-protocol).
    case kitty
    /// Sixels (DEC STD 070, chapter 9).
    case sixels
}
