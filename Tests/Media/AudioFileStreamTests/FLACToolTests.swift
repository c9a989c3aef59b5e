import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files of real encoders, compared with what ffprobe and metaflac say of them.
@Suite(.timeLimit(.minutes(5)))
struct FLACToolTests {
    private static let source =
        "ffmpeg -v error -f lavfi -i 'anoisesrc=d=5:a=0.1:seed=1' -f lavfi -i 'sine=f=440:d=5' -filter_complex amix=2"

    @Test(
        arguments: [
            "flac -s -8 in.wav -o out.flac", "flac -s -0 -b 1152 in.wav -o out.flac",
            "flac -s --no-seektable --no-padding in.wav -o out.flac", "flac -s -S 1s in.wav -o out.flac",
            "flac -s --lax -b 16384 -5 in.wav -o out.flac", "flac -s - <in.wav >out.flac",
            "ffmpeg -v error -i in.wav out.flac", "ffmpeg -v error -i in.wav -ac 6 -ar 96000 -sample_fmt s32 out.flac",
            "ffmpeg -v error -i in.wav -ac 1 -ar 8000 out.flac",
        ])
    func packetsAreThoseOfFFprobe(command: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run("\(Self.source) -ac 2 -ar 44100 in.wav", in: directory)
        try Tool.run(command, in: directory)
        try Tool.run("ffprobe -v error -show_entries packet=size,duration -of csv=p=0 out.flac >packets", in: directory)
        try Tool.run("metaflac --show-total-samples out.flac >samples", in: directory)
        let bytes = try Tool.readFile(directory.path + "/out.flac")
        let lines = String(decoding: try Tool.readFile(directory.path + "/packets"), as: UTF8.self).split(
            separator: "\n")
        let probed = lines.map { $0.split(separator: ",").compactMap { Int($0) } }
        let samples = String(decoding: try Tool.readFile(directory.path + "/samples"), as: UTF8.self)
        let stream = parse(bytes)
        #expect(stream.failure == nil)
        #expect(stream.packets.map { [$0.frameCount, $0.bytes.count] } == probed)
        #expect(stream.table?.validFrameCount == Int64(stream.packets.reduce(0) { $0 + $1.frameCount }))
        if let announced = Int64(samples.prefix { $0 != "\n" }), announced > 0 {
            #expect(stream.announcedTable?.validFrameCount == announced)
            #expect(stream.table?.validFrameCount == announced)
        }
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        let file = FileReading(bytes).read(with: &parser) { $0.nextByteOffset }
        #expect(file.packetBytes == stream.packetBytes)
        #expect(file.bitRate != nil)
    }

    /// A seek gives the packet that its answer names, by seek table, by what went by, and behind an estimate some
    /// frame.
    @Test(arguments: ["-S 1s", "--no-seektable"])
    func seeksFindTheirPacket(option: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run("\(Self.source) -ac 2 -ar 44100 in.wav", in: directory)
        try Tool.run("flac -s \(option) in.wav -o out.flac", in: directory)
        let reading = FileReading(try Tool.readFile(directory.path + "/out.flac"))
        let all = parse(reading.bytes).packetBytes
        let access = ByteAccess.file(byteCount: Int64(reading.bytes.count))
        for hasScanned in [false, true] {
            for packet in [0, 1, 10, 30, Int64(all.count - 1)] {
                var parser = AudioFileStream(access: access)
                var recorder = EventRecorder()
                let part = hasScanned ? reading.bytes.count : 20_000
                try parser.parse(reading.bytes.span.bytes.extracting(0..<part), discontinuity: false, into: &recorder)
                let place = try parser.seek(toPacket: packet)
                #expect(parser.nextByteOffset == place.byteOffset)
                #expect(place.packet <= packet)
                let rest = reading.read(with: &parser) { $0.nextByteOffset }.packetBytes
                if place.isEstimate {
                    #expect(!hasScanned && option == "--no-seektable")
                    #expect(rest.first.map { all.contains($0) } ?? (packet == all.count - 1))
                } else {
                    #expect(rest == Array(all[Int(place.packet)...]))
                }
            }
        }
        var parser = AudioFileStream(access: access)
        _ = reading.read(with: &parser) { $0.nextByteOffset }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.seek(toPacket: Int64(all.count)) }
        #expect(try parser.packet(containingFrame: 4_097).packet == 1)
        #expect(try parser.firstFrame(ofPacket: 2) == 8_192)
        let place = try parser.place(ofPacket: 7)
        #expect(try parser.packet(atByteOffset: place.byteOffset) == (7, false))
        #expect(try parser.packet(atByteOffset: place.byteOffset + 1).packet == 7)
    }
}
