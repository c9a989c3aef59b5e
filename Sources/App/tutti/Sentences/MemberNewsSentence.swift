import Households

/// Which members know of a change, and which do not yet.
struct MemberNewsSentence {
    /// Names of either that are written out.
    private static let nameLimit = 6

    let text: String

    init(_ news: (told: [Household.Member], others: [Household.Member])) {
        self.init(told: news.told.map(\.name), others: news.others.map(\.name))
    }

    /// - Parameters:
    ///   - told: names of members that know of it.
    ///   - others: names of those that do not.
    init(told: [String], others: [String]) {
        let (known, unknown) = (Self.list(told), Self.list(others))
        let hear = others.count == 1 ? "\(unknown) hears of it when it meets" : "\(unknown) hear of it when they meet"
        switch (told.isEmpty, others.isEmpty) {
        case (true, true): text = "there is no other member"
        case (false, true): text = "told \(known)"
        case (true, false): text = "no other member was found; \(hear) one that knows"
        case (false, false): text = "told \(known); \(hear) a member"
        }
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
