import Cryptography
import SecureChannel
import Testing

@testable import Households

/// Machines that come in by an invitation, and those that do not.
@Suite(.timeLimit(.minutes(5)))
struct InvitationTests {
    private let a = PeerKeyPair.random()
    private let b = PeerKeyPair.random()
    private let new = PeerKeyPair.random()
    private let other = PeerKeyPair.random()
    private let binding = ChannelBinding(RandomNumbers.bytes32())
    private let end: Int64 = 1_800_000_000
    private var before: Int64 { end - 1 }

    /// The founder A, and B.
    private func household() throws -> Household {
        var household = try Household(name: "Home", founder: a, memberName: "A")
        try household.admit(b.signingKey, name: "B", by: a)
        return household
    }

    private func invitation(to household: Household) throws -> Invitation {
        try Invitation(to: household, until: end, by: a)
    }

    private func request(_ invitation: Invitation, for machine: PeerKeyPair? = nil) throws -> InvitationRequest {
        try invitation.request(for: machine ?? new, name: "Bath", over: binding)
    }

    private func file(_ invitation: Invitation) -> [UInt8] { invitation.fileText.withBytes { Array($0) } }

    // MARK: Coming in

    @Test func anyMemberLetsTheMachineInAndTheMachineTakesTheDocument() throws {
        var atB = try household()
        let invitation = try Invitation(fileText: file(invitation(to: atB)))
        let request = try InvitationRequest(decoding: request(invitation).encoded())
        try atB.admit(request, from: new.key, over: binding, at: before, by: b)
        #expect(atB.isMember(new.key) && atB.members.contains { $0.name == "Bath" && $0.peerKey == new.key })
        let taken = try invitation.household(decoding: atB.encoded(), from: b.key, for: new.key)
        #expect(taken == atB)
    }

    @Test func itsUseMakesANewSecretThatTheInvitationDoesNotKnow() throws {
        let before = try household()
        var after = before
        try after.admit(request(invitation(to: before)), from: new.key, over: binding, at: self.before, by: b)
        #expect(before.secret?.generation == 1 && after.secret?.generation == 2)
        #expect(after.members.count == 3)
    }

