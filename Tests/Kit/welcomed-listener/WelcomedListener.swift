import AudioCore
import ClockSync
import Glibc
import NIOCore
import PeerSocketKit
import SecureChannel
import WireProtocol

/// A listener that tells what only it and its broadcaster know.
///
///     welcomed-listener ADDRESS:PORT
///
/// Calls a broadcaster, and asks for its clock by UDP until it is answered. Then it leaves. Its lines, in hexadecimal:
/// `EPHEMERAL` with the key that its first message carries in clear, `CLOCK-KEY` with the one that it was welcomed
/// with, and `CLOCK-ANSWERED`. Ends with status 1 if it was not welcomed or not answered.
@main
enum WelcomedListener {
    /// The welcome, among all that comes.
    private struct Inbox: WireSink {
        var welcome: Welcome?

        mutating func wireDidParse(_ message: ControlMessage) {
            if case .welcome(let welcome) = message { self.welcome = welcome }
        }

        mutating func streamDidParse(property: AudioStreamProperty) {}
        mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {}
    }

    private static let ephemeralKeyByteCount = 32

    static func main() {
        guard let callee = CommandLine.arguments.dropFirst().first.flatMap(Callee.init) else {
            print("welcomed-listener ADDRESS:PORT")
            exit(64)
        }
        let keys = PeerKeyPair.random()
        let greeting = Greeting(
            roles: .listener, peer: keys.key.uuid, instance: .random(in: 1 ... .max), started: 0, name: "welcomed",
            codecs: [.mpegLayer3, .linearPCM])
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard callee.connect(descriptor), var peer = PeerSocket(descriptor, keys: keys),
            peer.send(WireEncoder.greeting(greeting))
        else { exit(1) }
        print("EPHEMERAL", hex(peer.opening.readableBytesView.suffix(ephemeralKeyByteCount)))
        var parser = WireParser()
        var inbox = Inbox()
        while inbox.welcome == nil {
            guard let bytes = peer.receive(within: 200), (try? parser.parse(bytes, into: &inbox)) != nil,
                peer.send(WireEncoder.keepAlive())
            else { exit(1) }
        }
        guard let welcome = inbox.welcome, let key = ClockKey(bytes: welcome.clockKey) else { exit(1) }
        print("CLOCK-KEY", hex(key.bytes))
        guard isAnswered(callee, welcome.clockPort, key) else { exit(1) }
        print("CLOCK-ANSWERED")
        // The key holds as long as the connection.
        _ = peer.send(WireEncoder.refusal(Refusal(.leaving, "it was answered")))
        close(descriptor)
    }

    /// Whether the clock answers one of several requests.
    private static func isAnswered(_ callee: Callee, _ port: UInt16, _ key: ClockKey) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        guard callee.connect(descriptor, port: port) else { return false }
        for sequence: UInt32 in 1...10 {
            let request = ClockDatagram(
                kind: .request, keyIdentifier: key.identifier, sequence: sequence, cookie: .random(in: 0 ... .max)
            ).encoded(under: key)
            _ = send(descriptor, request, request.count, 0)
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, 200) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 2_048)
            bytes.removeLast(bytes.count - max(0, recv(descriptor, &bytes, bytes.count, 0)))
            if ClockDatagram(bytes, under: key)?.kind == .reply { return true }
        }
        return false
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
