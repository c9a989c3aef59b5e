import Broadcasting

extension BroadcastNotice {
    /// Whether a listener, or the one of this name, went without a word.
    func isGone(_ listener: String? = nil) -> Bool {
        guard case .gone(let name, _) = self else { return false }
        return listener.map { $0 == name } ?? true
    }
}
