import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Packets of files that others made, beside those that ffprobe finds.
@Suite(.timeLimit(.minutes(5)))
struct PacketBoundaryTests {
    @Test(arguments: [
        ("a.aac", "-ac 2 -ar 44100 -c:a aac -b:a 128k"), ("b.aac", "-ac 1 -ar 22050 -c:a aac -b:a 32k"),
        ("c.aac", "-ac 6 -ar 48000 -c:a aac -b:a 384k"), ("d.ac3", "-ac 6 -ar 48000 -c:a ac3 -b:a 448k"),
        ("e.ac3", "-ac 2 -ar 44100 -c:a ac3 -b:a 160k"), ("f.ac3", "-ac 1 -ar 32000 -c:a ac3 -b:a 64k"),
        ("g.mp2", "-ac 2 -ar 48000 -c:a mp2 -b:a 192k"), ("h.mp2", "-ac 1 -ar 22050 -c:a mp2 -b:a 64k"),
        ("i.mp3", "-ac 2 -ar 44100 -c:a libmp3lame -b:a 128k"), ("j.mp3", "-ac 2 -ar 48000 -c:a libmp3lame -q:a 4"),
        ("k.mp3", "-ac 1 -ar 11025 -c:a libmp3lame -b:a 24k"), ("l.mp3", "-ac 2 -ar 24000 -c:a libmp3lame -q:a 2"),
    ])
    func areThoseOfFFprobe(name: String, options: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "ffmpeg -v error -f lavfi -i 'aevalsrc=sin(880*t)*random(0)*0.3:s=48000:d=7' "
                + "-metadata title=Title \(options) \(name)", in: directory)
        let probe = try FFprobe.packets(name, in: directory)
        let bytes = try Tool.readFile(directory.path + "/" + name)
        let stream = parse(bytes)
        // ffprobe's ADTS packets have their headers.
        let header = name.hasSuffix("aac") ? 7 : 0
        #expect(stream.failure == nil)
        #expect(stream.packetBytes.map { $0.count + header } == probe.map(\.byteCount))
        #expect(
            zip(stream.packetBytes, probe).allSatisfy {
                $0.elementsEqual(bytes[$1.offset..<$1.offset + $1.byteCount].dropFirst(header))
            })
        #expect(stream.table?.validFrameCount != nil)
    }

    @Test(arguments: ["n.amr", "w.amr"])
    func ofAMRToo(name: String) throws {
        let directory = TemporaryDirectory()
        let frames: [[UInt8]]
        if name == "n.amr" {
            frames = AMRWriter.narrowbandFrames(100)
            try Tool.writeFile(directory.path + "/" + name, AMRWriter.narrowbandMagic + frames.flatMap { $0 })
        } else {
            frames = (0..<100).map { AMRWriter.frame(type: 8, byteCount: 61, seed: $0) }
            try Tool.writeFile(directory.path + "/" + name, AMRWriter.widebandMagic + frames.flatMap { $0 })
        }
        let probe = try FFprobe.packets(name, in: directory)
        #expect(probe.map(\.byteCount) == frames.map(\.count))
        #expect(parse(try Tool.readFile(directory.path + "/" + name)).packetBytes == frames)
    }
}
