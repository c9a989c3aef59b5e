import AudioCore
import Households
import Pairing
import SecureChannel
import SimulationKit
import Testing

/// Who wants to come into the household of a ``HouseholdScenario``, and by what.
final class HouseholdAdmissions {
    /// Of its own: what happens to members does not hang on it.
    var random: SimulationRandom
    /// Strangers who have a household, and want others in it.
    let stranger: MachineIdentity
    let strangersMachine: VirtualMachine
    /// Codes that are being tried.
    var tries: [PairingTry] = []
    /// A stranger's machine that waits under the name of a new one.
    var standIn: NewcomerNode?
    /// Every process that ever waited with a code.
    var nodes: [NewcomerNode] = []
    var invitations: [HouseholdInvitation] = []
    /// Rounds of who was invited, and of who let somebody in.
    var rounds: [RoundNode] = []
    /// Codes by which somebody was let in.
    var usedCodes: Set<String> = []
    /// Tries of which the new machine said that the code was wrong.
    var wrongCodeCount = 0
    /// Nobody begins anything any more.
    var isOver = false
    var tally = AdmissionTally()

    init(_ world: World) throws {
        random = SimulationRandom(seed: world.seed ^ 0x9e37_79b9)
        stranger = try #require(world.makeIdentity())
        strangersMachine = world.addMachine()
        stranger.store(try Household(name: "Strangers", founder: stranger.keys, memberName: "Stranger"))
    }

    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    /// Returns a code that differs in its last digit.
    func otherCode(than code: PairingCode) -> PairingCode? {
        var digits = code.displayText.filter { $0 != " " }
        let last = digits.removeLast().wholeNumberValue ?? 0
        return PairingCode(digits + "\((last + 1 + Int(random.next() % 9)) % 10)")
    }

    /// Returns how a try is to break off: in the midst of the member's messages, of which there are four.
    func anyBreak() -> PairingBreak {
        PairingBreak(
            kind: pick(PairingBreak.Kind.allCases) ?? .cut, afterMessages: 1 + Int(random.next() % 4),
            delay: random.span(.zero ... .microseconds(400)), span: random.span(.seconds(1) ... .seconds(12)))
    }
}

/// Somebody typed a code.
final class PairingTry {
    enum Kind {
        /// That is on the new machine's screen.
        case rightCode
        /// The same, but it does not come to its end.
        case brokenOff(PairingBreak)
        case wrongCode
        /// That was on the screen before.
        case oldCode
        /// Who has not seen the screen, or only what was on it before.
        case byStranger
    }

    let kind: Kind
    let code: PairingCode
    /// Nil: a stranger.
    let sponsor: HouseholdMachine?
    let newcomer: ListeningMachine
    let node: SponsorNode
    let newcomerMachine: VirtualMachine
    let began: TrueTime
    /// Whether it is said which machine is meant, by a name or address that only that one has.
    let isClear: Bool
    /// Whether nobody else tried meanwhile.
    var isAlone: Bool

    init(
        _ kind: Kind, _ code: PairingCode, by sponsor: HouseholdMachine?, at newcomer: ListeningMachine,
        node: SponsorNode, began: TrueTime, isClear: Bool, isAlone: Bool
    ) {
        self.kind = kind
        self.code = code
        self.sponsor = sponsor
        self.newcomer = newcomer
        self.node = node
        newcomerMachine = newcomer.node.machine
        self.began = began
        self.isClear = isClear
        self.isAlone = isAlone
    }

    /// Whether the code was right when it was typed.
    var isRight: Bool {
        switch kind {
        case .rightCode, .brokenOff: true
        case .wrongCode, .oldCode, .byStranger: false
        }
    }

    var description: String { "\(sponsor?.name ?? "a stranger") at \(newcomer.name)" }
}

/// What ends a pairing in the middle.
struct PairingBreak {
    enum Kind: CaseIterable { case cut, sponsorKilled, newcomerKilled }

    var kind: Kind
    /// Of the member, and how long after them.
    var afterMessages: Int
    var delay: TimeSpan
    /// Of a cut.
    var span: TimeSpan
}

/// An invitation for one machine, on the way to two.
final class HouseholdInvitation {
    let invitation: Invitation
    let takers: [PeerKey]
    /// Who has let somebody in by it.
    var hosts: Set<PeerKey> = []

    init(_ invitation: Invitation, to takers: [PeerKey]) {
        self.invitation = invitation
        self.takers = takers
    }
}

/// How often somebody was let in, or not.
struct AdmissionTally: CustomStringConvertible {
    var pairings = 0
    var failedTries = 0
    var brokenTries = 0
    /// Admissions by invitation.
    var invited = 0

    var description: String {
        "\(pairings) pairings, \(failedTries) tries that failed and \(brokenTries) that broke off, \(invited) invited"
    }
}
