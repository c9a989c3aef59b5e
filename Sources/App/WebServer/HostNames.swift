/// The names by which clients may call a server, beside its addresses.
struct HostNames {
    private let exact: Set<String>
    /// What follows the asterisk and the dot of a certificate's names.
    private let wildcards: Set<String>

    /// - Parameters:
    ///   - own: of this machine; each stands also for itself in `.local` where it has no dot.
    ///   - proven: of a certificate. No other site can have them: whoever looked one up there proved it by that.
    init(own: [String], proven: [String] = []) {
        let own = own.compactMap { Authority($0)?.host.text }
        exact = Set(
            ["localhost"] + own + own.filter { !$0.contains(".") && !$0.contains(":") }.map { $0 + ".local" }
                + proven.filter { !$0.hasPrefix("*.") })
        wildcards = Set(proven.filter { $0.hasPrefix("*.") }.map { String($0.dropFirst(2)) })
    }

    /// - Parameter name: in lower case, without a dot at its end.
    func contains(_ name: String) -> Bool {
        if exact.contains(name) { return true }
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return false }
        return wildcards.contains(String(name[name.index(after: dot)...]))
    }

    /// Whether a text of a certificate is a DNS name in lower case, as a Host header has it.
    static func isName(_ text: Substring) -> Bool {
        guard case .name(let name)? = Authority(text)?.host else { return false }
        return name == text
    }
}
