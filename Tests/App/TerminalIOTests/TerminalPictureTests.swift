import Testing

@testable import TerminalIO

/// What a viewer wrote, and what of it a terminal is given.
@Suite(.timeLimit(.minutes(5))) struct TerminalPictureTests {
    private let area = PictureArea(columns: 10, rows: 5, cell: CellSize(width: 9, height: 19))
    private let unsized = PictureArea(columns: 10, rows: 5, cell: nil)

    private func picture(
        _ output: String, _ graphicsProtocol: GraphicsProtocol, _ area: PictureArea? = nil
    ) -> TerminalPicture? {
        TerminalPicture(viewerOutput: Array(output.utf8), as: graphicsProtocol, in: area ?? self.area)
    }

    // MARK: Kitty

    @Test func kittyPicturesAreWrittenAnew() throws {
        // Chunks with a padding each, as chafa 1.12 writes them; a cursor that is hidden, and a line's end.
        let output =
            "\u{1B}[?25l\u{1B}_Ga=T,f=32,s=2,v=1,c=2,r=1,m=1\u{1B}\\\u{1B}_Gm=1;AAECAw==\u{1B}\\"
            + "\u{1B}_Gm=1;BAUGBw==\u{1B}\\\u{1B}_Gm=0\u{1B}\\\n\u{1B}[?25h"
        let picture = try #require(self.picture(output, .kitty))
        #expect(picture.columns == 1 && picture.rows == 1)
        #expect(
            picture.text == "\u{1B}_Ga=T,i=1953850473,f=32,s=2,v=1,C=1,q=2,m=0;AAECAwQFBgc=\u{1B}\\")
        let fitted = try #require(self.picture(output, .kitty, unsized))
        #expect(fitted.text.contains(",c=1,r=1,C=1,"))
    }

    @Test func longPicturesComeInChunks() throws {
        let pixels = (0..<90 * 95 * 3).map { UInt8(truncatingIfNeeded: $0) }
        let picture = try #require(
            TerminalPicture(pixels: pixels, width: 90, height: 95, bytesPerPixel: 3, in: area))
        #expect(picture.columns == 10 && picture.rows == 5)
        let chunks = picture.text.split(separator: "\u{1B}\\")
        #expect(chunks.count == 9)
        #expect(chunks.dropFirst().dropLast().allSatisfy { $0.hasPrefix("\u{1B}_Gm=1;") && $0.count == 4_096 + 7 })
        #expect(chunks.last?.hasPrefix("\u{1B}_Gm=0;") == true)
        // It is what was given: read as a viewer's.
        #expect(self.picture(picture.text, .kitty) == picture)
    }

    @Test func kittyPicturesThatAreNotWholeAreNone() {
        for output in [
            "", "\u{1B}_G", "\u{1B}_Ga=T,f=32,s=2,v=1;AAECAw==\u{1B}\\", "\u{1B}_Ga=T,f=32,s=1,v=1;AAECA\u{1B}\\",
            "\u{1B}_Ga=T,f=32,s=1,v=1;AAECAw==", "\u{1B}_Ga=T,f=100,s=1,v=1;AAECAw==\u{1B}\\",
            "\u{1B}_Ga=T,f=32,s=-1,v=-1;AAECAw==\u{1B}\\", "\u{1B}_Ga=T,f=32,s=1,v=1,o=z;AAECAw==\u{1B}\\",
            "\u{1B}_Ga=T,f=32,s=1,v=1,t=f;AAECAw==\u{1B}\\", "\u{1B}_Ga=T,f=32,s=1,v=1;AAE=Aw==\u{1B}\\",
            "\u{1B}_Ga=T,f=32,s=99999999999999999999,v=9223372036854775807;AAECAw==\u{1B}\\",
        ] {
            #expect(picture(output, .kitty) == nil, "\(output.debugDescription)")
        }
    }

    // MARK: Sixels

    @Test func sixelsAreTakenOut() throws {
        let data = "\"1;1;90;90#0;2;5;1;50#0!90~$#1!45?@-!90?-~"
        let picture = try #require(self.picture("\u{1B}[?25l\u{1B}P0;1;0q\(data)-\u{1B}\\\n", .sixels))
        #expect(picture.columns == 10 && picture.rows == 5 && picture.removal == "")
        #expect(picture.text == "\u{1B}P0;1;0q\(data)\u{1B}\\")
        #expect(self.picture("\u{1B}Pq\(data)\u{1B}\\", .sixels, unsized) == nil)
    }

    @Test func sixelsBeyondTheirSizeAreNone() {
        for data in [
            "", "~", "\"1;1;90;90", "\"1;1;2;6~~~", "\"1;1;2;6!3~", "\"1;1;2;6!99999999999999999999~", "\"1;1;2;6~-~",
            "\"1;1;2;6!", "\"1;1;2;6!2", "\"1;1;2;6\u{7}", "\"1;1;0;6~", "\"2;1;2;6~", "\"1;1;91;6~", "\"1;1;6;96~",
            "\"1;1;2;6!2;2~",
        ] {
            // One that has none at all is empty, but no fault.
            let isEmpty = data == "\"1;1;90;90"
            #expect((picture("\u{1B}P0;1;0q\(data)\u{1B}\\", .sixels) == nil) != isEmpty, "\(data.debugDescription)")
        }
        #expect(picture("\u{1B}P0;1;0q\"1;1;2;6~", .sixels) == nil)
        #expect(picture("\u{1B}P0;1;0q\"1;1;2;6~\u{1B}[2J\u{1B}\\", .sixels) == nil)
        #expect(picture("\u{1B}P+q544e\u{1B}\\", .sixels) == nil)
    }

    // MARK: Sizes

    @Test func aPictureHasRoomInPixels() {
        #expect(area.pixelWidth == 90 && area.pixelHeight == 95)
        #expect(unsized.pixelWidth == 100 && unsized.pixelHeight == 100)
        #expect(PictureArea(columns: .max, rows: .max, cell: CellSize(width: 1_000, height: 1_000)).pixelWidth == 480)
        #expect(PictureArea(columns: -1, rows: 0, cell: nil).pixelWidth == 0)
        #expect(TerminalPicture(pixels: [], width: 0, height: 0, bytesPerPixel: 4, in: area) == nil)
        #expect(
            TerminalPicture(
                pixels: [0, 0, 0], width: 1, height: 1, bytesPerPixel: 3,
                in: PictureArea(columns: 0, rows: 0, cell: nil)) == nil)
        #expect(CellSize(width: 0, height: 20) == nil && CellSize(width: 10, height: .max) == nil)
    }

    // MARK: Base64

    /// RFC 4648, section 10.
    @Test func base64IsThatOfItsDefinition() {
        for (bytes, text) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(String(decoding: Base64.encode(Array(bytes.utf8)), as: UTF8.self) == text)
            var decoded: [UInt8] = []
            #expect(Base64.decode(Array(text.utf8), into: &decoded) && decoded == Array(bytes.utf8))
        }
        for text in ["Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm9-", "Zg=a"] {
            var decoded: [UInt8] = []
            #expect(!Base64.decode(Array(text.utf8), into: &decoded), "\(text)")
        }
    }
}
