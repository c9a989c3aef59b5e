import Households
import SecureChannel

/// What the other members of a household were told of a change.
public struct MemberNews: Sendable {
    /// They know it now.
    public let told: [Household.Member]
    /// They take nothing from this machine, for this reason: mostly as it was removed itself, and does not know it.
    public let refusing: [(member: Household.Member, reason: String)]
    /// They were not found in time, and hear of it when they meet a member that knows.
    public let others: [Household.Member]

    /// Finds members by mDNS and gives them the document, for two seconds at most. Blocks the calling thread.
    /// - Parameters:
    ///   - identity: with the household as it is stored now.
    ///   - members: whom to tell, nil for all but this machine.
    ///   - farewell: the household without this machine, which leaves it; `identity` has the one of before.
    /// - Throws: if the system lets this process make no connection.
    public static func tell(
        as identity: Identity, among members: [Household.Member]? = nil, farewell: Household? = nil
    ) throws(RuntimeFailure) -> MemberNews {
        let members = (members ?? identity.household?.household?.members ?? [])
            .filter { $0.peerKey != identity.keys.key }
        guard !members.isEmpty else { return MemberNews(told: [], refusing: [], others: []) }
        let outcome = try RunControl().run { loop in
            let keys = Set(members.map(\.peerKey))
            var options = RoundRunner.Options(purpose: farewell == nil ? .telling(keys) : .leaving(keys))
            options.farewell = farewell
            return RoundRunner(options, identity: identity, loop: loop).run()
        }
        let untold = members.filter { !outcome.told.contains($0.peerKey) }
        return MemberNews(
            told: members.filter { outcome.told.contains($0.peerKey) },
            refusing: untold.compactMap { member in
                outcome.refusals[member.peerKey].map { (member, $0.text) }
            },
            others: untold.filter { outcome.refusals[$0.peerKey] == nil })
    }
}
