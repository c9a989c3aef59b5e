import Households
import ProgrammeJSON
import SecureChannel
import TerminalIO

/// How a household is listed.
extension HouseholdCommand {
    /// One line about the whole of it.
    /// - Parameter own: this machine's key.
    static func heading(_ household: Household?, _ own: PeerKey) -> String {
        guard let household else {
            return "this machine is open: whoever is on its network may listen, broadcast and command; "
                + "'tutti household create' or 'tutti pair' changes that"
        }
        switch household.standing(of: own) {
        case .member:
            let count = household.members.count
            return "household \(household.name), \(count) \(count == 1 ? "member" : "members")"
        case .removed:
            return "this machine was removed from the household \(household.name) and takes part with nobody; "
                + "'tutti household leave' begins anew"
        case .unknown: return UnknownKeySentence(household: household.name).text
        }
    }

    static func table(_ household: Household, _ own: PeerKey) -> Table {
        var table = Table(columns: [
            .init(title: "name", dropOrder: 0), .init(title: "key", dropOrder: 1), .init(title: "", dropOrder: 2),
        ])
        table.rows = sorted(household.members).map { member in
            [
                .init(text: member.name.terminalSafe, style: .strong),
                .init(text: member.keyDigits),
                .init(text: member.peerKey == own ? "this machine" : ""),
            ]
        }
        return table
    }

    static func json(_ household: Household?, _ own: PeerKey) -> JSONValue {
        let standing = household?.standing(of: own).rawValue ?? "open"
        let members = sorted(household?.members ?? []).map { member -> JSONValue in
            .object([
                "name": .string(member.name), "key": .string(member.peerKey.description),
                "isThisMachine": .bool(member.peerKey == own),
            ])
        }
        return .object([
            "household": .optional(household?.name), "id": .optional(household?.id.description),
            "standing": .string(standing), "members": .array(members),
        ])
    }

    private static func sorted(_ members: [Household.Member]) -> [Household.Member] {
        members.sorted { ($0.name, $0.peerKey) < ($1.name, $1.peerKey) }
    }
}

extension Household.Member {
    /// The first digits of its key: enough to tell machines of one name apart.
    var keyDigits: String { String(peerKey.description.prefix(8)) }
}
