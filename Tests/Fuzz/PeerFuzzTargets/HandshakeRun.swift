import Cryptography
import NIOCore
import SecureChannel

/// Two sides that shake hands, and somebody on the way who delays, changes, cuts and inserts.
///
/// Whoever changes anything ends the handshake: a side that has finished took exactly what the other side sent.
struct HandshakeRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    static let keys = (0..<4).map { number in
        PeerKeyPair(seed: SecretBytes(copying: [UInt8](repeating: number, count: PeerKeyPair.seedByteCount)))
    }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        let prologues = [[1, 2, 3], setting & 1 == 0 ? [1, 2, 3] : [1, 2]] as [[UInt8]]
        // Two processes of one user share a key.
        let responderKeys = Self.keys[setting & 2 == 0 ? 1 : 0]
        var ends = [
            End(Handshake(.initiator, keys: Self.keys[0], prologue: prologues[0])),
            End(Handshake(.responder, keys: responderKeys, prologue: prologues[1])),
        ]
        while !reader.isEmpty {
            let operation = reader.byte()
            let index = Int(operation >> 7)
            switch operation & 0x07 {
            case 0, 1: ends[index].write(payload: reader.bytes(Int(reader.byte() & 0x0F)))
            case 2: ends[index].deliver(ends[1 - index].takeSent(.max))
            case 3: ends[index].deliver(ends[1 - index].takeSent(Int(reader.byte())))
            case 4:
                var bytes = ends[1 - index].takeSent(.max)
                let place = Int(reader.byte())
                if place < bytes.count { bytes[place] ^= reader.byte() }
                ends[index].deliver(bytes)
            case 5: ends[index].deliver(reader.bytes(Int(reader.byte())))
            case 6: _ = ends[1 - index].takeSent(Int(reader.byte()))
            default: ends[index].end()
            }
            if let violation = ends[index].violation { return violation }
        }
        for index in 0...1 where ends[index].handshake.step == .finished {
            guard ends[1 - index].sent.starts(with: ends[index].consumed) else { return "it took what was not sent" }
            guard prologues[0] == prologues[1] else { return "it finished with another prologue" }
        }
        return Self.violation(of: &ends, responderKeys.key)
    }

    private static func violation(of ends: inout [End], _ responder: PeerKey) -> String? {
        guard ends.allSatisfy({ $0.handshake.step == .finished }) else { return nil }
        let one = ends[0].handshake.takeChannel()
        let other = ends[1].handshake.takeChannel()
        guard one.binding == other.binding else { return "two channels" }
        return one.remoteKey == responder && other.remoteKey == keys[0].key ? nil : "another key"
    }
}

/// One side with what it sent and took.
private struct End {
    var handshake: Handshake
    private(set) var sent: [UInt8] = []
    private(set) var consumed: [UInt8] = []
    private(set) var violation: String?
    private var onTheWay: [UInt8] = []
    private var failure: HandshakeError?

    init(_ handshake: Handshake) { self.handshake = handshake }

    mutating func write(payload: [UInt8]) {
        guard handshake.step == .sending else { return }
        let isFirst = handshake.role == .initiator && handshake.remoteKey == nil
        do throws(HandshakeError) {
            let message = Array(try handshake.writeMessage(payload: isFirst ? [] : payload).readableBytesView)
            sent += message
            onTheWay += message
        } catch { note(error) }
    }

    mutating func takeSent(_ count: Int) -> [UInt8] {
        defer { onTheWay = Array(onTheWay.dropFirst(count)) }
        return Array(onTheWay.prefix(count))
    }

    mutating func deliver(_ bytes: [UInt8]) {
        var buffer = ByteBuffer(bytes: bytes)
        do throws(HandshakeError) { _ = try handshake.receive(&buffer) } catch { note(error) }
        consumed += bytes.dropLast(buffer.readableBytes)
    }

    mutating func end() {
        do throws(HandshakeError) { try handshake.end() } catch { note(error) }
    }

    private mutating func note(_ error: HandshakeError) {
        if let failure, failure != error { violation = "after \(failure) it says \(error)" }
        failure = error
        if handshake.step != .failed(error) { violation = "it goes on after \(error)" }
    }
}

extension HandshakeRun {
    /// A whole handshake: first, second, third message, each written and delivered.
    static var seeds: [[UInt8]] {
        let whole: [UInt8] = [0x00, 0, 0x82, 0x80, 3, 1, 2, 3, 0x02, 0x00, 2, 4, 5, 0x82]
        let pieces: [UInt8] = [0x00, 0, 0x83, 1, 0x83, 40, 0x80, 0, 0x03, 90, 0x03, 90, 0x00, 0, 0x83, 60, 0x82, 0x07]
        let changed: [UInt8] = [0x00, 0, 0x82, 0x80, 0, 0x04, 50, 1, 0x00, 0]
        let inserted: [UInt8] = [0x85, 34, 0, 32] + [UInt8](repeating: 9, count: 32) + [0x80, 0, 0x07, 0x87]
        return [0, 1, 2].flatMap { setting in [whole, pieces, changed, inserted].map { [setting] + $0 } }
    }
}
