import Households
import SecureChannel
import Synchronization
import TerminalIO
import TuttiRuntime

/// What the person before a new machine reads: lines, also without a terminal.
final class PairingDisplay: Sendable {
    /// What to type behind the code where the machine is not found.
    private let addresses = Mutex<[NetworkAddress]>([])

    func show(_ event: Newcomer.Event) {
        switch event {
        case .reachable(let addresses): self.addresses.withLock { $0 = addresses }
        case .network(let notice):
            if notice.level != .detail { StandardStream.error.write("tutti: \(notice.sentence)\n".terminalSafeLine) }
        case .pairing(let notice):
            for line in Self.lines(notice, addresses.withLock { $0 }) {
                StandardStream.output.write((line + "\n").terminalSafeLine)
            }
        }
    }

    static func lines(_ notice: NewcomerNotice, _ addresses: [NetworkAddress]) -> [String] {
        switch notice {
        case .code(let code, isFirst: true):
            ["on a machine of the household, type:  tutti pair \(code.displayText)"]
                + (addresses.isEmpty ? [] : ["  if it does not find this one:  \(typed(code, addresses))"])
        case .code(let code, isFirst: false): ["another code holds now:  tutti pair \(code.displayText)"]
        case .failed(let party, let failure, let left):
            ["\(party.name) at \(party.address) \(failure.sentence); \(tries(left))"]
        }
    }

    private static func typed(_ code: PairingCode, _ addresses: [NetworkAddress]) -> String {
        let texts = addresses.map { $0.port == NetworkAddress.defaultPort ? $0.host : "\($0)" }
        let others = texts.dropFirst().isEmpty ? "" : "  (or \(texts.dropFirst().joined(separator: ", ")))"
        return "tutti pair \(code.displayText) \(texts[0])\(others)"
    }

    private static func tries(_ left: Int) -> String {
        switch left {
        case 0: "no try is left"
        case 1: "one try is left"
        default: "\(left) tries are left"
        }
    }

    /// - Parameter own: this machine's key.
    static func success(_ household: Household, own: PeerKey) -> String {
        let others = household.members.filter { $0.peerKey != own }.map(\.name).sorted()
        return "paired: this machine belongs to \(household.name) with \(others.joined(separator: ", "))\n"
    }
}
