/// The few characters beyond ASCII that the display uses, and their replacements where they cannot be shown.
struct Glyphs: Hashable, Sendable {
    var plusMinus: String
    var microseconds: String
    var barDone: Character
    var barLeft: Character

    static let unicode = Glyphs(plusMinus: "±", microseconds: "µs", barDone: "━", barLeft: "─")
    static let ascii = Glyphs(plusMinus: "+/-", microseconds: "us", barDone: "#", barLeft: ".")
}
