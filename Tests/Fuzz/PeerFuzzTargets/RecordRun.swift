import NIOCore
import SecureChannel

/// The records of one direction, and somebody on the way who changes, repeats, drops and inserts bytes. What is opened
/// is the beginning of what was sealed, and after a failure nothing is.
struct RecordRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    private static let heldByteCount = max(
        SecureChannelLimits.recordPlaintextByteCount + SecureChannelLimits.recordOverhead,
        SecureChannelLimits.sharedPartByteCount)

    func violation() -> String? {
        var reader = InputReader(input)
        var (one, other) = (
            Handshake(.initiator, keys: HandshakeRun.keys[0], prologue: []),
            Handshake(.responder, keys: HandshakeRun.keys[1], prologue: [])
        )
        guard Self.shakeHands(&one, &other) else { return "no handshake" }
        var channel = one.takeChannel()
        var opener = other.takeChannel().opener
        var (sealed, opened, onTheWay) = ([UInt8](), [UInt8](), [UInt8]())
        while !reader.isEmpty {
            switch reader.byte() % 9 {
            case 0, 1:
                let messages = [reader.bytes(Int(reader.byte() & 0x0F)), reader.bytes(Int(reader.byte() & 0x0F))]
                sealed += messages.flatMap { $0 }
                onTheWay += channel.sealer.seal(messages.map { ByteBuffer(bytes: $0) }).readableBytesView
            case 2:
                // More than one record holds.
                let message = [UInt8](repeating: reader.byte(), count: 100 * Int(reader.byte()))
                sealed += message
                onTheWay += channel.sealer.seal(ByteBuffer(bytes: message)).readableBytesView
            case 8:
                let message = [UInt8](repeating: reader.byte(), count: 1 + Int(reader.byte()))
                sealed += message
                let pieces = channel.sealer.seal([.shared(SharedMessages([ByteBuffer(bytes: message)]))])
                onTheWay += pieces.flatMap { Array($0.readableBytesView) }
            case 3:
                let place = Int(reader.byte())
                if place < onTheWay.count { onTheWay[place] ^= reader.byte() }
            case 4: onTheWay.insert(contentsOf: reader.bytes(Int(reader.byte() & 0x3F)), at: 0)
            case 5: onTheWay = Array(onTheWay.dropFirst(Int(reader.byte())))
            case 6: onTheWay += onTheWay.prefix(Int(reader.byte()))
            default:
                let count = reader.byte()
                let piece = onTheWay.prefix(count > 200 ? .max : Int(count))
                onTheWay = Array(onTheWay.dropFirst(piece.count))
                let hadFailed = opener.failure
                do throws(RecordError) {
                    opened += try opener.open(ByteBuffer(bytes: piece)).readableBytesView
                    if hadFailed != nil { return "it goes on after a failure" }
                } catch {
                    if error != opener.failure || hadFailed.map({ $0 != error }) ?? false { return "another failure" }
                }
            }
            guard sealed.starts(with: opened) else { return "it opened what was not sealed" }
            guard opener.heldByteCount < Self.heldByteCount else { return "it holds much" }
        }
        return nil
    }

    private static func shakeHands(_ one: inout Handshake, _ other: inout Handshake) -> Bool {
        do throws(HandshakeError) {
            var message = try one.writeMessage()
            _ = try other.receive(&message)
            message = try other.writeMessage()
            _ = try one.receive(&message)
            message = try one.writeMessage()
            return try other.receive(&message) != nil
        } catch { return false }
    }
}

extension RecordRun {
    static var seeds: [[UInt8]] {
        let flush: [UInt8] = [0, 3, 1, 2, 3, 2, 4, 5]
        let long: [UInt8] = [2, 7, 255]
        return [
            flush + [7, 255], flush + flush + [7, 1, 7, 1, 7, 20, 7, 255], long + [7, 100, 7, 255],
            flush + [3, 4, 1, 7, 255, 7, 255], flush + [6, 23, 7, 255], flush + flush + [5, 23, 7, 255],
            [4, 2, 0, 17] + flush + [7, 255], flush + [8, 1, 20] + flush + [7, 255],
            [8, 1, 200, 7, 100, 7, 10, 7, 255], [8, 1, 20, 3, 105, 1, 7, 255, 7, 255],
        ]
    }
}
