import AudioCore
import Cryptography
import NIOCore
import SecureChannel

/// All channels of one process, as its household sees them: who is at the other end, and who lacks the document.
///
///     open ──▶ introduced ──▶ closed
///
/// The peer's standing is known from its introduction on, before anything else that it says. It changes when somebody
/// is let in or removed, here or by another process of this machine. A value without file and network: the owner
/// performs the actions.
/// - `ID`: of a channel.
public struct HouseholdMeetings<ID: Hashable & Sendable>: Sendable {
    /// What the owner does, in order.
    public enum Action: Sendable {
        /// Tell that the peer at the other end is this, from now on.
        case standing(ID, PeerStanding)
        /// Send the document, which holds the secret.
        case send(ID, SecretBytes)
        /// Store the household: merge it with what is stored.
        case store(Household)
        /// A new machine of this name was let in by its invitation.
        case admitted(name: String)
        /// A new machine's invitation holds, but the household is full.
        case full
        /// The household, or this machine's place in it, is another one than before.
        case changed
    }

    private struct Channel {
        var meeting: HouseholdMeeting
        /// Nil until the other end has introduced itself.
        var standing: PeerStanding?
        /// Whether the removals by which it introduced itself were taken.
        var isHeard = false
    }

    private var keeper: HouseholdKeeper
    private var channels: [ID: Channel] = [:]

    public init(keys: PeerKeyPair, household: Household?) {
        keeper = HouseholdKeeper(keys: keys, household: household)
    }

    /// Nil in open mode.
    public var household: Household? { keeper.household }

    /// What the holder of a key is by the household alone, for one to whom there is no channel; nil if that says
    /// nothing of it.
    public func standing(of key: PeerKey) -> PeerStanding? { keeper.standing(of: key) }

    // MARK: Channels

    /// Begins with a channel whose other end has proved its key.
    /// - Parameter invitation: what this machine shows if it was invited and is no member yet.
    /// - Returns: the own introduction, for that channel alone.
    public mutating func open(
        _ id: ID, remoteKey: PeerKey, binding: ChannelBinding, invitation: [UInt8] = []
    ) -> [UInt8] {
        let meeting = HouseholdMeeting(remoteKey: remoteKey, binding: binding)
        channels[id] = Channel(meeting: meeting)
        let sign = keeper.sign(for: meeting)
        var introduction = sign.map { HouseholdIntroduction(sign: $0) } ?? .random()
        let removals = keeper.lastWords(to: meeting)
        if !removals.isEmpty {
            introduction.claim = .removals(removals.encodedLastWords())
        } else if !invitation.isEmpty {
            introduction.claim = .invitation(invitation)
        }
        return introduction.encoded()
    }

    public mutating func close(_ id: ID) { channels[id] = nil }

    /// Takes the other end's introduction, once. The first action says what it is. A new machine that shows an
    /// invitation is let in before that, and whom a member has removed is out.
    /// - Parameter unixTime: in seconds since 1970, for invitations.
    public mutating func receive(
        introduction bytes: ByteBuffer, from id: ID, at unixTime: Int64, now: HostTime
    ) -> [Action] {
        guard var channel = channels[id], channel.standing == nil else { return [] }
        let introduction = HouseholdIntroduction(decoding: bytes)
        let claim = take(introduction?.claim ?? .none, from: id, at: unixTime, now)
        channel.isHeard = claim.isHeard
        let document = introduction.flatMap { keeper.receive($0.sign, in: &channel.meeting) }
        let standing = standing(in: channel)
        channel.standing = standing
        channels[id] = channel
        return [.standing(id, standing)] + claim.actions + (document.map { [.send(id, $0)] } ?? [])
            + (claim.isChanged ? spread() : [])
    }

    private struct ClaimOutcome {
        var actions: [Action] = []
        var isChanged = false
        var isHeard = false
    }

    /// Lets in a new machine that was invited, or takes whom a member removed.
    private mutating func take(
        _ claim: HouseholdIntroduction.Claim, from id: ID, at unixTime: Int64, _ now: HostTime
    ) -> ClaimOutcome {
        guard let meeting = channels[id]?.meeting else { return ClaimOutcome() }
        do throws(HouseholdError) {
            switch claim {
            case .none: return ClaimOutcome()
            case .invitation(let request): return try admit(request, in: meeting, at: unixTime, now)
            case .removals(let removals):
                let outcome = try keeper.receive(lastWords: removals, in: meeting, now: now)
                let stored = outcome.isChanged ? household.map { [Action.store($0)] } ?? [] : []
                return ClaimOutcome(actions: stored, isChanged: outcome.isChanged, isHeard: outcome.isHeard)
            }
        } catch {
            return ClaimOutcome(actions: error == .full ? [.full] : [])
        }
    }

    private mutating func admit(
        _ request: [UInt8], in meeting: HouseholdMeeting, at unixTime: Int64, _ now: HostTime
    ) throws(HouseholdError) -> ClaimOutcome {
        guard let request = try? InvitationRequest(decoding: request) else { return ClaimOutcome() }
        do throws(InvitationError) {
            guard try keeper.admit(request, in: meeting, at: unixTime, now: now), let household else {
                return ClaimOutcome()
            }
            return ClaimOutcome(actions: [.admitted(name: request.name), .store(household)], isChanged: true)
        } catch {
            if case .household(let error) = error { throw error }
            return ClaimOutcome()
        }
    }

    private func standing(in channel: Channel) -> PeerStanding {
        let standing = keeper.standing(in: channel.meeting)
        return standing == .removed && channel.isHeard ? .removedLately : standing
    }

    /// Takes a document that the other end sent.
    /// - Throws: what is wrong with it, ``HouseholdError/notMember`` if the sender is none. Then nothing has changed.
    public mutating func receive(
        document bytes: some ByteSource, from id: ID, now: HostTime
    ) throws(HouseholdError) -> [Action] {
        guard var channel = channels[id] else { return [] }
        let reception = try keeper.receive(document: bytes, in: &channel.meeting, now: now)
        channels[id] = channel
        let answer = reception.answer.map { [Action.send(id, $0)] } ?? []
        guard reception.isChanged, let household else { return answer }
        return [.store(household)] + answer + spread()
    }

    // MARK: Other processes of this machine

    /// Takes what is stored now.
    public mutating func adopt(_ stored: Household?, now: HostTime) throws(HouseholdError) -> [Action] {
        try keeper.adopt(stored, now: now) ? spread() : []
    }

    /// Tells all others of a change. Whoever becomes a member is told of before the household, and whoever no longer is
    /// one behind it: in between nobody is a stranger to a household that has him, or had him.
    private mutating func spread() -> [Action] {
        var (welcomes, others, documents): ([Action], [Action], [Action]) = ([], [], [])
        for (id, channel) in channels {
            guard let before = channel.standing else { continue }
            let standing = standing(in: channel)
            channels[id]?.standing = standing
            switch standing {
            case before: break
            case .member, .thisMachine: welcomes.append(.standing(id, standing))
            case .removed, .removedLately, .stranger, .guest: others.append(.standing(id, standing))
            }
            var meeting = channel.meeting
            if let document = keeper.document(for: &meeting) { documents.append(.send(id, document)) }
            channels[id]?.meeting = meeting
        }
        return welcomes + [.changed] + others + documents
    }
}
