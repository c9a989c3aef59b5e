import Testing

@testable import TerminalIO

/// What is written to a terminal to show a picture beside lines.
@Suite(.timeLimit(.minutes(5))) struct FullScreenPictureTests {
    private let lines = ["one", "two two two", "three", "four"].map { StyledLine($0) }
    private let width = 12
    /// Four columns and two rows each.
    private let kitty: TerminalPicture
    private let sixels: TerminalPicture

    init() throws {
        let area = PictureArea(columns: 4, rows: 2, cell: CellSize(width: 1, height: 2))
        kitty = try #require(
            TerminalPicture(
                pixels: [UInt8](repeating: 0, count: 48), width: 4, height: 4, bytesPerPixel: 3, in: area))
        let data = try #require(SixelData("\"1;1;4;4#0~~~~".utf8))
        sixels = try #require(TerminalPicture(data, in: area))
    }

    private var both: [TerminalPicture] { [kitty, sixels] }

    private func update(_ text: String) -> String { "\u{1B}[?2026h\(text)\u{1B}[?2026l" }

    private func shown(_ picture: TerminalPicture, row: Int, column: Int) -> String {
        "\u{1B}7\u{1B}[\(row);\(column)H\(picture.text)\u{1B}8"
    }

    @Test func aPictureIsWrittenBehindTheLinesOnce() {
        for picture in both {
            var screen = FullScreen(isColoured: true)
            screen.place(picture, row: 0, column: 8)
            let text = screen.draw(lines, width: width)
            #expect(
                text
                    == update(
                        "\u{1B}[2J\u{1B}[1;1Hone\u{1B}[K\u{1B}[2;1Htwo two…\u{1B}[K\u{1B}[3;1Hthree\u{1B}[K"
                            + "\u{1B}[4;1Hfour\u{1B}[K" + shown(picture, row: 1, column: 9)))
            #expect(screen.draw(lines, width: width) == "")
            screen.place(picture, row: 0, column: 8)
            #expect(screen.draw(lines, width: width) == "")
        }
    }

    /// Neither text nor erasing touches its cells.
    @Test func linesBesideAPictureEndBeforeIt() {
        for picture in both {
            var screen = FullScreen(isColoured: true)
            screen.place(picture, row: 0, column: 8)
            _ = screen.draw(lines, width: width)
            var changed = lines
            changed[0] = StyledLine("another title")
            changed[1] = StyledLine("2", .strong)
            changed[2] = StyledLine("3")
            #expect(
                screen.draw(changed, width: width)
                    == update(
                        "\u{1B}[1;1Hanother…\u{1B}[2;1H\u{1B}[1m2\u{1B}[0m       \u{1B}[3;1H3\u{1B}[K"))
        }
    }

    @Test func behindAPictureTheLineIsErased() {
        var screen = FullScreen(isColoured: true)
        screen.place(sixels, row: 0, column: 4)
        _ = screen.draw(lines, width: width)
        var changed = lines
        changed[0] = StyledLine("1")
        #expect(screen.draw(changed, width: width) == update("\u{1B}[1;1H1   \u{1B}[1;9H\u{1B}[K"))
    }

    @Test func aPictureThatGoesLeavesTheLinesWhole() {
        for (picture, removal) in [(kitty, kitty.removal), (sixels, "")] {
            var screen = FullScreen(isColoured: true)
            screen.place(picture, row: 0, column: 8)
            _ = screen.draw(lines, width: width)
            screen.place(nil)
            #expect(
                screen.draw(lines, width: width)
                    == update("\(removal)\u{1B}[1;1Hone\u{1B}[K\u{1B}[2;1Htwo two two\u{1B}[K"))
            #expect(screen.draw(lines, width: width) == "" && screen.farewell == "")
        }
        #expect(kitty.removal.hasPrefix("\u{1B}_Ga=d,d=I,i=") && kitty.removal.hasSuffix(",q=2\u{1B}\\"))
    }

    /// What was under the new place is erased, what was beside the old one comes back.
    @Test func aPictureMoves() {
        for (picture, removal) in [(kitty, kitty.removal), (sixels, "")] {
            var screen = FullScreen(isColoured: true)
            screen.place(picture, row: 0, column: 8)
            _ = screen.draw(lines, width: width)
            screen.place(picture, row: 1, column: 3)
            #expect(
                screen.draw(lines, width: width)
                    == update(
                        removal + "\u{1B}[1;1Hone\u{1B}[K\u{1B}[2;1Htw…\u{1B}[K\u{1B}[3;1Hth…\u{1B}[K"
                            + shown(picture, row: 2, column: 4)))
        }
    }

    @Test func aPictureTakesThePlaceOfAnother() {
        var screen = FullScreen(isColoured: true)
        screen.place(kitty, row: 0, column: 8)
        _ = screen.draw(lines, width: width)
        screen.place(sixels, row: 0, column: 8)
        #expect(
            screen.draw(lines, width: width)
                == update(
                    kitty.removal + "\u{1B}[1;1Hone\u{1B}[K\u{1B}[2;1Htwo two…\u{1B}[K"
                        + shown(sixels, row: 1, column: 9)))
    }

    @Test func whatTheScreenLostIsShownAnew() {
        for (picture, removal) in [(kitty, kitty.removal), (sixels, "")] {
            var screen = FullScreen(isColoured: true)
            screen.place(picture, row: 0, column: 8)
            let first = screen.draw(lines, width: width)
            screen.forget()
            #expect(
                screen.draw(lines, width: width)
                    == first.replacing("\u{1B}[?2026h", with: "\u{1B}[?2026h\(removal)", maxReplacements: 1))
            let fewer = screen.draw(Array(lines.prefix(3)), width: width)
            #expect(fewer.contains("\(removal)\u{1B}[2J") && fewer.contains(shown(picture, row: 1, column: 9)))
        }
    }

    /// It would scroll the screen, or be cut.
    @Test func aPictureWithoutRoomIsNotShown() {
        for (row, column) in [(0, 9), (2, 8), (3, 0), (.max, 0), (0, .max)] {
            var screen = FullScreen(isColoured: true)
            screen.place(sixels, row: row, column: column)
            #expect(!screen.draw(lines, width: width).contains("\u{1B}P"))
            #expect(screen.draw(lines + lines, width: 13).contains("\u{1B}P") == (row < 4 && column < 10))
        }
    }
}
