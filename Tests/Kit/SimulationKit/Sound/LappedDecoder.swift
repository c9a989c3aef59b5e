import AudioCore
import AudioDecoding

// A codec for simulations, with what makes real ones hard to begin in the middle of: as in an overlapped transform,
// each packet carries half of each of its frames, and the packet before it the other half. So the first packet after a
// reset comes out wrong (at half its level), and a song begins with a packet of priming. A packet also depends on its
// place in the stream, which a reset must state: its samples are turned around where the packet's number is odd.

/// Decodes a lapped ``VirtualSong``.
final class LappedDecoder: AudioPacketDecoder {
    static let codec = Codec("lapd")
    static let prerollPacketCount = 1

    let sampleRate = VirtualSong.sampleRate
    let channelCount = 1
    private(set) var damagedPacketCount = 0
    /// Halves of the next packet's frames.
    private var overlap = [Float](repeating: 0, count: VirtualSong.packetFrameCount)
    private var packetNumber: Int64 = 0
    private let pcm: PCMDecoder

    init() throws(AudioDecodingError) {
        pcm = try PCMDecoder(
            format: .linearPCM(
                sampleRate: VirtualSong.sampleRate, channels: 1, bitsPerChannel: 32, bytesPerSample: 4,
                layout: [.float]))
    }

    func decode(
        packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
    ) throws(AudioDecodingError) {
        let count = VirtualSong.packetFrameCount
        guard packet.byteCount == count * 8, frameCount == count else {
            throw .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
        }
        let sign: Float = packetNumber % 2 == 0 ? 1 : -1
        packetNumber += 1
        try pcm.decode(packet: packet.extracting(first: count * 4), frameCount: count, into: &output)
        for index in 0..<count { output[index] = sign * output[index] + overlap[index] }
        var halves = [Float](repeating: 0, count: count)
        var next = halves.mutableSpan
        try pcm.decode(packet: packet.extracting(last: count * 4), frameCount: count, into: &next)
        for index in 0..<count { overlap[index] = sign * halves[index] }
    }

    func reset(streamFrame: Int64) {
        for index in overlap.indices { overlap[index] = 0 }
        packetNumber = streamFrame / Int64(VirtualSong.packetFrameCount)
    }
}

extension DecoderCatalog {
    /// What simulated machines decode.
    static var simulated: DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.register(LappedDecoder.codec) { (_, _) throws(AudioDecodingError) in try LappedDecoder() }
        return catalog
    }
}
