import AudioCore

/// A broadcast as it ought to sound: which frame of which song leaves every loudspeaker at which true time.
public final class Performance {
    public let song: VirtualSong
    let machine: VirtualMachine
    private var clock: VirtualClock { machine.clock }
    /// Set when the broadcaster has decided on it.
    public internal(set) var anchor: Anchor? {
        didSet { place() }
    }
    /// The anchor's instant in seconds on the broadcaster's clock since the simulation began.
    private var origin = 0.0

    init(song: VirtualSong, machine: VirtualMachine) {
        self.song = song
        self.machine = machine
    }

    private func place() {
        guard let anchor else { return }
        let host = HostTime(nanoseconds: anchor.session.nanoseconds)
        origin = (host - HostTime(nanoseconds: 0) - clock.offset).seconds
    }

    /// The frame that is due at a true time; nil before the decision.
    public func position(at seconds: Double) -> Double? {
        guard let anchor else { return nil }
        return Double(anchor.frame.index) + (clock.elapsed(at: seconds) - origin) * anchor.framesPerSecond
    }

    /// The true time at which a frame is due.
    public func seconds(of position: Double) -> Double? {
        guard let anchor else { return nil }
        return clock.seconds(ofElapsed: origin + (position - Double(anchor.frame.index)) / anchor.framesPerSecond)
    }
}
