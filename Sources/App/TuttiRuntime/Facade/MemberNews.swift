import Households
import SecureChannel

/// Tells the other members of a household what has changed.
public enum MemberNews {
    /// Finds members by mDNS and gives them the document, for two seconds at most. Blocks the calling thread.
    ///
    /// The others hear of it when they meet a member that knows.
    /// - Parameters:
    ///   - identity: with the household as it is stored now.
    ///   - members: whom to tell, nil for all but this machine.
    ///   - farewell: the household without this machine, which leaves it; `identity` has the one of before.
    /// - Returns: who knows it now, by name, and who does not.
    /// - Throws: if the system lets this process make no connection.
    public static func tell(
        as identity: Identity, among members: [Household.Member]? = nil, farewell: Household? = nil
    ) throws(RuntimeFailure) -> (told: [Household.Member], others: [Household.Member]) {
        let members = members ?? identity.household?.household?.members ?? []
        let others = members.filter { $0.peerKey != identity.keys.key }
        guard !others.isEmpty else { return ([], []) }
        let told = try RunControl().run { loop in
            let keys = Set(others.map(\.peerKey))
            var options = RoundRunner.Options(purpose: farewell == nil ? .telling(keys) : .leaving(keys))
            options.farewell = farewell
            return RoundRunner(options, identity: identity, loop: loop).run()
        }
        return (others.filter { told.contains($0.peerKey) }, others.filter { !told.contains($0.peerKey) })
    }
}
