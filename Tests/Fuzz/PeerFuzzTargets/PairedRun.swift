import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A member and a new machine that pair, and somebody on the way who cuts, holds back, changes and ends what they say.
///
/// Without the code, or over two channels, nobody is let in and nothing is stored. What is stored is the member's
/// household. The member says that both have it only if that is so. If all that was sent has arrived, both have it.
struct PairedRun {
    /// What is on the way to one side.
    private struct Way {
        var pieces: [ByteBuffer] = []
        var isClosed = false
    }

    private let keys = HandshakeRun.keys
    private let bindings: [ChannelBinding]
    private let knows: Bool
    private var now = HostTime(nanoseconds: 0)
    private var newcomer: NewcomerSession
    private var sponsor: SponsorSession
    private var startActions: [NewcomerAction]
    private var dials: [Dialer.Dial] = []
    private var connection = 0
    private var toNewcomer = Way()
    private var toSponsor = Way()
    /// What each side's shell was asked to do and has not done.
    private var admission: SigningKey?
    private var storing: Household?
    private var home: Household?
    private var hasStored = false
    private var failureCount = 0
    private var hasSponsorPaired = false
    private var hasNewcomerPaired = false
    /// Whether all arrives as it was sent; and whether it arrives at all.
    private var isUnchanged = true
    private var isHonest = true
    private var broken: String?

    /// - Parameter setting: whether the right code is typed, and whether both have the same channel.
    init(_ setting: UInt8) {
        let now = HostTime(nanoseconds: 0)
        let keys = HandshakeRun.keys
        func greeting(_ machine: Int) -> Greeting {
            Greeting(
                roles: .pairing, peer: keys[machine].key.uuid, instance: UInt64(machine) + 1, started: 0,
                name: machine == 0 ? "member" : "new")
        }
        newcomer = NewcomerSession(greeting: greeting(1), keys: keys[1])
        startActions = newcomer.start(now: now)
        var shown: PairingCode?
        for case .tell(.code(let code, _)) in startActions { shown = code }
        let isSameChannel = setting & 2 == 0
        let wrong = shown?.displayText == "0000 0000" ? "00000001" : "00000000"
        let typed = setting & 1 == 0 ? shown : PairingCode(wrong)
        knows = setting & 3 == 0 && typed != nil
        bindings = [ChannelBinding(.zero), isSameChannel ? ChannelBinding(.zero) : ChannelBinding(keys[3].key.bytes)]
        sponsor = SponsorSession(
            greeting: greeting(0), keys: keys[0], target: .address(NetworkAddress(host: "10.0.0.1")),
            code: typed ?? .random(), now: now)
    }

    consuming func violation(_ reader: inout InputReader) -> String? {
        perform(startActions)
        perform(sponsor.start(now: now))
        connect()
        // Curve arithmetic takes its time.
        for _ in 0..<60 where !reader.isEmpty {
            act(reader.byte(), &reader)
            if let broken { return broken }
        }
        if isHonest { settle() }
        if let broken { return broken }
        return isHonest && knows && !(hasSponsorPaired && hasNewcomerPaired) ? "an honest pairing failed" : nil
    }

    private mutating func act(_ operation: UInt8, _ reader: inout InputReader) {
        let isToNewcomer = operation & 0x08 == 0
        switch operation & 0x07 {
        case 0: deliver(isToNewcomer)
        case 1: deliver(isToNewcomer, byteCount: Int(reader.byte()))
        case 2: settle()
        case 3: answer(isSuccess: true)
        case 4:
            isHonest = false
            answer(isSuccess: false)
        case 5: change(isToNewcomer, at: Int(reader.byte()), with: reader.byte())
        case 6:
            isHonest = false
            if isToNewcomer { hang() } else { connect() }
        default:
            isHonest = false
            now += .milliseconds(Int64(reader.byte()) * 50)
            perform(newcomer.handle(.tick, now: now))
            perform(sponsor.handle(.tick, now: now))
        }
    }

    // MARK: The way

    private mutating func connect() {
        guard let dial = dials.popLast() else { return }
        hang()
        connection += 1
        (toNewcomer, toSponsor) = (Way(), Way())
        let id = ConnectionID(connection)
        perform(newcomer.handle(.opened(id, address: "10.0.0.2"), now: now))
        perform(sponsor.handle(.opened(id, address: "10.0.0.1", dial: dial), now: now))
        perform(newcomer.handle(.authenticated(id, keys[0].key, bindings[0]), now: now))
        perform(sponsor.handle(.authenticated(id, keys[1].key, bindings[1]), now: now))
    }

