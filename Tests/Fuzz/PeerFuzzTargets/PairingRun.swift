import AudioCore
import Cryptography
import Pairing
import SecureChannel

/// Exchanges about a code, the window in which they take place, and the sessions of a new machine, of a member, and of
/// both. The first byte says which.
struct PairingRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        if setting & 1 == 0 { return Self.exchangeViolation(setting, &reader) }
        if setting & 2 == 0 { return WindowRun().violation(&reader) }
        return switch setting >> 2 & 3 {
        case 1: SponsorRun(setting >> 4).violation(&reader)
        case 2: PairedRun(setting >> 4).violation(&reader)
        default: NewcomerRun().violation(&reader)
        }
    }

    private static let codes = ["0123 4567", "0123 4568"].compactMap { PairingCode($0) }
    private static let bindings = [Bytes32.zero, Bytes32 { $0[0] = 1 }].map { ChannelBinding($0) }

    /// Both succeed only if they have the same code and channel, and nothing was changed on the way.
    private static func exchangeViolation(_ setting: UInt8, _ reader: inout InputReader) -> String? {
        let (code, binding) = (Int(setting >> 1 & 1), Int(setting >> 2 & 1))
        let keys = HandshakeRun.keys.map(\.key)
        var sides = [
            PairingExchange(.member, code: codes[0], ownKey: keys[0], remoteKey: keys[1], binding: bindings[0]),
            PairingExchange(
                .newcomer, code: codes[code], ownKey: keys[1], remoteKey: keys[0], binding: bindings[binding]),
        ]
        var isHonest = code == 0 && binding == 0
        var message: [UInt8]? = sides[0].start()
        var index = 1
        while var bytes = message {
            switch reader.byte() % 4 {
            case 0: break
            case 1:
                let (place, mask) = (Int(reader.byte()), reader.byte())
                if place < bytes.count, mask != 0 {
                    bytes[place] ^= mask
                    isHonest = false
                }
            case 2:
                bytes = reader.bytes(Int(reader.byte()))
                isHonest = false
            default: isHonest = isHonest && isAnswered(bytes, &sides[1 - index])
            }
            do throws(PairingError) { message = try sides[index].receive(bytes) } catch {
                guard sides[index].hasSucceeded || sides[index].failure == error else {
                    return "it goes on after \(error)"
                }
                message = nil
            }
            index = 1 - index
        }
        let haveSucceeded = sides.map(\.hasSucceeded)
        if isHonest { return haveSucceeded == [true, true] ? nil : "an honest exchange failed" }
        if haveSucceeded[1], code != 0 || binding != 0 { return "another code or channel succeeded" }
        // The last message may be changed when the newcomer knows already.
        return haveSucceeded[0] ? "a changed exchange succeeded" : nil
    }

    /// Gives a side its own message back; that ends the exchange, unless the side knows already.
    private static func isAnswered(_ bytes: [UInt8], _ side: inout PairingExchange) -> Bool {
        let hadSucceeded = side.hasSucceeded
        do throws(PairingError) {
            _ = try side.receive(bytes)
            return true
        } catch { return hadSucceeded }
    }
}

/// A window that is opened, tried and left alone: no more tries than it allows.
private struct WindowRun {
    private var window = PairingWindow<UInt8>()
    private var now = HostTime(nanoseconds: 0)
    private var triesSinceOpening = 0

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty {
            let operation = reader.byte()
            let party = operation >> 4
            switch operation & 0x07 {
            case 0:
                triesSinceOpening = 0
                _ = window.open(now: now)
            case 1, 2:
                guard (try? window.begin(party, now: now)) != nil else { continue }
                triesSinceOpening += 1
                guard triesSinceOpening <= PairingLimits.failureCount else { return "a fourth try" }
            case 3, 4: _ = window.end(party, isSuccess: operation & 0x08 != 0, now: now)
            case 5: _ = window.expire(now: now)
            case 6: now += .seconds(Int64(reader.byte()))
            default: _ = window.close()
            }
            guard window.nextDeadline.map({ $0 - now <= PairingLimits.codeLifetime }) ?? true else {
                return "a late deadline"
            }
        }
        return nil
    }
}

extension PairingRun {
    static var seeds: [[UInt8]] {
        let shares: [UInt8] = [0, 2, 32] + [UInt8](repeating: 0, count: 32)
        let others: [[UInt8]] = [
            [0, 0, 0, 0, 0], [2, 0, 0, 0, 0], [4, 0, 0, 0, 0], [0, 0, 1, 3, 1], [0, 3], [0, 0, 3], [0, 0, 0, 1, 9, 1],
            [1, 0, 1, 3, 1, 3, 1, 3, 1, 0, 1, 0x0B],
            [1, 0, 6, 120, 5, 1, 6, 10, 5], [3, 0, 4, 0, 5, 7, 0, 9, 0], [3, 0, 4, 1, 5, 16, 20, 0, 21, 8, 13, 250],
            [3, 0, 4, 0, 5, 7, 1, 0, 2, 32, 1, 1, 3, 0, 11, 0, 10],
        ]
        return [shares] + others + sponsorSeeds + pairedSeeds
    }

    /// A member that pairs, at an address, by a name and with the only one; with wrong codes and keys; that is answered
    /// out of turn.
    private static var sponsorSeeds: [[UInt8]] {
        let pairs: [UInt8] = [0, 0, 4, 0, 5, 5, 6, 0, 7, 2, 0]
        let starts: [[UInt8]] = [[0x07], [0x17, 12, 0], [0x27, 12, 0, 14, 10]]
        let others: [[UInt8]] = [
            [0x27, 12, 0, 12, 1, 14, 10], [0x07, 0, 0, 4, 1, 5, 5, 6, 0], [0x07, 0, 0, 4, 0, 5, 5, 6, 1],
            [0x07, 0, 0, 4, 0, 5, 5, 6, 0, 8, 7],
            [0x07, 0, 0, 4, 0, 5, 5, 6, 0, 9, 7], [0x07, 0, 0, 4, 0, 5, 10, 1], [0x07, 1, 0, 10, 1, 12, 3, 14, 20],
            [0x07, 0, 0, 11, 0], [0x07, 7, 0, 1, 7, 2, 0, 8, 4, 0, 5, 5, 6, 0, 6, 0, 7, 7, 2, 0],
        ]
        return starts.map { $0 + pairs } + others
    }

    /// Both sides: whole, piece by piece, answered late, changed, cut off; with another code, and with two channels.
    private static var pairedSeeds: [[UInt8]] {
        var slowly: [UInt8] = [0x0B]
        for _ in 0..<14 { slowly += [1, 17, 9, 17] }
        return [
            slowly, [0x0B], [0x0B, 2], [0x1B, 2], [0x2B, 2], [0x0B, 0, 8, 0, 8, 0, 8, 8, 3, 0, 3, 8],
            [0x0B, 0, 8, 0, 8, 0, 8, 8, 4, 0, 8], [0x0B, 0, 8, 0, 5, 20, 1, 2], [0x0B, 0, 8, 0, 13, 9, 1, 2],
            [0x0B, 0, 8, 0, 8, 6, 2], [0x0B, 0, 8, 14, 2], [0x0B, 0, 8, 0, 8, 0, 8, 8, 7, 255, 2],
        ]
    }
}
