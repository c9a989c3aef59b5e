import AudioCore

/// A part of the network that carries nothing: neither segments nor datagrams nor mDNS.
struct NetworkCut {
    /// Names of the machines whose packets to whom are lost; nil: of any other machine.
    var source: String?
    var target: String?

    func covers(_ source: String, _ target: String) -> Bool {
        (self.source ?? source) == source && (self.target ?? target) == target && source != target
    }
}

/// Which way a cut goes.
public enum CutDirection: CaseIterable, Sendable {
    case both
    /// Nothing reaches the machine.
    case inbound
    /// Nothing of the machine reaches others.
    case outbound
}

extension VirtualNetwork {
    /// Cuts a machine off from all others for a time. Cuts may overlap.
    /// - Parameter isSeen: the machine's kernel knows, as of a cable that was pulled: dials fail at once, and mDNS
    ///   forgets whom it knew.
    public func cut(
        off machine: VirtualMachine, _ direction: CutDirection = .both, isSeen: Bool = false, for span: TimeSpan
    ) {
        if direction != .outbound { cut(NetworkCut(source: nil, target: machine.name), for: span) }
        if direction != .inbound { cut(NetworkCut(source: machine.name, target: nil), for: span) }
        guard isSeen else { return }
        onLinkDown?(machine)
        attachment(of: machine)?.linkDownUntil = loop.now + span
    }

    /// Cuts a machine off from one other for a time; `direction` is as the first sees it.
    public func cut(
        _ machine: VirtualMachine, from other: VirtualMachine, _ direction: CutDirection = .both, for span: TimeSpan
    ) {
        if direction != .outbound { cut(NetworkCut(source: other.name, target: machine.name), for: span) }
        if direction != .inbound { cut(NetworkCut(source: machine.name, target: other.name), for: span) }
    }

    private func cut(_ cut: NetworkCut, for span: TimeSpan) {
        nextCut += 1
        let number = nextCut
        cuts.append((number, cut))
        loop.after(span) { [unowned self] in
            cuts.removeAll { $0.number == number }
            onMend?()
        }
    }

    func isCut(_ source: Attachment, _ target: Attachment) -> Bool {
        !cuts.isEmpty && isCut(source.machine.name, target.machine.name)
    }

    func isCut(_ source: String, _ target: String) -> Bool { cuts.contains { $0.cut.covers(source, target) } }
}
