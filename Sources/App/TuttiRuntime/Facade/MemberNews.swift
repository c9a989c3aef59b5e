import HouseholdSessions
import Households
import SecureChannel

/// What the other members of a household were told of a change.
public struct MemberNews: Sendable {
    /// What they are told.
    public enum Change: Sendable {
        /// This machine let somebody in.
        case admission
        /// It removed somebody.
        case removal
        /// It leaves: the household without it.
        case departure(Household)
    }

    /// They know it now.
    public let told: [Household.Member]
    /// They take nothing from this machine, for this reason: mostly as it was removed itself, and does not know it.
    public let refusing: [(member: Household.Member, reason: String)]
    /// They were not found in time, and hear of it when they meet a member that knows.
    public let others: [Household.Member]
    /// What one that was told says of this machine, which was removed itself at the same time; mostly nil.
    public let expulsion: String?

    /// Finds members by mDNS and gives them the document, for two seconds at most. Blocks the calling thread.
    /// - Parameters:
    ///   - identity: with the household as it is stored now; of a machine that leaves, as it was before.
    ///   - members: whom to tell, nil for all but this machine.
    /// - Throws: if the system lets this process make no connection.
    public static func tell(
        _ change: Change, as identity: Identity, among members: [Household.Member]? = nil
    ) throws(RuntimeFailure) -> MemberNews {
        let members = (members ?? identity.household?.household?.members ?? [])
            .filter { $0.peerKey != identity.keys.key }
        guard !members.isEmpty else { return MemberNews(of: [], by: RoundOutcome()) }
        let outcome = try RunControl().run { loop in
            let options = change.roundOptions(for: Set(members.map(\.peerKey)))
            return RoundRunner(options, identity: identity, loop: loop).run()
        }
        return MemberNews(of: members, by: outcome)
    }

    private init(of members: [Household.Member], by outcome: RoundOutcome) {
        told = members.filter { outcome.told.contains($0.peerKey) }
        let untold = members.filter { !outcome.told.contains($0.peerKey) }
        refusing = untold.compactMap { member in outcome.refusals[member.peerKey].map { (member, $0.text) } }
        others = untold.filter { outcome.refusals[$0.peerKey] == nil }
        expulsion = told.lazy.compactMap { outcome.refusals[$0.peerKey]?.text }.first
    }
}

extension MemberNews.Change {
    fileprivate func roundOptions(for keys: Set<PeerKey>) -> RoundRunner.Options {
        switch self {
        case .admission: return RoundRunner.Options(purpose: .telling(keys))
        case .removal: return RoundRunner.Options(purpose: .removing(keys))
        case .departure(let household):
            var options = RoundRunner.Options(purpose: .leaving(keys))
            options.farewell = household
            return options
        }
    }
}
