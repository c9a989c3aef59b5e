import AudioCore
import Cryptography
import NIOCore
import SecureChannel

/// One end of a connection whose sides show their keys and introduce themselves before they say anything else: as many
/// messages each way as the real handshake has, and no secret.
///
///     dials ── key ──────────────────────▶ accepts
///     dials ◀────────────────────── key ── accepts
///     dials ── introduction, messages ───▶ accepts
///     dials ◀─── introduction, messages ── accepts
///
/// What is written before waits. Nobody can show a key that it does not have: nobody here tries.
final class VirtualChannel {
    private let endpoint: StreamEndpoint
    private let isDialer: Bool
    private let key: PeerKey
    /// Gives the own introduction to whoever has shown a key.
    private let introduce: (PeerKey, ChannelBinding) -> [UInt8]
    /// Takes the other side's.
    private let introduced: (PeerKey, [UInt8]) -> Void

    private var remoteKey: PeerKey?
    private var isIntroduced = false
    private var inbox = ByteBuffer()
    private var hasIntroduced = false
    private var waiting: [ByteBuffer] = []
    private var isClosing = false
    /// Bytes of the handshake that the kernel has not taken.
    private var handshakeByteCount = 0

    /// What was written before the handshake's end is sent if that comes within this time of the end of the connection.
    private static let closingTime = TimeSpan.seconds(1)

    init(
        _ endpoint: StreamEndpoint, isDialer: Bool, key: PeerKey,
        introduce: @escaping (PeerKey, ChannelBinding) -> [UInt8],
        introduced: @escaping (PeerKey, [UInt8]) -> Void
    ) {
        self.endpoint = endpoint
        self.isDialer = isDialer
        self.key = key
        self.introduce = introduce
        self.introduced = introduced
    }

    func start() { if isDialer { send(key.bytes.bytes) } }

    /// Takes what came.
    /// - Returns: what of it follows the introduction.
    func receive(_ bytes: ByteBuffer) -> ByteBuffer? {
        guard !isIntroduced else { return bytes }
        inbox.writeImmutableBuffer(bytes)
        while !isIntroduced, let part = inbox.readLengthPrefixedSlice(as: UInt16.self) {
            take(Array(part.readableBytesView))
        }
        guard isIntroduced, inbox.readableBytes > 0 else { return nil }
        defer { inbox.clear() }
        return inbox
    }

    private func take(_ bytes: [UInt8]) {
        guard let remoteKey else { return takeKey(bytes) }
        isIntroduced = true
        if !isDialer { showIntroduction(to: remoteKey) }
        introduced(remoteKey, bytes)
    }

    private func takeKey(_ bytes: [UInt8]) {
        guard let remoteKey = Bytes32(bytes).map({ PeerKey($0) }) else { return endpoint.reset() }
        self.remoteKey = remoteKey
        if isDialer { showIntroduction(to: remoteKey) } else { send(key.bytes.bytes) }
    }

    private func showIntroduction(to remoteKey: PeerKey) {
        let binding = ChannelBinding(Bytes32 { $0.storeBytes(of: self.endpoint.number, as: UInt64.self) })
        send(introduce(remoteKey, binding))
        hasIntroduced = true
        for bytes in waiting { endpoint.write(bytes) }
        waiting = []
        if isClosing { endpoint.close() }
    }

    private func send(_ bytes: [UInt8]) {
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt16(bytes.count))
        buffer.writeBytes(bytes)
        handshakeByteCount += buffer.readableBytes
        endpoint.write(buffer)
    }

    func write(_ bytes: ByteBuffer) {
        if hasIntroduced { endpoint.write(bytes) } else { waiting.append(bytes) }
    }

    /// Returns how many of the bytes that the kernel took are not the handshake's.
    func wrote(_ byteCount: Int) -> Int {
        let own = min(byteCount, handshakeByteCount)
        handshakeByteCount -= own
        return byteCount - own
    }

    func close() {
        guard !hasIntroduced, !waiting.isEmpty else { return endpoint.close() }
        isClosing = true
        endpoint.own.machine.after(Self.closingTime) { [endpoint] in endpoint.close() }
    }
}