    @Test func itLetsOneMachineIn() throws {
        var household = try household()
        let invitation = try invitation(to: household)
        try household.admit(request(invitation), from: new.key, over: binding, at: before, by: b)
        let after = household
        let second = try request(invitation, for: other)
        #expect(throws: InvitationError.used) {
            try household.admit(second, from: other.key, over: binding, at: before, by: a)
        }
        #expect(household == after)
    }

    @Test func aMemberThatShowsItAgainIsLeftInPeace() throws {
        var household = try household()
        let request = try request(invitation(to: household))
        try household.admit(request, from: new.key, over: binding, at: before, by: b)
        let after = household
        try household.admit(request, from: new.key, over: binding, at: end, by: a)
        #expect(household == after)
    }

    // MARK: Staying out

    private func expect(
        _ error: InvitationError, at unixTime: Int64? = nil, by keys: PeerKeyPair? = nil, from key: PeerKey? = nil,
        over channel: ChannelBinding? = nil, in household: Household, _ request: InvitationRequest
    ) {
        var changed = household
        #expect(throws: error) {
            try changed.admit(
                request, from: key ?? new.key, over: channel ?? binding, at: unixTime ?? before, by: keys ?? b)
        }
        #expect(changed == household)
    }

    @Test func anExpiredOneIsRefused() throws {
        let household = try household()
        expect(.expired, at: end, in: household, try request(invitation(to: household)))
    }

    @Test func thatOfARemovedInviterIsRefused() throws {
        var household = try household()
        let request = try request(invitation(to: household))
        try household.remove(a.signingKey, by: b)
        expect(.inviterIsNoMember, in: household, request)
    }

    @Test func thatOfAStrangerIsRefused() throws {
        let home = try household()
        var theirs = home
        try theirs.admit(other.signingKey, name: "other", by: a)
        let request = try request(Invitation(to: theirs, until: end, by: other))
        expect(.inviterIsNoMember, in: home, request)
        #expect(throws: InvitationError.notMember) { try Invitation(to: home, until: end, by: other) }
    }

    @Test func thatOfAnotherHouseholdIsRefused() throws {
        let theirs = try Household(name: "Home", founder: a, memberName: "A")
        expect(.otherHousehold, in: try household(), try request(invitation(to: theirs)))
    }

    /// Somebody passes on what the new machine has shown to it.
    @Test func aRequestOfAnotherMachineOrChannelIsRefused() throws {
        let household = try household()
        let request = try request(invitation(to: household))
        expect(.foreignKey, from: other.key, in: household, request)
        expect(.notAuthentic, over: ChannelBinding(RandomNumbers.bytes32()), in: household, request)
    }

    @Test func aRemovedKeyDoesNotComeBackByAnInvitation() throws {
        var household = try household()
        try household.admit(new.signingKey, name: "Bath", by: a)
        try household.remove(new.signingKey, by: a)
        expect(.removedKey, in: household, try request(invitation(to: household)))
    }

    @Test func whoIsNoMemberLetsNobodyIn() throws {
        let household = try household()
        expect(.notMember, by: other, in: household, try request(invitation(to: household)))
    }

    @Test func aMachineThatCallsItselfNothingAsksForNothing() throws {
        let invitation = try invitation(to: household())
        for name in ["", String(repeating: "x", count: HouseholdLimits.nameByteCount + 1)] {
            #expect(throws: InvitationError.household(.badName)) {
                try invitation.request(for: new, name: name, over: binding)
            }
        }
    }

    @Test func aFullHouseholdTakesNobody() throws {
        var household = try household()
        let request = try request(invitation(to: household))
        for _ in 0..<HouseholdLimits.removalCount {
            try household.remove(PeerKeyPair.random().signingKey, by: a)
        }
        expect(.household(.full), in: household, request)
    }

    // MARK: What comes back

    @Test func onlyTheDocumentOfAMemberOfThatHouseholdIsTaken() throws {
        var household = try household()
        let invitation = try invitation(to: household)
        func taken(_ household: Household, from sender: PeerKey) throws -> Household {
            try invitation.household(decoding: household.encoded(), from: sender, for: new.key)
        }
        #expect(throws: InvitationError.notAdmitted) { try taken(household, from: b.key) }
        try household.admit(request(invitation), from: new.key, over: binding, at: before, by: b)
        #expect(throws: InvitationError.notAdmitted) { try taken(household, from: other.key) }
        #expect(throws: InvitationError.notAdmitted) {
            try invitation.household(decoding: household.encoded(), from: b.key, for: other.key)
        }
        var theirs = try Household(name: "Home", founder: b, memberName: "B")
        try theirs.admit(new.signingKey, name: "Bath", by: b)
        #expect(throws: InvitationError.otherHousehold) { try taken(theirs, from: b.key) }
        #expect(throws: InvitationError.household(.malformed)) {
            try invitation.household(decoding: [1, 2, 3], from: b.key, for: new.key)
        }
        var without = household
        try without.remove(a.signingKey, by: b)
        #expect(throws: InvitationError.inviterIsNoMember) { try taken(without, from: b.key) }
    }

    // MARK: Bytes

    @Test func everyChangedByteOfTheFileIsNoticed() throws {
        let bytes = file(try invitation(to: household()))
        #expect(bytes.count < Invitation.fileByteCountLimit)
        for index in bytes.indices {
            // Another case of a digit, a digit instead of another, and what is none.
            for change: UInt8 in [0x20, 0x01, 0x80] {
                var changed = bytes
                changed[index] ^= change
                #expect(throws: InvitationError.self, "byte \(index)") { try Invitation(fileText: changed) }
            }
        }
    }

    @Test func everyTruncationOfTheFileIsNoticed() throws {
        let bytes = file(try invitation(to: household()))
        for count in 0..<bytes.count {
            #expect(throws: InvitationError.malformed) { try Invitation(fileText: Array(bytes.prefix(count))) }
        }
        #expect(throws: InvitationError.malformed) { try Invitation(fileText: bytes + bytes) }
    }

    @Test func everyChangedByteOfARequestIsNoticed() throws {
        let household = try household()
        let bytes = try request(invitation(to: household)).encoded()
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            var after = household
            #expect(throws: InvitationError.self, "byte \(index)") {
                let request = try InvitationRequest(decoding: changed)
                try after.admit(request, from: new.key, over: binding, at: before, by: b)
            }
            #expect(after == household)
        }
    }

    @Test func everyTruncationOfARequestIsNoticed() throws {
        let bytes = try request(invitation(to: household())).encoded()
        for count in 0..<bytes.count {
            #expect(throws: InvitationError.malformed) { try InvitationRequest(decoding: Array(bytes.prefix(count))) }
        }
        #expect(throws: InvitationError.malformed) { try InvitationRequest(decoding: bytes + [0]) }
    }

    @Test func theLongestRequestFitsIntoItsLimit() throws {
        let name = String(repeating: "x", count: HouseholdLimits.nameByteCount)
        let household = try Household(name: name, founder: a, memberName: "A")
        let request = try invitation(to: household).request(for: new, name: name, over: binding)
        #expect(request.encoded().count == HouseholdLimits.requestByteCount)
    }

    @Test func theSecretOfAnInvitationIsInNoDescription() throws {
        let invitation = try invitation(to: household())
        #expect("\(invitation.fileText)" == "(secret)")
        let seed = String(decoding: file(invitation), as: UTF8.self).split(separator: "\n")[2]
        #expect(!"\(invitation)".contains(seed))
    }
}
