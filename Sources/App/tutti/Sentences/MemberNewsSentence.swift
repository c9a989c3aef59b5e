import Households
import TuttiRuntime

/// Which members know of a change, which do not yet, and which take none from this machine.
struct MemberNewsSentence {
    /// Names of either that are written out.
    private static let nameLimit = 6

    let text: String

    init(_ news: MemberNews) {
        let refusal = news.refusing.first.map { first in
            (by: news.refusing.map(\.member.name), reason: first.reason)
        }
        self.init(
            told: news.told.map(\.name), others: news.others.map(\.name), refusal: refusal, expulsion: news.expulsion)
    }

    /// - Parameters:
    ///   - told: names of members that know of it.
    ///   - others: names of those that do not.
    ///   - refusal: names of those that do not take this machine for a member, and what one of them says.
    ///   - expulsion: what one that was told says of this machine, which was removed itself.
    init(
        told: [String], others: [String], refusal: (by: [String], reason: String)? = nil, expulsion: String? = nil
    ) {
        let (known, unknown) = (Self.list(told), Self.list(others))
        let hear = others.count == 1 ? "\(unknown) hears of it when it meets" : "\(unknown) hear of it when they meet"
        let news =
            switch (told.isEmpty, others.isEmpty) {
            case (true, _) where refusal != nil: "nobody was told"
            case (true, true): "there is no other member"
            case (false, true): "told \(known)"
            case (true, false): "no other member was found; \(hear) one that knows"
            case (false, false): "told \(known); \(hear) a member"
            }
        var parts = [news]
        if let refusal {
            let verb = refusal.by.count == 1 ? "does" : "do"
            parts.append("\(Self.list(refusal.by)) \(verb) not take it: \(refusal.reason)")
        } else if let expulsion {
            parts.append("but \(expulsion)")
        }
        text = parts.joined(separator: "; ")
    }

    private static func list(_ names: [String]) -> String {
        let sorted = names.sorted()
        guard sorted.count > 1, let last = sorted.last else { return sorted.first ?? "" }
        guard sorted.count <= nameLimit else {
            return sorted.prefix(nameLimit - 1).joined(separator: ", ") + " and \(sorted.count - nameLimit + 1) others"
        }
        return sorted.dropLast().joined(separator: ", ") + " and " + last
    }
}

extension MemberNews {
    /// What to fail with where it reached nobody, and those who were found do not take this machine for a member.
    var failure: RuntimeFailure? {
        guard told.isEmpty, !refusing.isEmpty else { return nil }
        return RuntimeFailure(.notAllowed, .other(MemberNewsSentence(self).text))
    }
}
