import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files of real encoders, compared with what ffprobe says of their packets, ogginfo and opusinfo of their lengths, and
/// with the sound that was encoded: five seconds, to the frame.
@Suite(.timeLimit(.minutes(5)))
struct OggToolTests {
    private static let source =
        "ffmpeg -v error -f lavfi -i 'anoisesrc=d=5:a=0.1:seed=1' -f lavfi -i 'sine=f=440:d=5' -filter_complex amix=2"

    @Test(
        arguments: [
            ("oggenc -Q -q 4 in.wav -o out.ogg", "ogginfo"),
            ("oggenc -Q -q 10 --comment=TITLE=T in.wav -o out.ogg", "ogginfo"),
            ("ffmpeg -v error -i in.wav -c:a libvorbis -q:a 3 out.ogg", "ogginfo"),
            ("ffmpeg -v error -i in.wav -ac 6 -c:a libvorbis out.ogg", "ogginfo"),
            ("ffmpeg -v error -i in.wav -ac 1 -ar 8000 -c:a libvorbis out.ogg", "ogginfo"),
            ("opusenc --quiet in.wav out.ogg", "opusinfo"),
            ("opusenc --quiet --framesize 2.5 --bitrate 256 in.wav out.ogg", "opusinfo"),
            ("opusenc --quiet --framesize 60 --bitrate 16 in.wav out.ogg", "opusinfo"),
            ("ffmpeg -v error -i in.wav -c:a libopus out.ogg", "opusinfo"),
            ("ffmpeg -v error -i in.wav -ac 6 -c:a libopus -mapping_family 1 out.ogg", "opusinfo"),
            ("flac -s --ogg in.wav -o out.ogg", "flac"), ("ffmpeg -v error -i in.wav -c:a flac out.ogg", "flac"),
        ])
    func packetsAndLengthAreThoseOfTheTools(command: String, tool: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run("\(Self.source) -ac 2 -ar 44100 in.wav", in: directory)
        try Tool.run(command, in: directory)
        try Tool.run("ffprobe -v error -show_entries packet=size -of default=nw=1:nk=1 out.ogg >packets", in: directory)
        func text(_ name: String) throws -> String {
            String(decoding: try Tool.readFile(directory.path + "/" + name), as: UTF8.self)
        }
        let probed = try text("packets").split(separator: "\n").compactMap { Int($0) }
        let bytes = try Tool.readFile(directory.path + "/out.ogg")
        let stream = parse(bytes)
        let file = OggTests.parseFile(bytes)
        #expect(stream.failure == nil)
        #expect(stream.packets.map(\.bytes.count) == probed)
        #expect(file.packetBytes == stream.packetBytes)
        #expect(file.packets.map(\.frameCount) == stream.packets.map(\.frameCount))
        let rate = try #require(stream.format?.sampleRate)
        let table = try #require(file.announcedTable)
        #expect(table.validFrameCount == Int64(5 * rate))
        #expect(file.table == table)
        #expect(stream.table == table)
        let decoded = stream.packets.reduce(0) { $0 + $1.frameCount }
        #expect(decoded == 5 * Int(rate) + table.primingFrameCount + table.remainderFrameCount)
        #expect(!stream.properties.contains { if case .problem = $0 { true } else { false } })
        guard tool != "flac" else { return }
        try Tool.run("\(tool) out.ogg >info", in: directory)
        #expect(try text("info").contains("Playback length: 0m:05.000s"))
    }

    /// What comes behind a place of a song, cut out of it, starts later and lasts as long as ffprobe says.
    @Test func cutOutOfALongerStream() throws {
        let directory = TemporaryDirectory()
        try Tool.run("\(Self.source) -ac 2 -ar 44100 in.wav", in: directory)
        try Tool.run("oggenc -Q in.wav -o whole.ogg", in: directory)
        try Tool.run("ffmpeg -v error -ss 2 -i whole.ogg -c copy out.ogg", in: directory)
        try Tool.run(
            "ffprobe -v error -show_entries stream=duration_ts -of default=nw=1:nk=1 out.ogg >length", in: directory)
        let probed = String(decoding: try Tool.readFile(directory.path + "/length"), as: UTF8.self)
        let stream = OggTests.parseFile(try Tool.readFile(directory.path + "/out.ogg"))
        #expect(stream.announcedTable?.validFrameCount == Int64(probed.prefix { $0 != "\n" }))
        #expect(stream.announcedTable == stream.table)
    }
}
