import TerminalIO
import Testing

@testable import tutti

/// Pictures of songs, shown by the viewer that is installed.
@Suite(.enabled(if: PictureRenderer() != nil), .timeLimit(.minutes(5))) struct PictureRendererTests {
    private let renderer: PictureRenderer
    private let area = PictureArea(columns: 10, rows: 5, cell: CellSize(width: 9, height: 19))
    /// 2 x 2 pixels: red and green, blue and white.
    private let png: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
        0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0xFD, 0xD4, 0x9A,
        0x73, 0x00, 0x00, 0x00, 0x12, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0xC0,
        0x00, 0xC2, 0x0C, 0xFF, 0x81, 0x00, 0x00, 0x1F, 0xEE, 0x05, 0xFB, 0x0B, 0xD9, 0x68, 0x8B, 0x00,
        0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    init() throws { renderer = try #require(PictureRenderer()) }

    private func picture(
        _ bytes: [UInt8], _ graphicsProtocol: GraphicsProtocol = .kitty, _ area: PictureArea? = nil
    ) -> TerminalPicture? {
        renderer.picture(
            PictureRequest(bytes: bytes, area: area ?? self.area, graphicsProtocol: graphicsProtocol))
    }

    /// As large as there is room, in its own shape.
    @Test func picturesAreShownInBothProtocols() throws {
        for graphicsProtocol in [GraphicsProtocol.kitty, .sixels] {
            let picture = try #require(self.picture(png, graphicsProtocol))
            #expect((9...10).contains(picture.columns) && picture.rows == 5)
        }
        #expect(try #require(picture(png, .kitty, PictureArea(columns: 10, rows: 5, cell: nil))).columns <= 10)
        #expect(picture(png, .sixels, PictureArea(columns: 10, rows: 5, cell: nil)) == nil)
    }

    @Test func gifsAreShownAsOnePicture() {
        // One pixel.
        let gif: [UInt8] = [
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 0x01, 0x00, 0x01, 0x00, 0x80, 0x00, 0x00, 0xFF, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x2C, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x02, 0x02, 0x44, 0x01, 0x00, 0x3B,
        ]
        #expect(picture(gif) != nil)
    }

    @Test func whatIsNoPictureIsNotShown() {
        #expect(picture([]) == nil)
        #expect(picture(Array(png.prefix(40))) == nil)
        #expect(picture(Array("<svg xmlns='http://www.w3.org/2000/svg'><image href='/etc/passwd'/></svg>".utf8)) == nil)
        #expect(picture(png + [UInt8](repeating: 0, count: PictureRenderer.byteLimit)) == nil)
        #expect(picture(png, .kitty, PictureArea(columns: 0, rows: 0, cell: nil)) == nil)
    }

    /// 2.7 GB of pixels, as the header has it; the viewer may have 512 MB.
    @Test func aBombIsNotShown() {
        var bomb = png
        // Width and height, and the chunk's sum (CRC-32) with them.
        bomb.replaceSubrange(16..<24, with: [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30])
        bomb.replaceSubrange(29..<33, with: [0xE9, 0x45, 0x6F, 0xED])
        #expect(picture(bomb) == nil)
    }

    @Test func nothingIsShownOnceCancelled() {
        renderer.cancel()
        #expect(picture(png) == nil)
    }

    @Test func theThreadRendersTheLastRequest() async throws {
        let (shown, continuation) = AsyncStream<TerminalPicture?>.makeStream()
        let thread = try PictureThread(renderer) { picture, _ in continuation.yield(picture) }
        let running = try thread.start()
        let last = PictureRequest(bytes: png, area: area, graphicsProtocol: .sixels)
        let numbers = [PictureRequest(bytes: png, area: area, graphicsProtocol: .kitty), nil, last].map {
            thread.request($0)
        }
        #expect(Set(numbers).count == 3)
        let again = try #require(renderer.picture(last))
        // The first one may have been rendered before the others came.
        for await picture in shown where picture == again { break }
        thread.stop()
        running.join()
        #expect(renderer.picture(last) == nil)
    }
}
