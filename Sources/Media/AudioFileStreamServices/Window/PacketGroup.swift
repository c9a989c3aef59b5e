import AudioCore

/// Neighbouring packets of one window, delivered to the sink in one call. Reuses its storage: no allocation in steady
/// state.
struct PacketGroup {
    /// Bytes that may lie between two packets of a group: frame headers that are not delivered.
    private static let headerByteCount = 64

    private var descriptions: [AudioPacketDescription] = []
    private var start = 0
    private var end = 0

    init() { descriptions.reserveCapacity(AudioFileStreamLimits.groupPacketCount) }

    /// Adds the packet at `offset` of `window`; delivers the group first if the packet cannot be part of it.
    mutating func add<Sink: AudioStreamSink & ~Copyable>(
        at offset: Int, byteCount: Int, frameCount: Int, window: RawSpan, into sink: inout Sink
    ) {
        let isNear = offset >= end && offset - end <= Self.headerByteCount
        if !isNear || descriptions.count == AudioFileStreamLimits.groupPacketCount {
            flush(window: window, into: &sink)
        }
        if descriptions.isEmpty { start = offset }
        descriptions.append(
            AudioPacketDescription(startOffset: offset - start, byteCount: byteCount, frameCount: frameCount))
        end = offset + byteCount
    }

    /// Delivers the packets added. Must be called before the window changes, and before a property is reported.
    mutating func flush<Sink: AudioStreamSink & ~Copyable>(window: RawSpan, into sink: inout Sink) {
        guard !descriptions.isEmpty else { return }
        sink.streamDidParse(packets: descriptions.span, data: window.extracting(start..<end))
        descriptions.removeAll(keepingCapacity: true)
    }
}
