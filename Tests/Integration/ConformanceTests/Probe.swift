import AudioCore

/// What ffprobe says of a song.
struct Probe {
    struct Packet: Equatable {
        var byteCount: Int
        /// In frames; nil where it does not say, or not in whole frames.
        var frameCount: Int64?
        /// Of its bytes, with ``adler32(_:)``.
        var digest: UInt32
        /// Offset in the file.
        var offset: Int?
    }

    var codec = ""
    var sampleRate = 0
    var channels = 0
    var packets: [Packet] = []

    init(_ song: Song) throws {
        let entries =
            "stream=codec_name,profile,sample_rate,channels,time_base:packet=size,pos,duration,data_hash"
        let command =
            "ffprobe -v error -select_streams a:0 -show_data_hash adler32 -show_entries \(entries) -of compact"
        let text = String(decoding: try output(of: "\(command) \(quoted(song.path))"), as: UTF8.self)
        var ticks: [Int64?] = []
        var ticksPerSecond: Int64 = 1
        for line in text.split(separator: "\n") {
            let fields = Self.fields(line)
            if line.hasPrefix("stream") {
                codec = Self.layered[fields["profile"] ?? ""] ?? fields["codec_name"].map(String.init) ?? ""
                sampleRate = fields["sample_rate"].flatMap { Int($0) } ?? 0
                channels = fields["channels"].flatMap { Int($0) } ?? 0
                ticksPerSecond = fields["time_base"]?.split(separator: "/").last.flatMap { Int64($0) } ?? 1
            } else if let size = fields["size"].flatMap({ Int($0) }) {
                packets.append(Packet(byteCount: size, digest: 0, offset: fields["pos"].flatMap { Int($0) }))
                ticks.append(fields["duration"].flatMap { Int64($0) })
            }
            // On the packet's line, or on one of its own after side data.
            if let hash = fields["data_hash"]?.split(separator: ":").last, !packets.isEmpty {
                packets[packets.count - 1].digest = UInt32(hash, radix: 16) ?? 0
            }
        }
        for index in packets.indices {
            guard let count = ticks[index] else { continue }
            let (frames, rest) = (count * Int64(sampleRate)).quotientAndRemainder(dividingBy: ticksPerSecond)
            packets[index].frameCount = rest == 0 ? frames : nil
        }
    }

    private static let layered: [Substring: String] = ["HE-AAC": "he_aac", "HE-AACv2": "he_aac_v2"]

    private static func fields(_ line: Substring) -> [Substring: Substring] {
        line.split(separator: "|").reduce(into: [:]) { fields, text in
            let parts = text.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
    }
}

/// RFC 1950 section 8.2.
func adler32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
        low = (low + UInt32(byte)) % 65_521
        high = (high + low) % 65_521
    }
    return high << 16 | low
}
