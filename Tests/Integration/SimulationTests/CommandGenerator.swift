import AudioCore
import SimulationKit
import WireProtocol

/// What controllers ask for, and when: drawn from a seed, and so that something is heard most of the time.
struct CommandGenerator {
    /// Addresses of songs that may be added.
    let addresses: [WebAddress]
    private var random: SimulationRandom

    /// How far a listener may be shifted either way. A command reaches one that sounds sooner by as much less in time:
    /// 15 ms are left of the lead when a card has woken and has kept what it does not give back.
    private static let offsets = TimeSpan.milliseconds(-15) ... .milliseconds(30)
    /// Volumes at which the song can still be told from what does not belong there.
    private static let levels = 60...100
    /// Commands this close to where one song follows another are those that meet the listeners half way.
    private static let jointDistance = TimeSpan.milliseconds(-450) ... .milliseconds(250)

    init(addresses: [WebAddress], random: SimulationRandom) {
        self.addresses = addresses
        self.random = random
    }

    mutating func id() -> CommandID { CommandID(high: random.next(), low: random.next()) }

    /// Whether a command is sent twice.
    mutating func comesTwice() -> Bool { random.chance(0.2) }

    /// When to ask next: soon, or around one of the joints that are known.
    mutating func time(after now: TrueTime, joints: [TrueTime]) -> TrueTime {
        let soon = now + random.span(.milliseconds(20) ... .milliseconds(900))
        guard random.chance(0.4) else { return soon }
        let near = joints.map { $0 + random.span(Self.jointDistance) }.filter { $0 > now }.min()
        return near.map { $0 < now + .seconds(3) ? $0 : soon } ?? soon
    }

    /// - Parameters:
    ///   - state: what whoever asks knows.
    ///   - listeners: their names.
    mutating func operations(by state: ProgrammeState?, listeners: [String]) -> [CommandOperation] {
        if random.chance(0.2) { return [loudspeakers(listeners)] }
        if state?.itemCount == 0 { return [.programme(.add(sources())), .programme(.play)] }
        let isSilent = state.map { $0.status.transport != .playing } ?? true
        if isSilent, random.chance(0.6) { return [.programme(pick([.play, .play, .resume, .toggle]))] }
        return programme(itemCount: state?.itemCount ?? 5)
    }

    private mutating func programme(itemCount: Int) -> [CommandOperation] {
        // One more than there are: some are refused.
        let position = Int(random.next() % UInt64(itemCount + 1))
        let other = Int(random.next() % UInt64(itemCount + 1))
        switch random.next() % 32 {
        case 0...3: return [.programme(.pause)]
        case 4...5: return [.programme(.resume)]
        case 6...7: return [.programme(.toggle)]
        case 8: return [.programme(.stop)]
        case 9...12: return [.programme(.next)]
        case 13...14: return [.programme(.previous)]
        case 15...17: return [.programme(.seek(to: random.span(.zero ... .seconds(14))))]
        case 18...20: return [.programme(.skip(by: random.span(.seconds(-6) ... .seconds(6))))]
        case 21...22: return [.programme(.jump(to: .position(position)))]
        case 23...24: return [.programme(.move(.position(position), to: other))]
        case 25: return [.programme(.add(sources()))]
        case 26: return [.programme(.insert(sources(), at: position))]
        case 27: return itemCount > 4 ? [.programme(.remove(.position(position)))] : [.programme(.add(sources()))]
        case 28: return [.programme(.setRepeat(pick([.off, .one, .all, .all])))]
        case 29: return [.programme(.setShuffle(random.chance(0.5)))]
        case 30: return random.chance(0.3) ? [.programme(.clear)] : [.programme(.pause), .programme(.resume)]
        default: return [.programme(.next), .programme(.next)]
        }
    }

    private mutating func loudspeakers(_ names: [String]) -> CommandOperation {
        let level = Self.levels.lowerBound + Int(random.next() % UInt64(Self.levels.count))
        let name = random.chance(0.05) ? "Nobody" : pick(names)
        switch random.next() % 8 {
        case 0...1: return .listeners(.volume(.level(level)), of: .all)
        case 2: return .listeners(.volume(.step(random.chance(0.5) ? 5 : -5)), of: .all)
        case 3: return .listeners(.volume(.level(level)), of: .named(name))
        case 4: return .listeners(.volume(.step(random.chance(0.5) ? 5 : -5)), of: .named(name))
        case 5: return .listeners(.volume(pick([.mute, .unmute, .unmute, .toggleMute])), of: .named(name))
        default:
            let microseconds = random.span(Self.offsets).nanoseconds / 1_000
            return .listeners(.offset(.microseconds(microseconds)), of: .named(name))
        }
    }

    private mutating func sources() -> [ItemSource] {
        (0..<(1 + Int(random.next() % 2))).map { _ in .web(pick(addresses)) }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }
}
