import ProgrammeJSON
import TuttiRuntime

/// What pages may do: as everybody else by ``AccessPolicy``, and guests by their codes besides.
struct PageAccess: Hashable, Sendable {
    /// What somebody without a code may do; nothing in a household, unless the user allowed it to anyone.
    var open: PageRights
    /// What nobody may do by a page, whatever code they have.
    var withheld: PageRights = []

    init(open: PageRights) { self.open = open }

    /// - Parameters:
    ///   - chosen: what the user allowed to others; its household does not count.
    ///   - acceptsSongs: whether those who may command may add songs.
    init(_ chosen: AccessPolicy, acceptsSongs: Bool, isInHousehold: Bool) {
        var policy = chosen
        // What it is called is of no importance here.
        policy.household = isInHousehold ? "" : nil
        open = []
        if policy.denial(of: .listen, to: .stranger) == nil { open.insert(.listen) }
        if policy.denial(of: .command, to: .stranger) == nil {
            open.formUnion(acceptsSongs ? [.add, .command] : [.command])
        }
        if policy.audience(of: .listen) == .nobody { withheld.insert(.listen) }
        if policy.audience(of: .command) == .nobody { withheld.formUnion([.add, .command]) }
    }

    /// What a guest of this role may do: whatever others may without a code is theirs, too.
    func rights(of role: GuestRole) -> PageRights { role.rights.subtracting(withheld).union(open) }
}
