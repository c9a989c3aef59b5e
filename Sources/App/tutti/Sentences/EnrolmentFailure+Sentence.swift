import TuttiRuntime

extension EnrolmentFailure {
    /// For people, one line that says what to do.
    var sentence: String {
        switch self {
        case .invitationIsOver(let name):
            "the invitation to \(name) has ended: run 'tutti household invite' on a member of it, and use that"
        case .otherHousehold(let name):
            "the invitation is to another household, and this machine belongs to \(name): 'tutti household leave' first, or "
                + "start it without the invitation"
        case .removed(let name):
            "this machine was removed from \(name): 'tutti household leave' begins anew, then a new invitation lets it in"
        case .unknownKey(let name):
            "this machine's key, which was lost or replaced, is not known to \(name): 'tutti household leave' begins "
                + "anew, then a new invitation lets it in"
        case .nobodyToAsk: "an invitation needs mDNS, or the address of a member"
        }
    }
}
