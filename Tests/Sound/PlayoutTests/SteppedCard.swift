import AudioCore

@testable import Playout

/// A card whose pointer moves by four milliseconds at once, and the loop that plays it: as the kernel's loopback card
/// and `ALSALoop` do. Every 5 ms of frames a period ends, which the card tells at its pointer's next step. The loop is
/// woken by that when the device takes 10 ms; until the rate is known it looks every millisecond besides. Time stamps
/// are the ends of the readings.
struct SteppedCard: ~Copyable {
    /// What a machine is like: all in seconds.
    struct Machine {
        /// From a step to the thread that it wakes, and from a timer to its thread.
        var wake: Double
        var timer: Double
        /// What vary both, and how long a reading and the filling of the buffer take.
        var noise: Double
        var reading: Double
        var filling: Double
        /// Milliseconds, of 1: a looser timer, or one whose ticks fall in with the steps.
        var wait = 0.001
        /// The part of the steps at which the thread comes late by up to a step.
        var lateShare = 0.0
        /// By how much more a wake takes when the loop does nothing but wait for it: another player's thread is woken
        /// by the same step, and goes first. The latter number from the age of 6 s on, when that has more to do.
        var queue = (first: 0.0, later: 0.0)
        var isWoken = true
        /// Whether the loop looks for steps; and the part of its looks after which it loses the processor for a while.
        var searches = false
        var lostShare = 0.0
        /// By how much later a search sees a step than a wake does, at least and at most.
        var lag = (least: 0.0, most: 0.0)
    }

    var machine: Machine
    /// Of the card against host time.
    let ppm: Double
    var model: DeviceClockModel
    private var random: SeededNumbers
    private let start: Double
    private let stepSeconds: Double
    private(set) var now: Double
    /// Frames written; and how many the device took when it was asked last.
    private var written: Int64 = 7_200
    private var available: Int64 = 0

    private static let stepFrameCount: Int64 = 192
    private static let periodFrameCount: Int64 = 240

    init(_ machine: Machine, ppm: Double, seed: UInt64) {
        self.machine = machine
        self.ppm = ppm
        random = SeededNumbers(seed: seed &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<4 { _ = random.next() }
        model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        stepSeconds = 0.004 / (1 + ppm * 1e-6)
        start = 1_000 + stepSeconds * random.next()
        now = start + 1e-4 + stepSeconds * random.next()
    }

    var age: Double { now - start }

    /// Host seconds at which a frame leaves, by the steps.
    func seconds(of frame: Int64) -> Double { start + Double(frame) / (48_000 * (1 + ppm * 1e-6)) }

    /// What the model says now: how late its line is, and its bound, in seconds; how far its rate is off, in ppm. Nil
    /// without a line.
    var sight: (late: Double, bound: Double, rateError: Double)? {
        guard let line = model.line else { return nil }
        let frame = Int64(age * 48_000)
        let late = Double(line.originHost) * 1e-9 + line.seconds(of: frame) - seconds(of: frame)
        return (late, line.bound(at: frame), abs(line.ppm - ppm))
    }

    private func steps(at time: Double) -> Int64 { Int64(((time - start) / stepSeconds).rounded(.down)) }

    private func endsPeriod(_ step: Int64) -> Bool {
        step * Self.stepFrameCount / Self.periodFrameCount > (step - 1) * Self.stepFrameCount / Self.periodFrameCount
    }

    /// One turn of the loop.
    mutating func turn() {
        let search = machine.searches ? model.burstSearch(after: HostTime(nanoseconds: Int64(now * 1e9))) : nil
        let begin = search.map { Double($0.begin.nanoseconds) * 1e-9 }
        let isReady = wait(until: begin ?? now + (model.readingInterval == nil ? 0.2 : machine.wait))
        if !isReady, let search { return look(for: search) }
        let pointer = steps(at: now) * Self.stepFrameCount
        available = 7_200 - written + pointer
        now += machine.reading * (0.5 + 0.5 * random.next())
        model.note(
            frame: pointer, hostNanoseconds: Int64(now * 1e9), occasion: isReady && machine.isWoken ? .wake : .poll,
            slack: machine.reading)
        guard isReady else { return }
        written += available
        available = 0
        now += machine.filling + 5 * machine.noise * random.next()
    }

    /// Reads again and again, until the step is there or the time for it is over.
    private mutating func look(for search: BurstSearch) {
        let lag = machine.lag.least + (machine.lag.most - machine.lag.least) * random.next()
        repeat {
            let begin = now
            let pointer = steps(at: now - lag) * Self.stepFrameCount
            now += machine.reading * (0.5 + 0.5 * random.next())
            if random.next() < machine.lostShare { now += 0.001 * random.next() }
            model.note(
                frame: pointer, hostNanoseconds: Int64(now * 1e9), occasion: .search, slack: now - begin)
        } while model.searcher.isLooking && now * 1e9 < Double(search.end.nanoseconds)
    }

    /// Sleeps until the device takes enough, or until it is time to look. Returns whether it takes enough.
    private mutating func wait(until time: Double) -> Bool {
        if available >= 480 { return true }
        var deadline = time + machine.timer + machine.noise * random.next()
        if machine.searches, random.next() < machine.lateShare { deadline += stepSeconds * random.next() }
        var step = steps(at: now) + 1
        while seconds(of: step * Self.stepFrameCount) < deadline {
            if machine.isWoken, endsPeriod(step) {
                available = 7_200 - written + step * Self.stepFrameCount
                if available >= 480 {
                    now = seconds(of: step * Self.stepFrameCount) + machine.wake + machine.noise * random.next()
                    if random.next() < machine.lateShare { now += stepSeconds * random.next() }
                    if model.readingInterval == nil { now += age < 6 ? machine.queue.first : machine.queue.later }
                    return true
                }
            }
            step += 1
        }
        now = deadline
        return false
    }
}
