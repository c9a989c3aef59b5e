import AudioCore
import AudioFileStreamServices
import StreamTestKit

/// A file in fragments, and where they begin: what a seek with an index must find.
struct IndexedFragments {
    var file: [UInt8]
    /// Where each fragment begins.
    var starts: [Int] = []
    var packets: [[UInt8]]

    init(_ writer: MPEG4Writer, packetsPerFragment: Int) {
        self.init(writer.fragmented(packetsPerFragment: packetsPerFragment), packets: writer.packets)
    }

    init(_ file: [UInt8], packets: [[UInt8]]) {
        self.file = file
        self.packets = packets
        var place = 0
        while place < file.count {
            if Array(file[place + 4..<place + 8]) == Array("moof".utf8) { starts.append(place) }
            place += file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// With further bytes there.
    func with(_ bytes: [UInt8], at place: Int) -> IndexedFragments {
        var changed = self
        changed.file.insert(contentsOf: bytes, at: place)
        changed.starts = starts.map { $0 < place ? $0 : $0 + bytes.count }
        return changed
    }

    /// A parser that has gone through two fragments.
    func open() throws -> AudioFileStream {
        var parser = AudioFileStream(access: .file(byteCount: Int64(file.count)))
        var recorder = EventRecorder()
        // What is brought from the end of the file lies behind, too.
        var isThere = false
        while !isThere, parser.nextByteOffset < file.count {
            let start = Int(parser.nextByteOffset)
            let stop = min(start < starts[2] ? starts[2] : file.count, start + 50)
            try parser.parse(file.span.bytes.extracting(start..<stop), discontinuity: false, into: &recorder)
            isThere = stop == starts[2] && parser.nextByteOffset == stop
        }
        return parser
    }

    func rest(of parser: inout AudioFileStream) throws -> [[UInt8]] {
        var recorder = EventRecorder()
        try parser.bring(file, upTo: file.count, pieces: 300, into: &recorder)
        return ParsedStream(events: recorder.events).packetBytes
    }
}
