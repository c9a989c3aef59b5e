import ALSADevices
import AudioFileStreamServices
import AudioQueueServices
import Foundation
import MPEGDecoding

/// Packets between the parser, which gives many at once, and buffers, which take as many as they have room for.
struct PacketList: AudioStreamSink {
    var packets: [(bytes: [UInt8], frameCount: Int)] = []
    var summary = AudioStreamSummary()

    mutating func streamDidParse(property: AudioStreamProperty) { summary.note(property) }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            let packet = packets[index]
            let bytes = data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
            self.packets.append((bytes.withUnsafeBytes { [UInt8]($0) }, packet.frameCount))
        }
    }
}

func play(_ path: String) throws {
    // The song's format, and its packets.
    let file = try Data(contentsOf: URL(fileURLWithPath: path))
    var parser = AudioFileStream()
    var list = PacketList()
    try parser.parse(file.bytes, discontinuity: false, into: &list)
    try parser.finish(into: &list)
    guard let format = list.summary.format else { return }

    // A queue, and three buffers of half a second.
    let wake = try WakeSignal()
    let free = OutputBufferPool(wake: wake)
    var decoders = DecoderCatalog.builtIn
    decoders.registerMPEG()
    let queue = try OutputQueue(
        format, magicCookie: list.summary.magicCookie, packetTable: list.summary.packetTable,
        output: try ALSAOutput(), decoders: decoders, bufferHeard: { free.put($0) })
    let largest = list.packets.map(\.bytes.count).max() ?? 0
    let size = AudioBufferSize(format: format, packetSizeUpperBound: largest, duration: .milliseconds(500))
    for _ in 0..<3 { free.put(queue.makeBuffer(AudioBufferSize(byteCount: size.byteCount, packetCount: 512))) }

    // What the callback of the guide does.
    var next = 0
    while next < list.packets.count {
        guard var buffer = free.take() else {
            if !queue.isRunning { queue.start() }
            wake.wait(atMost: .seconds(1))
            continue
        }
        while next < list.packets.count {
            let (bytes, frameCount) = list.packets[next]
            guard buffer.append(bytes.span.bytes, frameCount: frameCount) else { break }
            next += 1
        }
        queue.enqueue(buffer)
    }
    queue.stop(immediately: false)
    if !queue.isRunning { queue.start() }
    while queue.isRunning { wake.wait(atMost: .milliseconds(100)) }
}

try play(CommandLine.arguments[1])
