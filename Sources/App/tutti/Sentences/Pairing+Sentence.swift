import TuttiRuntime

extension PairingTryFailure {
    /// What happened, after the name of who tried.
    var sentence: String {
        switch self {
        case .wrongCode: "typed another code"
        case .lost: "was lost in the middle"
        case .timedOut: "took too long"
        case .refused(let reason): "gave up: \(reason)"
        case .malformed: "said what makes no sense here: install the same release on both"
        case .broken(let error): "was turned away: \(error)"
        case .unusableHousehold(let error): "sent no household with both machines in it: \(error.words)"
        }
    }
}

extension NewcomerFailure {
    /// One line that says what to do.
    var sentence: String {
        switch self {
        case .tooManyFailures:
            "three tries failed, and nobody can pair with this machine any more; if they were yours, run 'tutti pair' "
                + "again"
        case .notStored(let reason):
            "this machine was let in, but cannot store the household: \(reason); then run 'tutti pair' again"
        }
    }
}

extension SponsorFailure {
    /// One line that says what to do.
    /// - Parameter target: the machine that was meant.
    func sentence(_ target: SponsorTarget) -> String {
        switch self {
        case .notFound(let others): Self.notFound(others, target)
        case .cannotSearch(let cause):
            "new machines cannot be looked for: \(cause); write the address that 'tutti pair' shows there behind the code"
        case .ambiguous(let names):
            "several machines wait to be paired: \(names.joined(separator: ", ")); write the name behind the code, as in "
                + "tutti pair CODE \((names.first ?? "").shellQuoted)"
        case .noAnswer:
            "nobody answered\(target.place) in 3 s; is 'tutti pair' running there, and does a firewall let it through?"
        case .doesNotWait(let name): "\(name) does not wait to be paired: run 'tutti pair' there"
        case .wrongCode(let name): "\(name) shows another code than that; type the one that it shows now"
        case .doesNotKnowCode(let name):
            "what answered as \(name) does not know the code: it may be another machine than the one before you; write "
                + "the address that 'tutti pair' shows there behind the code"
        case .turnedAway(let name, _, let reason): "\(name) refuses: \(reason)"
        case .foreignKey(let name): "\(name) states a key that is not its own, and was not let in"
        case .timedOut(let name): "\(name) took too long, and was not let in; type the code that it shows now"
        case .lost(let name): "lost \(name), which was not let in; type the code that it shows now"
        case .malformed(let name):
            "\(name) said what makes no sense here, and was not let in: install the same release on both"
        case .brokenProtocol(let name, let error): "\(name) was not let in: \(error)"
        case .notAdmitted(let name, let failure): "\(name) was not let in: \(failure.words)"
        case .unconfirmed(let name, let reason):
            "\(name) was let in, but did not say that it has the household\(reason.map { " (\($0))" } ?? ""); unless it "
                + "says so on its screen, run 'tutti pair' there again"
        }
    }

    private static func notFound(_ others: [String], _ target: SponsorTarget) -> String {
        guard case .named(let name) = target, !others.isEmpty else {
            return
                "no machine was found in 3 s that waits to be paired: run 'tutti pair' on the new one, and if it runs "
                + "there, write the address that it shows behind the code"
        }
        let near = name.nearest(among: others).map { "did you mean '\($0)'?" }
        return
            "no machine named '\(name)' waits to be paired; \(near ?? "there are: \(others.joined(separator: ", "))")"
    }
}

extension SponsorTarget {
    fileprivate var place: String { if case .address(let address) = self { " at \(address)" } else { "" } }
}

extension AdmissionFailure {
    fileprivate var words: String {
        switch self {
        case .noHousehold: "this machine has no household any more"
        case .household(let error): error.words
        case .notStored(let reason): reason
        }
    }
}

extension HouseholdError {
    fileprivate var words: String {
        switch self {
        case .malformed: "its document is damaged"
        case .notAuthentic: "its document is not signed by its members"
        case .otherHousehold: "it is another household"
        case .full: "the household is full"
        case .notMember: "this machine does not belong to it"
        case .removedKey:
            "its key was removed from the household, and never comes back; 'tutti household leave' there makes a new one"
        case .badName: "its name is empty or too long"
        }
    }
}
