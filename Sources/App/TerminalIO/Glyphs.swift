/// The few characters beyond ASCII that the display uses, and their replacements where they cannot be shown.
public struct Glyphs: Hashable, Sendable {
    public var plusMinus: String
    public var microseconds: String
    public var barDone: Character
    public var barLeft: Character
    /// Bars of 1 to 8 eighths of a row; empty where they cannot be shown.
    public var heights: [Character]

    public static let unicode = Glyphs(
        plusMinus: "±", microseconds: "µs", barDone: "━", barLeft: "─", heights: Array("▁▂▃▄▅▆▇█"))
    public static let ascii = Glyphs(plusMinus: "+/-", microseconds: "us", barDone: "#", barLeft: ".", heights: [])
}
