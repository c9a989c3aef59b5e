import AudioCore
import WireProtocol

/// What those who follow a programme were told. While nobody follows, nothing is kept.
struct PublishedProgramme {
    /// The state after the newest change that was told; nil while nobody follows.
    private(set) var told: ProgrammeState?
    /// Where each listener stands in what was told, by its instance.
    private var places: [UInt64: Int] = [:]
    /// Changes to be told, in order.
    private var changes: [ProgrammeChange] = []
    /// Number of the newest change, of all that were ever told.
    private var sequence: UInt64 = 0

    /// Begins to keep what is told.
    mutating func begin(_ state: ProgrammeState) {
        told = state
        told?.sequence = sequence
        findPlaces()
    }

    /// Ends it: nobody follows any more.
    mutating func end() {
        told = nil
        places = [:]
        changes = []
    }

    /// What was told of a listener; nil if nothing was.
    func listener(_ instance: UInt64) -> ProgrammeListener? { places[instance].flatMap { told?.listeners[$0] } }

    /// Takes a change to be told, and its effect into the state. Does nothing while nobody follows.
    mutating func note(_ kind: ProgrammeChange.Kind, effect: SessionTime) {
        guard told != nil else { return }
        sequence += 1
        let change = ProgrammeChange(sequence: sequence, effect: effect, kind)
        _ = told?.apply(change)
        changes.append(change)
        switch kind {
        case .listener(let listener) where places[listener.instance] == nil:
            places[listener.instance] = told?.listeners.indices.last
        case .listenerGone: findPlaces()
        default: break
        }
    }

    private mutating func findPlaces() {
        let listeners = told?.listeners ?? []
        places = Dictionary(zip(listeners.map(\.instance), listeners.indices)) { first, _ in first }
    }

    /// Takes where the page is: those who follow from now on are told.
    mutating func note(page: PageLocation?) { told?.page = page }

    mutating func takeChanges() -> [ProgrammeChange] {
        defer { changes = [] }
        return changes
    }
}

extension TransportStatus {
    /// Whether both are shown alike at `instant`: a position that goes on as expected is no news.
    func isLike(_ other: TransportStatus, at instant: SessionTime) -> Bool {
        guard transport == other.transport, current == other.current, next == other.next else { return false }
        guard let position, let former = other.position else { return position == nil && other.position == nil }
        guard (position.framesPerSecond == nil) == (former.framesPerSecond == nil),
            position.sampleRate == former.sampleRate
        else { return false }
        let apart = position.time(at: instant) - former.time(at: instant)
        return abs(apart.nanoseconds) <= BroadcastLimits.positionTolerance.nanoseconds
    }
}

extension ProgrammeListener {
    /// Whether both are shown alike: an error that stays within its bound is no news.
    func isLike(_ other: ProgrammeListener) -> Bool {
        guard name == other.name, state == other.state, settings == other.settings,
            isBrowser == other.isBrowser, (timing == nil) == (other.timing == nil)
        else { return false }
        guard let timing, let former = other.timing else { return true }
        let tolerance = max(former.bound.seconds / 2, BroadcastLimits.errorTolerance.seconds)
        return abs(timing.error.seconds - former.error.seconds) <= tolerance
            && abs(timing.bound.seconds - former.bound.seconds) <= tolerance
    }
}
