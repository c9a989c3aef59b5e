import AudioCore

/// A broadcast as it ought to sound: which frame of which song leaves every loudspeaker at which true time.
public final class Performance {
    public let song: VirtualSong
    let machine: VirtualMachine
    private var clock: VirtualClock { machine.clock }
    /// Set when the broadcaster has decided on it.
    public internal(set) var anchor: Anchor? {
        didSet {
            place()
            if oldValue != nil { moveCount += 1 }
        }
    }
    /// The true time at which it was cut, in seconds; nil while it was not.
    public internal(set) var cut: Double? {
        get { original?.performance.cut ?? ownCut }
        set { ownCut = newValue }
    }
    private var ownCut: Double?
    private var moveCount = 0
    /// How often the timeline was moved after the decision, and the frame from which on it was.
    var moves: (count: Int, frame: Int64) {
        original.map(\.performance.moves) ?? (moveCount, anchor?.frame.index ?? 0)
    }
    /// Of which this is a shifted copy, and on whose clock.
    private let original: (performance: Performance, machine: VirtualMachine)?
    /// By how much; zero for the performance itself.
    var shift = TimeSpan.zero
    /// The anchor's instant in seconds on the broadcaster's clock since the simulation began.
    private var origin = 0.0

    init(song: VirtualSong, machine: VirtualMachine) {
        self.song = song
        self.machine = machine
        original = nil
    }

    private init(_ original: Performance, shift: TimeSpan, machine: VirtualMachine) {
        song = original.song
        self.machine = original.machine
        self.original = (original, machine)
        self.shift = shift
    }

    /// The same, each frame later by so much on a machine's clock.
    func shifted(by shift: TimeSpan, on machine: VirtualMachine) -> Performance {
        Performance(self, shift: shift, machine: machine)
    }

    private func place() {
        guard let anchor else { return }
        let host = HostTime(nanoseconds: anchor.session.nanoseconds)
        origin = (host - HostTime(nanoseconds: 0) - clock.offset).seconds
    }

    /// The frame that is due at a true time; nil before the decision.
    public func position(at seconds: Double) -> Double? {
        if let original {
            let clock = original.machine.clock
            return original.performance.position(
                at: clock.seconds(ofElapsed: clock.elapsed(at: seconds) - shift.seconds))
        }
        guard let anchor else { return nil }
        return Double(anchor.frame.index) + (clock.elapsed(at: seconds) - origin) * anchor.framesPerSecond
    }

    /// The window of which something is due at a true time; also before the first and after the last. Nil before the
    /// decision.
    public func window(at seconds: Double) -> Int? {
        position(at: seconds).map {
            Int((($0 + Double(HeardWindow.lead)) / Double(HeardWindow.frameCount)).rounded(.down))
        }
    }

    /// The true time at which a frame is due.
    public func seconds(of position: Double) -> Double? {
        if let original {
            let clock = original.machine.clock
            return original.performance.seconds(of: position).map {
                clock.seconds(ofElapsed: clock.elapsed(at: $0) + shift.seconds)
            }
        }
        guard let anchor else { return nil }
        return clock.seconds(ofElapsed: origin + (position - Double(anchor.frame.index)) / anchor.framesPerSecond)
    }
}
