import AudioCore
import Playout

// A sound card with a crystal of its own, and the loop that feeds it, like the one on ALSA.
//
// The DAC takes one frame after the other at its true rate. Its pointer, the only thing that the driver can see, moves
// in bursts of 5 ms; the driver wakes the loop after every second burst (every sixth, once its clock is
// known), some microseconds late. The loop reads pointer and host time, tells the renderer, and fills the buffer. When
// the loop comes too late, the DAC runs dry and stops; the loop starts it again, and the count of frames goes on.

/// A DAC and its loop on one machine; what leaves the DAC goes to an ``Ear``.
final class VirtualSoundCard {
    struct Configuration {
        var rate = VirtualSong.sampleRate
        /// The DAC's crystal against true time.
        var crystal = VirtualClock()
        var burst = TimeSpan.milliseconds(5)
        /// As much as is asked of ALSA.
        var buffer = TimeSpan.milliseconds(150)
        /// From the end of a burst to the loop's reading, on average; now and then much more.
        var wakeLatency = TimeSpan.microseconds(15)
        /// Whether written frames can be taken back.
        var givesBack = true
        var fault: PlantedFault?
    }

    let control: PlayoutControl
    let ear: Ear
    private let machine: VirtualMachine
    private let configuration: Configuration
    private var random: SimulationRandom
    private var renderer: Renderer

    private let burst: Int64
    private let bufferFrames: Int64
    /// How long it waits for a card that stands still before it looks.
    private static let longestWait = TimeSpan.milliseconds(200)
    /// Where the planted fault strikes.
    private static let faultyFrame: Int64 = 12 * 8_000

    private let samples: UnsafeMutablePointer<Float>
    private let sampleMask: Int64
    private let block: UnsafeMutableBufferPointer<Float>

    /// Frame `originFrame` leaves the DAC at `origin` seconds on its crystal.
    private var origin = 0.0
    private var originFrame: Int64 = 0
    /// A frame at which a burst begins.
    private var burstFrame: Int64 = 0
    /// The burst that wakes the loop; a loop that came earlier looked by itself.
    private var wakeFrame: Int64 = 0
    private var isSuspended = false
    private var written: Int64 = 0
    /// Frames that went to the ear.
    private var emitted: Int64 = 0
    private(set) var xrunCount = 0

    init(
        control: PlayoutControl, machine: VirtualMachine, ear: Ear, configuration: Configuration,
        random: SimulationRandom
    ) {
        self.control = control
        self.machine = machine
        self.ear = ear
        self.configuration = configuration
        self.random = random
        burst = Int64(configuration.burst.seconds * configuration.rate)
        bufferFrames = Int64(configuration.buffer.seconds * configuration.rate)
        var capacity: Int64 = 256
        while capacity < 2 * bufferFrames { capacity *= 2 }
        sampleMask = capacity - 1
        samples = .allocate(capacity: Int(capacity))
        samples.initialize(repeating: 0, count: Int(capacity))
        block = .allocate(capacity: Int(burst))
        block.initialize(repeating: 0)
        renderer = Renderer(
            control: control, deviceRate: configuration.rate, channels: 1, maximumFrameCount: Int(bufferFrames))
        renderer.deviceKeepsFrames = !configuration.givesBack
        machine.willSuspend = { [unowned self] in suspend() }
    }

    deinit {
        samples.deallocate()
        block.deallocate()
    }

    func start() {
        fill()
        restart()
    }

    // MARK: The DAC

    private func restart() {
        origin = configuration.crystal.elapsed(at: machine.loop.now.seconds) + 0.002
        originFrame = emitted
        burstFrame = emitted
        scheduleWake(after: originFrame)
    }

    /// The DAC stands still for this long, and then goes on with the next frame. The driver notices nothing.
    func stall(for span: TimeSpan) {
        emit(until: min(Int64(dacPosition), written))
        origin = configuration.crystal.elapsed(at: machine.loop.now.seconds) + span.seconds
        originFrame = emitted
        ear.interrupt()
    }

    /// Gives the ear what has left the DAC by now, which the loop has not looked at yet.
    func catchUp() { if !isSuspended { emit(until: min(Int64(dacPosition), written)) } }

    /// The power goes: what was not heard yet never is.
    private func suspend() {
        emit(until: min(Int64(dacPosition), written))
        isSuspended = true
    }

    /// Frames that the DAC has finished by now, if it never runs dry.
    private var dacPosition: Double {
        let elapsed = configuration.crystal.elapsed(at: machine.loop.now.seconds) - origin
        return Double(originFrame) + max(0, elapsed) * configuration.rate
    }

    private func seconds(of frame: Int64) -> Double {
        configuration.crystal.seconds(ofElapsed: origin + Double(frame - originFrame) / configuration.rate)
    }

    /// Gives the ear what has left the DAC.
    private func emit(until end: Int64) {
        while emitted < end {
            let slot = emitted & sampleMask
            let count = min(end - emitted, sampleMask + 1 - slot)
            let start = seconds(of: emitted)
            let spacing = (seconds(of: emitted + count) - start) / Double(count)
            ear.hear(UnsafeBufferPointer(start: samples + Int(slot), count: Int(count)), from: start, spacing: spacing)
            emitted += count
        }
    }

    // MARK: The loop

    private func scheduleWake(after pointer: Int64) {
        let wakeSpacing = (renderer.mayWakeSeldom ? 6 : 2) * burst
        wakeFrame = burstFrame + ((pointer - burstFrame) / wakeSpacing + 1) * wakeSpacing
        let latency = configuration.wakeLatency * (random.chance(0.01) ? 20 : 1)
        var due = min(TrueTime(seconds: seconds(of: wakeFrame)), machine.loop.now + Self.longestWait)
        if let interval = renderer.readingInterval { due = min(due, machine.loop.now + interval) }
        machine.at(due + random.exponential(latency)) { [unowned self] in turn() }
    }

    private func turn() {
        guard !isSuspended else { return resume() }
        let position = Int64(dacPosition)
        emit(until: min(position, written))
        guard position < written else { return recover() }
        let pointer = burstFrame + (position - burstFrame) / burst * burst
        let delay = configuration.fault == .delaySign ? pointer - written : written - pointer
        renderer.note(
            DeviceClockReading(
                frame: DeviceFrame(index: written - delay), host: machine.now,
                occasion: pointer >= wakeFrame ? .wake : .poll))
        if renderer.wantsEarlierFrame { takeBack(from: pointer) }
        fill(to: pointer + bufferFrames)
        scheduleWake(after: position)
    }

    private func takeBack(from pointer: Int64) {
        let kept = max(Int64(configuration.rate * 0.012), 2 * burst)
        guard configuration.givesBack, written > pointer + kept else { return }
        written = pointer + kept
        renderer.rewind(to: DeviceFrame(index: written))
    }

    private func fill(to end: Int64? = nil) {
        let end = end ?? written + bufferFrames
        while written < end {
            let count = Int(min(end - written, burst))
            renderer.render(
                into: UnsafeMutableBufferPointer(rebasing: block[..<count]), from: DeviceFrame(index: written))
            let lost: Int64 = configuration.fault == .lostFrame && written >= Self.faultyFrame ? 1 : 0
            for index in 0..<count { samples[Int((written + Int64(index) - lost) & sampleMask)] = block[index] }
            written += Int64(count)
        }
    }

    private func resume() {
        isSuspended = false
        emitted = written
        recover()
    }

    /// The DAC ran dry.
    private func recover() {
        xrunCount += 1
        ear.interrupt()
        renderer.deviceDidRestart(at: DeviceFrame(index: written))
        fill()
        restart()
    }
}
