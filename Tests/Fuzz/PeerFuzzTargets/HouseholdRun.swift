import AudioCore
import Cryptography
import Households
import NIOCore
import SecureChannel

/// Documents of households, and invitations to them: any bytes, members that meet in any order, and rounds among them.
/// The first byte says which.
///
/// What is read back has the same bytes. Merges give the same in either order, nobody who was removed returns, and a
/// secret that counts was given to nobody who is out.
struct HouseholdRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        if setting & 1 == 0 { return Self.documentViolation(reader.remainder()) }
        return setting & 2 == 0 ? MeetingRun().violation(&reader) : RoundRun(setting >> 2).violation(&reader)
    }

    private static func documentViolation(_ bytes: [UInt8]) -> String? {
        if let household = try? Household(decoding: bytes), !household.encoded().matches(bytes) {
            return "a document has two forms"
        }
        if let request = try? InvitationRequest(decoding: bytes), request.encoded() != bytes {
            return "a request has two forms"
        }
        if let invitation = try? Invitation(fileText: bytes), !invitation.fileText.matches(bytes) {
            return "an invitation has two forms"
        }
        return introductionViolation(bytes)
    }

    /// Whatever a stranger says first, it stays one; and no member, removed lately or not, takes out anybody but by its
    /// own signed word.
    private static func introductionViolation(_ bytes: [UInt8]) -> String? {
        let keys = HandshakeRun.keys
        guard var home = try? Household(name: "Home", founder: keys[0], memberName: "0"),
            (try? home.admit(keys[1].signingKey, name: "1", by: keys[0])) != nil,
            (try? home.admit(keys[2].signingKey, name: "2", by: keys[0])) != nil
        else { return "not founded" }
        var meetings = HouseholdMeetings<Int>(keys: keys[0], household: home)
        guard (try? home.remove(keys[2].signingKey, by: keys[0])) != nil,
            (try? meetings.adopt(home, now: HostTime(nanoseconds: 0))) != nil
        else { return "not removed" }
        let standings: [PeerStanding] = [.member, .removed, .stranger]
        for (index, standing) in standings.enumerated() {
            _ = meetings.open(index, remoteKey: keys[index + 1].key, binding: ChannelBinding(.zero))
            let actions = meetings.receive(
                introduction: ByteBuffer(bytes: bytes), from: index, at: 0, now: HostTime(nanoseconds: 1))
            guard case .standing(index, let found)? = actions.first, found == standing,
                meetings.household?.members == home.members
            else { return "an introduction changes who is who" }
        }
        return nil
    }
}

private struct MeetingRun {
    private let keys = HandshakeRun.keys
    private var replicas: [Household] = []
    /// Of each replica the keys that it knows to be removed: by its own word, or by what it merged. Others may be out
    /// until a word for them comes.
    private var removed: [Set<PeerKey>] = []

    consuming func violation(_ reader: inout InputReader) -> String? {
        guard let founded = try? Household(name: "Home", founder: keys[0], memberName: "0") else {
            return "not founded"
        }
        replicas = [Household](repeating: founded, count: keys.count)
        removed = [Set<PeerKey>](repeating: [], count: keys.count)
        // Signatures take their time.
        for _ in 0..<40 where !reader.isEmpty {
            let operation = reader.byte()
            let (one, other) = (Int(operation >> 4 & 3), Int(operation >> 6))
            switch operation & 0x03 {
            case 0: try? replicas[one].admit(keys[other].signingKey, name: "\(other)", by: keys[one])
            case 1:
                if (try? replicas[one].remove(keys[other].signingKey, by: keys[one])) != nil {
                    removed[one].insert(keys[other].key)
                }
            case 2:
                let out = keys.map(\.key).filter { replicas[one].isOut($0) }
                if (try? replicas[one].settle(by: keys[one])) != nil { removed[one].formUnion(out) }
            default:
                if let violation = meet(one, other) { return violation }
            }
            for index in [one, other] {
                if let violation = violation(in: replicas[index], removed[index]) { return violation }
            }
        }
        return nil
    }

