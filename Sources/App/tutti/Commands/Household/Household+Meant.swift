import AudioCore
import Households
import SecureChannel
import TuttiRuntime

extension Household {
    /// Returns the member that the user means.
    /// - Parameter text: its name, or the first digits of its key.
    /// - Throws: if there is none, or several have the name.
    func member(meantBy text: String) throws(RuntimeFailure) -> Member {
        let named = members.filter { $0.name == text }
        let found = named.isEmpty ? members.filter { $0.hasKey(beginningWith: text) } : named
        if found.count > 1 { throw RuntimeFailure(.usage, .other(Self.ambiguity(text, found))) }
        guard let member = found.first else { throw RuntimeFailure(.unknownPeer, .other(unknown(text))) }
        return member
    }

    private static func ambiguity(_ text: String, _ members: [Member]) -> String {
        "several members are meant by '\(text)': give the first digits of the key, one of "
            + members.map(\.keyDigits).sorted().joined(separator: ", ")
    }

    private func unknown(_ text: String) -> String {
        let near = text.nearest(among: members.map(\.name).sorted()).map { "; did you mean '\($0)'?" }
        return "no member of \(name) is called '\(text)'" + (near ?? "; 'tutti household' lists them")
    }
}

extension Household.Member {
    /// As few digits could be a typing error.
    private static let fewestDigits = 6

    fileprivate func hasKey(beginningWith text: String) -> Bool {
        text.count >= Self.fewestDigits && peerKey.description.hasPrefix(text.lowercased())
    }
}
