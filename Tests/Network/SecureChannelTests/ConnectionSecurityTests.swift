import NIOCore
import StreamTestKit
import Testing
import WireProtocol

@testable import SecureChannel

/// Two ends of a connection, and somebody on the way between them.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionSecurityTests {
    /// A side, and what it was told.
    private final class Side {
        var security: ConnectionSecurity
        var heard: [UInt8] = []
        var introduction: [UInt8]?
        var failure: ConnectionSecurityError?

        init(_ protection: ConnectionSecurity.Protection) { security = ConnectionSecurity(protection) }

        /// - Returns: what it answers at once.
        func take(_ bytes: [UInt8], pieces: Int = .max) -> [UInt8] {
            var answer: [UInt8] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                do throws(ConnectionSecurityError) {
                    let reception = try security.receive(ByteBuffer(bytes: rest.prefix(pieces)))
                    answer += Array(reception.reply.readableBytesView)
                    if let shown = reception.introduction { introduction = Array(shown.readableBytesView) }
                    heard += Array(reception.messages.readableBytesView)
                } catch {
                    failure = error
                }
                rest = rest.dropFirst(pieces)
            }
            return answer
        }

        func say(_ text: String) -> [UInt8] {
            security.protect([ByteBuffer(string: text)]).flatMap { Array($0.readableBytesView) }
        }

        func introduce(_ bytes: [UInt8]) -> [UInt8] {
            security.protect([ConnectionSecurity.introduction(bytes)]).flatMap { Array($0.readableBytesView) }
        }

        var opening: [UInt8] { Array(security.opening.readableBytesView) }
    }

    private let keys = (dialler: PeerKeyPair.random(), other: PeerKeyPair.random())

    private func makeSides() -> (dialler: Side, other: Side) {
        (Side(.encrypted(.initiator, keys.dialler)), Side(.encrypted(.responder, keys.other)))
    }

    /// Lets both shake hands and introduce themselves, and the dialler say a word.
    /// - Parameter change: what happens on the way to each of the dialler's and the other's pieces, in order.
    /// - Returns: all bytes that the dialler sent.
    @discardableResult
    private func talk(
        _ dialler: Side, _ other: Side, pieces: Int = .max,
        change: (Int, inout [UInt8]) -> Void = { _, _ in }
    ) -> [UInt8] {
        var sent: [UInt8] = []
        func pass(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            change(number, &bytes)
            return bytes
        }
        sent += dialler.opening
        var fromOther = pass(0, other.opening)
        fromOther += pass(1, other.take(pass(2, dialler.opening), pieces: pieces))
        let third = dialler.take(fromOther, pieces: pieces)
        sent += third
        guard dialler.security.canSend else { return sent }
        let word = dialler.introduce(Array("dialler".utf8)) + dialler.say("secret song")
        sent += word
        _ = other.take(pass(3, third + word), pieces: pieces)
        guard other.security.canSend else { return sent }
        _ = dialler.take(pass(4, other.introduce([])), pieces: pieces)
        return sent
    }

    @Test(arguments: [1, 3, 50, Int.max]) func whatIsSaidArrivesAndNothingIsInClear(pieces: Int) {
        let (dialler, other) = makeSides()
        let sent = talk(dialler, other, pieces: pieces)
        #expect(other.heard == Array("secret song".utf8))
        #expect(other.introduction == Array("dialler".utf8) && dialler.introduction == [])
        let isThere = other.security.isReady && dialler.security.isReady
        #expect(isThere)
        let remoteKeys = [dialler.security.remoteKey, other.security.remoteKey]
        #expect(remoteKeys == [keys.other.key, keys.dialler.key])
        let bindings = (dialler.security.binding, other.security.binding)
        #expect(bindings.0 == bindings.1 && bindings.0 != nil)
        _ = dialler.take(other.say("back"), pieces: pieces)
        #expect(dialler.heard == Array("back".utf8))

        #expect(sent.starts(with: Preamble.bytes(.encrypted)))
        let clear = String(decoding: sent, as: Unicode.ASCII.self)
        #expect(!clear.contains("secret") && !clear.contains("song"))
        for key in [keys.dialler.key, keys.other.key] {
            let bytes = key.bytes.bytes
            #expect(!(0...sent.count - 32).contains { Array(sent[$0..<$0 + 32]) == bytes }, "a static key is in clear")
        }
    }

    /// Whichever bit is changed on the way, of preambles, handshake and records: nothing wrong is heard.
    @Test(arguments: 0..<500) func aChangedBitIsNoticed(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let changed = Int.random(in: 0..<5, using: &generator)
        let (dialler, other) = makeSides()
        talk(dialler, other) { number, bytes in
            guard number == changed, !bytes.isEmpty else { return }
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        }
        // What the dialler says is wrong by none of what it is told afterwards.
        if changed == 4 { #expect(dialler.introduction == nil, "seed \(seed)") }
        #expect(other.heard.isEmpty == (changed != 4), "seed \(seed)")
        // A longer length only makes it wait.
        let (here, there) = (dialler.security.isReady, other.security.isReady)
        #expect(!here || !there || other.failure != nil || changed >= 3, "seed \(seed)")
    }

    /// Somebody on the way who would have both send in clear.
    @Test func aDowngradeIsRefusedByBoth() {
        let (dialler, other) = makeSides()
        talk(dialler, other) { number, bytes in
            if number == 0 || number == 2 { bytes[7] = Preamble.Security.plain.rawValue }
        }
        let failures = (dialler.failure, other.failure)
        #expect(failures.0 == .preamble(.unsupportedSecurity(0)) && failures.1 == .preamble(.unsupportedSecurity(0)))
        #expect(dialler.take([1, 2, 3]).isEmpty)
        #expect(dialler.failure == .preamble(.unsupportedSecurity(0)))
    }

    /// What one connection sent means nothing on another, even to the same peer.
    @Test func aReplayedConnectionIsRefused() {
        let (dialler, other) = makeSides()
        let sent = talk(dialler, other)
        let again = Side(.encrypted(.responder, keys.other))
        _ = again.take(sent)
        #expect(again.heard.isEmpty)
        #expect(again.failure == .handshake(.notAuthentic))
    }

    @Test func aReplayedRecordIsRefused() {
        let (dialler, other) = makeSides()
        talk(dialler, other)
        let record = dialler.say("next")
        _ = other.take(record)
        _ = other.take(record)
        #expect(String(decoding: other.heard, as: UTF8.self) == "secret songnext")
        #expect(other.failure == .record(.notAuthentic))
    }

    /// Neither side waits for the other's introduction before it says something itself.
    @Test func messagesFollowTheOwnIntroduction() {
        let (dialler, other) = makeSides()
        let toDialler = other.opening + other.take(dialler.opening)
        _ = other.take(dialler.take(toDialler))
        let canBothSend = dialler.security.canSend && other.security.canSend
        #expect(canBothSend)
        _ = other.take(dialler.introduce([1, 2]) + dialler.say("first"))
        _ = dialler.take(other.introduce([3]) + other.say("second"))
        #expect(other.introduction == [1, 2] && other.heard == Array("first".utf8))
        #expect(dialler.introduction == [3] && dialler.heard == Array("second".utf8))
    }

    @Test func anEndlessIntroductionIsRefused() {
        let (dialler, other) = makeSides()
        let toDialler = other.opening + other.take(dialler.opening)
        _ = other.take(dialler.take(toDialler))
        let length = dialler.security.protect([
            ByteBuffer(integer: UInt16(SecureChannelLimits.introductionByteCount + 1))
        ])
        _ = other.take(length.flatMap { Array($0.readableBytesView) })
        #expect(other.failure == .introduction)
    }

    @Test(
        arguments: [
            (.handshake(.badLength(7)), "its handshake is malformed: install the same release on both"),
            (.handshake(.unusableKey), "its handshake is malformed: install the same release on both"),
            (
                .handshake(.notAuthentic),
                "its handshake is not authentic: something on the way changes what is sent, or it lacks the key that "
                    + "it states; look for a proxy between the two machines, and install the same release on both"
            ),
            (.introduction, "it introduces itself at too great a length: install the same release on both"),
            (
                .record(.notAuthentic),
                "what came is not what was sent: something on the way changes it; look for a proxy between the two "
                    + "machines"
            ),
            (
                .handshake(.truncated),
                "it ended the connection in the middle of the handshake: see whether Tutti still runs there, at that "
                    + "port, and install the same release on both"
            ),
            (
                .record(.truncated),
                "it ended the connection in the middle of what it said: see whether Tutti still runs there"
            ),
        ] as [(ConnectionSecurityError, String)])
    func anErrorSaysWhatToDo(error: ConnectionSecurityError, text: String) {
        #expect("\(error)" == text)
    }

    /// What is encrypted once leaves as it is; who comes with an older release is sent the same in records.
    @Test func whatIsSharedIsForThoseWhoOpenIt() throws {
        let (dialler, other) = makeSides()
        talk(dialler, other)
        let shared = SharedMessages([ByteBuffer(string: " by"), ByteBuffer(string: " all")])
        let buffers = dialler.security.protect([.message(ByteBuffer(string: " heard")), .shared(shared)])
        #expect(buffers.last == shared.part.ciphertext)
        _ = other.take(buffers.flatMap { Array($0.readableBytesView) }, pieces: 5)
        #expect(String(decoding: other.heard, as: UTF8.self) == "secret song heard by all")

        let dialling = Side(.encrypted(.initiator, keys.dialler))
        let preamble = Preamble.bytes(.encrypted)
        var former = Handshake(
            .responder, keys: keys.other, prologue: Handshake.prologue(initiator: preamble, responder: preamble))
        var opening = ByteBuffer(bytes: dialling.opening.dropFirst(Preamble.byteCount))
        _ = try former.receive(&opening)
        var third = ByteBuffer(bytes: dialling.take(preamble + Array(try former.writeMessage().readableBytesView)))
        _ = try former.receive(&third)
        var channel = former.takeChannel()
        let records = dialling.security.protect([.shared(shared)])
        #expect(records.count == 1)
        let text = try channel.opener.open(records[0])
        #expect(String(buffer: text) == " by all")
    }

    /// Programs of one machine, over a local socket.
    @Test func plainConnectionsPassMessagesOn() {
        let (one, other) = (Side(.plain), Side(.plain))
        #expect(one.opening == Preamble.bytes(.plain))
        _ = one.take(other.opening)
        let shared = one.security.protect([.shared(SharedMessages([ByteBuffer(string: "pa")]))])
        _ = other.take(one.opening + Array(shared[0].readableBytesView) + one.say("use"), pieces: 3)
        #expect(String(decoding: other.heard, as: UTF8.self) == "pause")
        let key = other.security.remoteKey
        #expect(key == nil)
    }

    @Test func aPlainConnectionIsNoWayAroundEncryption() {
        let side = Side(.plain)
        _ = side.take(Preamble.bytes(.encrypted))
        #expect(side.failure == .preamble(.unsupportedSecurity(1)))
    }
}