    private mutating func meet(_ one: Int, _ other: Int) -> String? {
        let before = (replicas[one], replicas[other])
        guard let theirs = try? Household(decoding: before.1.encoded()), theirs == before.1 else {
            return "a document is not read back"
        }
        do throws(HouseholdError) {
            try replicas[one].merge(theirs)
            try replicas[other].merge(before.0)
        } catch { return "a merge fails: \(error)" }
        guard replicas[one] == replicas[other], replicas[one].members == replicas[other].members else {
            return "the order counts"
        }
        removed[one].formUnion(removed[other])
        removed[other] = removed[one]
        return nil
    }

    private func violation(in household: Household, _ removed: Set<PeerKey>) -> String? {
        if removed.contains(where: { household.isMember($0) || !household.isOut($0) }) {
            return "a removed key returned"
        }
        for keys in keys where household.isOut(keys.key) && household.isMember(keys.key) { return "in and out" }
        return household.members.allSatisfy { household.isMember($0.peerKey) } ? nil : "a member that is none"
    }
}

extension HouseholdRun {
    static var seeds: [[UInt8]] {
        let keys = HandshakeRun.keys
        var documents: [[UInt8]] = []
        if var household = try? Household(name: "Home", founder: keys[0], memberName: "A") {
            documents.append(household.encoded().withBytes { Array($0) })
            try? household.admit(keys[1].signingKey, name: "B", by: keys[0])
            try? household.admit(keys[2].signingKey, name: "C", by: keys[1])
            try? household.remove(keys[1].signingKey, by: keys[0])
            documents.append(household.encoded().withBytes { Array($0) })
            documents += invitations(to: household, by: keys[0], for: keys[3])
        }
        // 0 lets in 1, 2 and 3; they meet; two removals at once; they meet.
        let meetings: [UInt8] = [
            0x40, 0x80, 0xC0, 0x43, 0x83, 0xC3, 0x51, 0xA1, 0xD1, 0x63, 0x93, 0xC3, 0x02, 0x12, 0x43,
        ]
        return documents.map { [0] + $0 } + [[1] + meetings, [1] + meetings.reversed()] + roundSeeds
    }

    /// Rounds that tell two members, leave them, enrol, and remove: found, dialled, identified, greeted, told.
    private static var roundSeeds: [[UInt8]] {
        // Two members at two addresses; time passes between what is said and the end.
        let tells: [UInt8] = [
            0, 0x41, 14, 1, 2, 0x12, 4, 1, 0x14, 2, 5, 0x15, 7, 0x17, 14, 1, 6, 7, 14, 1, 14, 6, 14, 1,
        ]
        let purposes: [UInt8] = [0x03, 0x07, 0x0B, 0x0F]
        let others: [[UInt8]] = [
            [0x03, 0, 1, 14, 255], [0x03, 13, 0], [0x0B, 13, 0],
            [0x07, 0, 1, 14, 1, 2, 4, 1, 5, 7, 10, 14, 120], [0x0B, 0, 1, 14, 1, 2, 4, 1, 5, 8, 10],
            [0x03, 0, 1, 14, 1, 2, 4, 8, 14, 1], [0x03, 0, 1, 14, 1, 2, 4, 1, 5, 9, 3, 1, 2, 3, 12],
            [0x0F, 0, 1, 14, 1, 2, 4, 1, 5, 15], [0x0F, 0, 1, 14, 1, 2, 4, 1, 15, 14, 120],
            [0x0B, 0, 1, 14, 1, 1, 0, 14, 255, 2, 4, 1, 5, 8, 11, 14, 255],
        ]
        return purposes.map { [$0] + tells } + others
    }

    private static func invitations(
        to household: Household, by inviter: PeerKeyPair, for machine: PeerKeyPair
    ) -> [[UInt8]] {
        guard let invitation = try? Invitation(to: household, until: 1_800_000_000, by: inviter),
            let request = try? invitation.request(for: machine, name: "D", over: ChannelBinding(.zero))
        else { return [] }
        return [invitation.fileText.withBytes { Array($0) }, request.encoded()]
    }
}