    /// Ends the connection.
    private mutating func hang() {
        perform(newcomer.handle(.closed(ConnectionID(connection)), now: now))
        perform(sponsor.handle(.closed(ConnectionID(connection)), now: now))
    }

    private mutating func deliver(_ isToNewcomer: Bool, byteCount: Int = .max) {
        let id = ConnectionID(connection)
        var way = isToNewcomer ? toNewcomer : toSponsor
        var bytes: ByteBuffer?
        if !way.pieces.isEmpty {
            bytes = way.pieces[0].readSlice(length: min(byteCount, way.pieces[0].readableBytes))
            if way.pieces[0].readableBytes == 0 { way.pieces.removeFirst() }
        }
        let hasEnded = bytes == nil && way.isClosed
        if isToNewcomer { toNewcomer = way } else { toSponsor = way }
        if isToNewcomer {
            if let bytes { perform(newcomer.handle(.received(id, bytes), now: now)) }
            if hasEnded { perform(newcomer.handle(.closed(id), now: now)) }
        } else {
            if let bytes { perform(sponsor.handle(.received(id, bytes), now: now)) }
            if hasEnded { perform(sponsor.handle(.closed(id), now: now)) }
        }
    }

    private mutating func change(_ isToNewcomer: Bool, at place: Int, with mask: UInt8) {
        let pieces = isToNewcomer ? toNewcomer.pieces : toSponsor.pieces
        guard let first = pieces.first, place < first.readableBytes, mask != 0 else { return }
        (isUnchanged, isHonest) = (false, false)
        var bytes = Array(first.readableBytesView)
        bytes[place] ^= mask
        if isToNewcomer {
            toNewcomer.pieces[0] = ByteBuffer(bytes: bytes)
        } else {
            toSponsor.pieces[0] = ByteBuffer(bytes: bytes)
        }
    }

    /// Lets all arrive, and all be done.
    private mutating func settle() {
        for _ in 0..<100 {
            let isQuiet =
                toNewcomer.pieces.isEmpty && toSponsor.pieces.isEmpty && admission == nil && storing == nil
            if isQuiet { return }
            deliver(true)
            deliver(false)
            answer(isSuccess: true)
        }
    }

    // MARK: The shells

    private mutating func answer(isSuccess: Bool) {
        if let key = admission {
            admission = nil
            if isSuccess, let household = household(with: key) {
                home = household
                perform(sponsor.handle(.admitted(household), now: now))
            } else {
                perform(sponsor.handle(.notAdmitted(.noHousehold), now: now))
            }
        }
        if storing != nil {
            storing = nil
            if isSuccess { hasStored = true }
            perform(newcomer.handle(isSuccess ? .stored : .notStored("full"), now: now))
        }
    }

    private func household(with key: SigningKey) -> Household? {
        var household = try? Household(name: "Home", founder: keys[0], memberName: "member")
        try? household?.admit(key, name: "new", by: keys[0])
        return household
    }

    private mutating func perform(_ actions: [NewcomerAction]) {
        for action in actions {
            switch action {
            case .send(let id, let bytes): if id.number == connection { toSponsor.pieces.append(bytes) }
            case .close(let id): if id.number == connection { toSponsor.isClosed = true }
            case .tell(.code): break
            case .tell(.failed):
                failureCount += 1
                if failureCount > PairingLimits.failureCount { broken = "a fourth try" }
            case .store(let household):
                if !knows { broken = "a household is stored without the code" }
                if isUnchanged, household != home { broken = "another household is stored" }
                storing = household
            case .finished(.paired): hasNewcomerPaired = true
            case .finished(.failed): break
            }
        }
    }

    private mutating func perform(_ actions: [SponsorAction]) {
        for action in actions {
            switch action {
            case .search: break
            case .dial(let dial): dials.append(dial)
            case .send(let id, let bytes): if id.number == connection { toNewcomer.pieces.append(bytes) }
            case .close(let id): if id.number == connection { toNewcomer.isClosed = true }
            case .admit(let key, _):
                if !knows { broken = "somebody is let in without the code" }
                if isUnchanged, key != keys[1].signingKey { broken = "another key is let in" }
                admission = key
            case .finished(.paired):
                hasSponsorPaired = true
                if isUnchanged, !hasStored { broken = "paired, and nothing is stored" }
            case .finished(.failed): break
            }
        }
    }
}
