import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5))) struct PictureFormatTests {
    private static let starts: [(PictureFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        (.webp, Array("RIFF".utf8) + [1, 2, 3, 4] + Array("WEBP".utf8)), (.gif, Array("GIF87a".utf8)),
        (.gif, Array("GIF89a".utf8)),
    ]

    @Test func theFirstBytesTell() {
        for (format, start) in Self.starts {
            #expect(PictureFormat(start + [0, 1, 2]) == format)
            #expect(PictureFormat(start) == format)
            #expect(PictureFormat(start.prefix(3 + start.count % 2).dropLast(2)) == nil)
        }
        #expect(PictureFormat([]) == nil)
    }

    @Test func whatIsNoPictureHasNoFormat() {
        for text in ["BM", "GIF88a", "<svg", "RIFF1234WAVE", "\u{89}PNG", "%PDF-1.7", "II*\u{0}"] {
            #expect(PictureFormat(Array(text.utf8)) == nil, "\(text)")
        }
        #expect(PictureFormat([0xFF, 0xD8]) == nil)
    }

    @Test func mediaTypes() {
        #expect(PictureFormat.allCases.map(\.mediaType) == ["image/jpeg", "image/png", "image/webp", "image/gif"])
    }
}
