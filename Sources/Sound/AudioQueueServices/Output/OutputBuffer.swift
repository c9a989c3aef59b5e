import AudioCore

/// Memory for packets on their way into an ``OutputQueue``.
///
/// Made by ``OutputQueue/makeBuffer(_:)``, filled by its holder, given away with ``OutputQueue/enqueue(_:)``, and
/// returned once its last frame was heard. It has one holder at a time, on any thread; filling it allocates nothing.
public struct OutputBuffer: ~Copyable, Sendable {
    let storage: BufferStorage

    init(_ storage: BufferStorage) { self.storage = storage }

    /// The number of bytes that it can hold.
    public var byteCapacity: Int { storage.memory.count }
    /// The number of bytes that it holds.
    public var byteCount: Int { storage.byteCount }
    /// The number of appended packets; zero for bare bytes of packets of a constant size.
    public var packetCount: Int { storage.packets.count }
    public var isEmpty: Bool { storage.byteCount == 0 }

    /// Appends a whole packet.
    /// - Returns: whether there was room.
    public mutating func append(_ packet: RawSpan, frameCount: Int) -> Bool {
        guard !storage.holdsBareBytes, storage.packets.count < storage.packetCapacity,
            packet.byteCount <= byteCapacity - byteCount
        else { return false }
        storage.packets.append(
            AudioPacketDescription(startOffset: byteCount, byteCount: packet.byteCount, frameCount: frameCount))
        storage.append(packet)
        return true
    }

    /// Appends bytes of packets of a constant size, above all linear PCM. A packet may begin in one buffer and end in
    /// the next.
    /// - Returns: how many bytes were appended.
    public mutating func append(bytes: RawSpan) -> Int {
        guard storage.packets.isEmpty else { return 0 }
        let count = min(bytes.byteCount, byteCapacity - byteCount)
        guard count > 0 else { return 0 }
        storage.holdsBareBytes = true
        storage.append(bytes.extracting(first: count))
        return count
    }

    /// Removes the contents. A returned buffer is empty.
    public mutating func removeAll() { storage.removeAll() }
}

/// The memory behind a buffer.
///
/// Held by one ``OutputBuffer`` or by its queue, never by both.
final class BufferStorage {
    let memory: UnsafeMutableRawBufferPointer
    let packetCapacity: Int
    var byteCount = 0
    var packets: [AudioPacketDescription] = []
    var holdsBareBytes = false

    init(_ size: AudioBufferSize) {
        memory = .allocate(byteCount: size.byteCount, alignment: 16)
        packetCapacity = size.packetCount
        packets.reserveCapacity(size.packetCount)
    }

    deinit { memory.deallocate() }

    func withBytes<Result>(_ range: Range<Int>, _ body: (RawSpan) -> Result) -> Result {
        body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[range])))
    }

    func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(rebasing: memory[byteCount...]).copyMemory(from: source)
        }
        byteCount += bytes.byteCount
    }

    func removeAll() {
        byteCount = 0
        packets.removeAll(keepingCapacity: true)
        holdsBareBytes = false
    }
}

// One holder at a time; see above.
extension BufferStorage: @unchecked Sendable {}
