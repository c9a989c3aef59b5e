import AudioCore
import AudioDecoding
import StreamTestKit
import Testing

@testable import LibavcodecDecoding

/// Structures are believed of the versions alone that were tested.
@Suite(.timeLimit(.minutes(5)))
struct LibraryVersionTests {
    private static let remedy = "; install libavcodec 59 (on Debian 12: sudo apt install libavcodec59)"
    private static let format = AudioStreamFormat(codec: .alac, sampleRate: 44_100, channelsPerFrame: 2)

    private static func refusal(_ found: String) -> AudioDecodingError {
        .unsupportedFormat("\(found) was found, and only libavcodec 59 with libavutil 57 is supported" + remedy)
    }

    /// What becomes of a worker whose `libavcodec.so.59` tells these versions, and has nothing else.
    private static func error(codec: Int, util: Int) throws -> AudioDecodingError? {
        let directory = TemporaryDirectory()
        let source = """
            unsigned avcodec_version(void) { return \(codec) << 16 | 37 << 8 | 100; }
            unsigned avutil_version(void) { return \(util) << 16 | 28 << 8 | 100; }
            """
        try Tool.writeFile(directory.path + "/stub.c", Array(source.utf8))
        try Tool.run("clang -shared -fPIC -o libavcodec.so.59 stub.c", in: directory)
        let arguments = ["LD_LIBRARY_PATH=" + directory.path, try WorkerProgram.ofTests.path]
        let program = WorkerProgram(path: "/usr/bin/env", arguments: arguments)
        do throws(AudioDecodingError) {
            _ = try WorkerDecoder(format: format, magicCookie: [], program: program)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [(58, 56), (60, 58), (61, 59), (62, 60), (0xFFFF, 57)])
    func anotherMajorVersionIsRefused(codec: Int, util: Int) throws {
        #expect(try Self.error(codec: codec, util: util) == Self.refusal("libavcodec \(codec)"))
    }

    @Test(arguments: [56, 58]) func anotherLibavutilIsRefused(major: Int) throws {
        #expect(try Self.error(codec: 59, util: major) == Self.refusal("libavcodec 59 with libavutil \(major)"))
    }

    /// The tests above can fail: a stub of the right versions is asked for its functions, of which it has none.
    @Test func aLibraryWithoutFunctionsIsNone() throws {
        #expect(try Self.error(codec: 59, util: 57) == .unsupportedCodec(.alac))
    }

    /// Where files of other versions are all there is, no worker is started, and nobody is told that the codecs are
    /// decoded.
    @Test func aCatalogSaysWhichVersionIsThere() {
        var catalog = DecoderCatalog.builtIn
        catalog.registerLibraryDecoders(program: WorkerProgram(path: "/nonexistent"), availability: .other(major: 61))
        #expect(catalog.codecs == DecoderCatalog.builtIn.codecs)
        #expect(throws: Self.refusal("libavcodec 61")) { try catalog.makeDecoder(for: Self.format) }
        #expect(catalog.obstacle(to: .opus) == Self.refusal("libavcodec 61"))
        #expect(catalog.obstacle(to: .mpegLayer3) == .unsupportedCodec(.mpegLayer3))
        #expect(catalog.obstacle(to: .linearPCM) == nil)
        catalog.registerLibraryDecoders(availability: .supported)
        #expect(catalog.obstacle(to: .opus) == nil)
    }
}
