import AudioCore
import SimulationKit

/// Something that goes wrong for a time.
struct Fault: CustomStringConvertible {
    enum Kind: CaseIterable {
        case freeze
        case stalledCard
        case cut
        case pulledCable
        case brokenConnection
        case crossedDials
        case slowReader
        case stoppedReader
        case weakLink
        case badDatagrams
        case sleep
        case clockStep
        case restart
        case powerLoss

        /// Of those, what may happen to a broadcaster whose listeners are to hear nothing of it, or all of it.
        static let ofBroadcasters: [Kind] = [.freeze, .cut, .pulledCable, .badDatagrams, .clockStep]
        /// What a listener can learn only from its broadcaster's clock, and what keeps it from that, or from the
        /// connection that it asks it by.
        var isLearntByClock: Bool { self == .clockStep }
        var stopsClock: Bool {
            [.cut, .pulledCable, .badDatagrams, .clockStep, .stoppedReader, .slowReader, .weakLink].contains(self)
        }
    }

    var kind: Kind
    /// Number of the listener; nil: the broadcaster.
    var victim: Int?
    var span: ClosedRange<TrueTime>
    /// How bad it is, 0...1.
    var strength: Double
    var direction = CutDirection.both

    var length: TimeSpan { span.upperBound - span.lowerBound }

    var description: String {
        let victim = victim.map { "listener \($0 + 1)" } ?? "broadcaster"
        let (begin, end) = (span.lowerBound.seconds, span.upperBound.seconds)
        return "\(kind) of \(victim) at \(Int(begin * 10)) ds to \(Int(end * 10)) ds"
    }

    static func random(of kind: Kind, to victim: Int?, at begin: TrueTime, using random: inout SimulationRandom)
        -> Fault
    {
        let longest: Double =
            switch kind {
            case .freeze: 0.4
            case .stalledCard: 1
            // What all hold lasts longer than this.
            case .cut, .pulledCable: victim == nil ? 7 : 15
            case .brokenConnection, .crossedDials, .clockStep: 0.01
            case .restart, .powerLoss: 5
            case .sleep: 10
            case .slowReader, .weakLink, .badDatagrams: 15
            case .stoppedReader: 6
            }
        let shortest = min(longest, kind == .freeze ? 0.1 : 0.2)
        let length = TimeSpan(seconds: random.uniform(shortest...longest))
        var fault = Fault(kind: kind, victim: victim, span: begin...begin + length, strength: random.uniform())
        if kind == .cut { fault.direction = CutDirection.allCases[Int(random.next() % 3)] }
        return fault
    }

    /// Whether both at once are too much to ask: nobody can know of a clock that steps while it cannot be asked, and
    /// from one cut of the broadcaster to the next the listeners must be able to fill up.
    func excludes(_ other: Fault) -> Bool {
        let margin = TimeSpan.seconds(4)
        let isClose =
            span.lowerBound < other.span.upperBound + margin && other.span.lowerBound < span.upperBound + margin
        guard isClose else { return false }
        if kind.isLearntByClock && other.kind.stopsClock { return true }
        if kind.stopsClock && other.kind.isLearntByClock { return true }
        return victim == nil && other.victim == nil
    }
}

extension World {
    /// Lets a fault begin. Restarts begin with the end of what is started anew.
    func begin(_ fault: Fault, of listener: ListenNode?, _ broadcaster: BroadcastNode) {
        let machine = listener?.machine ?? broadcaster.machine
        var quality = LinkQuality.quietLAN
        switch fault.kind {
        case .freeze: machine.freeze(for: fault.length)
        case .stalledCard: listener?.stallCard(for: fault.length)
        case .cut: network.cut(off: machine, fault.direction, for: fault.length)
        case .pulledCable: network.cut(off: machine, isSeen: true, for: fault.length)
        case .brokenConnection: listener?.breakConnections()
        case .crossedDials: if let listener { crossDials(listener) }
        case .slowReader: network.setReadingRate(48_000 * fault.strength + 1_000, of: machine)
        case .stoppedReader: network.stopReading(on: machine, for: fault.length)
        case .weakLink:
            quality.bytesPerSecond = 2_000 + 40_000 * fault.strength
            network.setQuality(quality, of: machine)
        case .badDatagrams:
            quality.datagramLoss = fault.strength * 0.6
            quality.datagramDuplication = 0.3
            quality.datagramHoldProbability = 0.3
            quality.datagramHold = .milliseconds(200)
            network.setQuality(quality, of: machine)
        case .sleep: machine.suspend(for: fault.length)
        case .clockStep: machine.stepClock(by: TimeSpan(seconds: fault.strength - 0.5))
        case .restart, .powerLoss: listener?.crash(sayingGoodbye: fault.kind == .restart)
        }
    }

    /// Lets it end.
    /// - Returns: the listener that was started anew.
    func end(_ fault: Fault, of listener: ListenNode?, _ broadcaster: BroadcastNode) -> ListenNode? {
        let machine = listener?.machine ?? broadcaster.machine
        switch fault.kind {
        case .slowReader: network.setReadingRate(nil, of: machine)
        case .weakLink, .badDatagrams: network.setQuality(.quietLAN, of: machine)
        case .restart, .powerLoss:
            return listener.map { restart($0, fault.kind == .restart ? .process : .power) }
        default: break
        }
        return nil
    }
}
