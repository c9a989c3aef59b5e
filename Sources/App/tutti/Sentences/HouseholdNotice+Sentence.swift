import TuttiRuntime

extension HouseholdNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .open:
            "this machine is open: whoever is on the network may listen, broadcast and command; 'tutti household create' "
                + "or 'tutti pair' changes that"
        case .member(let name): "this machine takes part with members of the household \(name) only"
        case .removed(let name):
            "this machine was removed from the household \(name) and takes part with nobody; 'tutti household leave' "
                + "begins anew"
        case .unknownKey(let name): UnknownKeySentence(household: name).text
        case .waiting(let name): "waiting for a member of \(name)"
        case .notLetIn(let name, let reason):
            "\(name) does not let this machine in: \(reason); if it is a member, the invitation may have been used "
                + "before: make another with 'tutti household invite'"
        case .full(let name):
            "the list of the household \(name) is full: who was let in or removed lately is not known here; make a new "
                + "household with 'tutti household create'"
        case .admitted(let name): "let \(name) into the household: it showed an invitation"
        }
    }
}
