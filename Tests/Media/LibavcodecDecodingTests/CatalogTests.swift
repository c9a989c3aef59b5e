import AudioCore
import AudioDecoding
import Glibc
import MPEGDecoding
import StreamTestKit
import Testing

@testable import AudioFileStreamServices
@testable import LibavcodecDecoding

/// Who does not need the library does not notice it.
@Suite(.timeLimit(.minutes(5)))
struct CatalogTests {
    /// A worker that cannot be started would be noticed.
    private static var catalog: DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        catalog.registerLibraryDecoders(program: WorkerProgram(path: "/nonexistent"), availability: .supported)
        return catalog
    }

    @Test func playingMP3StartsNoWorker() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -R -r 44100 -n -b 16 in.wav synth 1 sine 220 channels 2 gain -6", in: directory)
        try Tool.run("lame --quiet in.wav out.mp3", in: directory)
        let stream = parse(try Tool.readFile(directory.path + "/out.mp3"), with: AudioFileStream(), pieces: [4096])
        let decoder = try Self.catalog.makeDecoder(for: try #require(stream.format))
        #expect(try decodeAll(stream.packets, with: decoder).contains { abs($0) > 0.1 })
        #expect((decoder as? SplicingDecoder)?.base is MPEGDecoder)
    }

    @Test func aWorkerThatCannotBeStartedIsSaid() throws {
        let format = AudioStreamFormat(codec: .flac, sampleRate: 44_100, channelsPerFrame: 2)
        #expect(
            throws: AudioDecodingError.libraryFailed(
                operation: "posix_spawn", code: ENOENT, text: "no process for the decoder")
        ) { try Self.catalog.makeDecoder(for: format) }
    }

    @Test func codecsAreSaidOnlyWhereTheLibraryIs() {
        #expect(Self.catalog.codecs.isSuperset(of: [.aac, .aacHE, .aacHEv2, .alac, .flac, .vorbis, .opus, .ac3]))
        var without = DecoderCatalog.builtIn
        without.registerLibraryDecoders(availability: .missing)
        #expect(without.codecs == DecoderCatalog.builtIn.codecs)
    }

    @Test func theLibraryIsFoundWhereTheLoaderLooks() throws {
        let directory = TemporaryDirectory()
        let (path, cache) = (directory.path, directory.path + "/cache")
        func availability(_ searchPath: String = "", _ directories: [String] = []) -> CodecLibrary.Availability {
            CodecLibrary.availability(searchPath: searchPath, cache: cache, directories: directories)
        }
        func write(_ paths: String...) throws {
            try Tool.writeFile(cache, Array(("glibc-ld.so.cache1.1\0" + paths.joined(separator: "\0") + "\0more").utf8))
        }
        #expect(availability(path, [path]) == .missing)
        let file = path + "/libavcodec.so.59"
        // Named in the loader's cache, and gone.
        try write("libavcodec.so.59", file)
        #expect(availability() == .missing)
        try Tool.writeFile(file, [1])
        #expect(availability() == .supported)
        try write()
        #expect(availability() == .missing)
        #expect(availability("/nowhere:" + path) == .supported)
        #expect(availability("", [path]) == .supported)
    }

    @Test func otherVersionsOfTheLibraryAreFound() throws {
        let directory = TemporaryDirectory()
        let (path, cache) = (directory.path, directory.path + "/cache")
        func availability(_ searchPath: String = "", _ directories: [String] = []) -> CodecLibrary.Availability {
            CodecLibrary.availability(searchPath: searchPath, cache: cache, directories: directories)
        }
        let files = ["61", "58", "99.1.100", "70-old"].map { path + "/libavcodec.so." + $0 }
        for file in files { try Tool.writeFile(file, [1]) }
        #expect(availability() == .missing)
        #expect(availability("/nowhere:" + path) == .other(major: 61))
        #expect(availability("", [path]) == .other(major: 61))
        // The last one is gone.
        try Tool.writeFile(cache, Array((files + [path + "/libavcodec.so.80"]).joined(separator: "\0").utf8))
        #expect(availability() == .other(major: 61))
        try Tool.writeFile(path + "/libavcodec.so.59", [1])
        #expect(availability("", [path]) == .supported)
    }
}
