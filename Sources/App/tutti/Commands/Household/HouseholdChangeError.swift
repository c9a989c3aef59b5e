import Households
import TuttiRuntime

/// Why `tutti household` changes nothing.
enum HouseholdChangeError: Error, Hashable {
    /// There is no household.
    case none
    /// There is one already, to which this machine's key is that.
    case exists(String, KeyStanding)
    case household(HouseholdError)
}

extension HouseholdChangeError {
    /// One line that says what to do.
    var sentence: String {
        switch self {
        case .none: "this machine belongs to no household: 'tutti household create', or 'tutti pair'"
        case .exists(let name, .member):
            "this machine belongs to the household \(name) already; 'tutti household leave' takes it out"
        case .exists(let name, .removed):
            "this machine was removed from the household \(name); 'tutti household leave' begins anew"
        case .exists(let name, .unknown): UnknownKeySentence(household: name).text
        case .household(.notMember):
            "this machine is no member of its household; 'tutti household' says why, and what to do"
        case .household(.full):
            "the household holds as many changes as it may: found a new one, and pair its machines again"
        case .household(let error): "that cannot be: \(error)"
        }
    }
}

extension RuntimeFailure {
    init(_ error: HouseholdChangeError) {
        let kind: Kind =
            switch error {
            case .none, .household(.notMember): .unavailable
            case .exists, .household(.full): .cannotCreate
            case .household: .general
            }
        self.init(kind, .other(error.sentence))
    }
}
