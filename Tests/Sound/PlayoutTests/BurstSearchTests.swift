import AudioCore
import Testing

@testable import Playout

/// Bursts of a coarse pointer are found at their edge, and what is no edge is not taken for one.
@Suite(.timeLimit(.minutes(5))) struct BurstSearchTests {
    // MARK: The searcher

    /// Bursts of 5 ms; host time in microseconds.
    private final class Rig {
        var searcher = BurstSearcher()
        var now = 1_000_000.0

        /// - Parameter known: the number of the burst that was read last; by default the one before now.
        func plan(every interval: Double = 0, knowing known: Double? = nil) -> BurstSearch? {
            let burst = known ?? (now / 5_000).rounded(.down)
            return searcher.plan(
                after: Int64(now * 1e3),
                BurstSearcher.Bursts(
                    frame: Int64(burst) * 240, host: Int64(burst * 5e6), frameCount: 240, duration: 5e6),
                every: Int64(interval * 1e3))
        }

        func look(at time: Double) -> Bool {
            now = time
            return searcher.note(
                frame: Int64((time / 5_000).rounded(.down)) * 240, from: Int64((time - 1) * 1e3), at: Int64(time * 1e3))
        }

        /// Searches once, from `late` after the planned beginning on, with a reading every 2 us. Returns whether that
        /// found an edge; nil without a search.
        func search(late: Double, every interval: Double = 0, pause: Double = 2) -> Bool? {
            guard let search = plan(every: interval) else { return nil }
            var time = Double(search.begin.nanoseconds) * 1e-3 + late
            var found = look(at: time)
            while searcher.isLooking, time < Double(search.end.nanoseconds) * 1e-3 {
                time += pause
                found = look(at: time)
            }
            now = time
            return found
        }

        /// Searches for a burst that does not come. Returns whether a search was planned.
        func searchInVain() -> Bool {
            guard let search = plan() else { return false }
            for time in [search.begin, search.end] {
                _ = searcher.note(frame: 0, from: time.nanoseconds - 1_000, at: time.nanoseconds)
            }
            now = Double(search.end.nanoseconds) * 1e-3
            return searcher.isLooking
        }
    }

    @Test func aBurstIsFoundByLookingFromBeforeUntilItIsThere() throws {
        let rig = Rig()
        let search = try #require(rig.plan())
        // 400 us before the next burst.
        #expect(search.begin.nanoseconds == 1_004_600_000 && search.end.nanoseconds == 1_005_300_000)
        #expect(!rig.look(at: 1_004_700) && rig.searcher.isLooking)
        #expect(!rig.look(at: 1_004_999) && rig.searcher.isLooking)
        #expect(rig.look(at: 1_005_001) && !rig.searcher.isLooking)
        #expect(!rig.look(at: 1_010_001), "nothing was planned")
    }

    @Test func lookingTakesSomeEightyMicroseconds() {
        let rig = Rig()
        for _ in 0..<60 { #expect(rig.search(late: 70) == true) }
        var longest = 0.0
        for _ in 0..<20 {
            guard let search = rig.plan() else { continue }
            let begin = Double(search.begin.nanoseconds) * 1e-3 + 70
            #expect(rig.search(late: 70) == true)
            longest = max(longest, rig.now - begin)
        }
        #expect(longest > 40 && longest < 120, "\(longest)")
    }

    @Test func aThreadThatComesLateComesEarlierTheNextTime() {
        let rig = Rig()
        for _ in 0..<60 { #expect(rig.search(late: 10) == true) }
        #expect(rig.search(late: 300) == false)
        let outcomes = (0..<4).map { _ in rig.search(late: 300) }
        #expect(outcomes.contains(true), "\(outcomes)")
        for _ in 0..<60 { _ = rig.search(late: 300) }
        #expect(rig.search(late: 300) == true)
    }

    @Test func looksFarApartShowNoEdge() {
        let rig = Rig()
        #expect(rig.search(late: 0, pause: 45) == false)
        #expect(rig.search(late: 0, pause: 2) == true)
    }

    /// The processor was lost after the reading had seen the pointer, before the burst: the next one shows it at once.
    @Test func aReadingThatTookLongShowsNoEdge() throws {
        let rig = Rig()
        _ = try #require(rig.plan())
        #expect(!rig.look(at: 1_004_900))
        _ = rig.searcher.note(frame: 200 * 240, from: 1_004_902_000, at: 1_005_200_000)
        #expect(rig.searcher.isLooking)
        #expect(!rig.look(at: 1_005_202) && !rig.searcher.isLooking)
    }

    @Test func edgesAreReliableAfterThreeInARowUntilNoneCame() {
        let rig = Rig()
        for _ in 0..<3 {
            #expect(!rig.searcher.isReliable(at: Int64(rig.now * 1e3)))
            #expect(rig.search(late: 50) == true)
        }
        #expect(rig.searcher.isReliable(at: Int64(rig.now * 1e3)))
        #expect(rig.searcher.isReliable(at: Int64((rig.now + 4.9e6) * 1e3)))
        #expect(!rig.searcher.isReliable(at: Int64((rig.now + 5.1e6) * 1e3)))
        rig.searcher.restart()
        #expect(!rig.searcher.isReliable(at: Int64(rig.now * 1e3)))
    }

    @Test func searchesKeepTheirDistance() {
        let rig = Rig()
        #expect(rig.search(late: 50, every: 100_000) == true)
        let end = rig.now
        rig.now = end + 99_000
        #expect(rig.plan(every: 100_000) == nil)
        rig.now = end + 101_000
        #expect(rig.plan(every: 100_000) != nil)
    }

    /// The pointer moves, but not when it should: it is left alone for five seconds.
    @Test func whatDoesNotComeIsNotSearchedForAgainAndAgain() {
        let rig = Rig()
        for _ in 0..<8 { #expect(rig.searchInVain()) }
        #expect(rig.plan() == nil)
        rig.now += 4.9e6
        #expect(rig.plan() == nil)
        rig.now += 0.2e6
        #expect(rig.plan() != nil)
    }

    @Test func absurdTimesPlanNothing() {
        let rig = Rig()
        rig.now = 1e12
        #expect(rig.searcher.isLooking == false)
        #expect(rig.plan(knowing: 0) == nil)
    }

    // MARK: The line

    /// Reads a card every millisecond for a tenth of a second, and asks for a search then.
    private func search(burst: Int64, slack: Double, isGuessed: Bool = false) -> BurstSearch? {
        let dac = VirtualDAC(burst: burst)
        var model = DeviceClockModel(deviceRate: dac.rate, rateHint: nil)
        if isGuessed { model.treatReadingsAsGuesses() }
        for reading in 0..<100 {
            let now = dac.origin + 0.001 * Double(reading)
            model.note(
                frame: dac.pointer(at: now), hostNanoseconds: Int64(now * 1e9), occasion: .poll, slack: slack)
        }
        return model.burstSearch(after: HostTime(nanoseconds: Int64((dac.origin + 0.0995) * 1e9)))
    }

    @Test func onlyBurstsThatNothingElseShowsAreSearchedFor() {
        #expect(search(burst: 240, slack: 2e-6) != nil)
        #expect(search(burst: 1, slack: 2e-6) == nil, "a fine pointer")
        #expect(search(burst: 48, slack: 2e-6) == nil, "USB's milliseconds")
        #expect(search(burst: 480, slack: 2e-6) != nil)
        #expect(search(burst: 512, slack: 2e-6) == nil, "a server's cycle")
        #expect(search(burst: 240, slack: 0) == nil, "a stamp of the driver's")
        #expect(search(burst: 240, slack: 2e-6, isGuessed: true) == nil, "a sound server")
    }

    /// What is seen from two seconds on; seconds.
    private struct Sight {
        var readyAt = Double.infinity
        var worst = 0.0
        var rate = 0.0
        /// The greatest error over bound; what the tolerance allows is no error.
        var ratio = 0.0
    }

    /// - Parameter tolerance: how late the line may be beyond its bound.
    private func watch(
        _ card: inout SteppedCard, until end: Double, from begin: Double = 2, tolerance: Double = 0
    ) -> Sight {
        var sight = Sight()
        var nextLook = 0.0
        while card.age < end {
            card.turn()
            guard card.age >= nextLook, let (late, bound, rateError) = card.sight else { continue }
            nextLook = card.age + 0.02
            sight.readyAt = min(sight.readyAt, card.age)
            let error = late < 0 ? -late : max(0, late - tolerance)
            sight.ratio = max(sight.ratio, error / bound)
            guard card.age > begin else { continue }
            sight.worst = max(sight.worst, abs(late))
            sight.rate = max(sight.rate, rateError)
        }
        return sight
    }

    private func machine(_ seed: UInt64) -> SteppedCard.Machine {
        var random = SeededNumbers(seed: seed &+ 2_000)
        for _ in 0..<4 { _ = random.next() }
        var machine = SteppedCard.Machine(
            wake: 10e-6 + 100e-6 * random.next(), timer: 5e-6 + 100e-6 * random.next(),
            noise: 1e-7 * power(10, 3 * random.next()), reading: 1e-6 + 9e-6 * random.next(),
            filling: 50e-6 + 500e-6 * random.next())
        machine.searches = true
        // Every fourth: a busy one. Every fifth: one with two players.
        if seed % 4 == 0 { (machine.lateShare, machine.lostShare) = (0.05, 0.002) }
        if seed % 5 == 0 { machine.queue = (280e-6, 280e-6 + 200e-6 * random.next()) }
        return machine
    }

    /// Whatever a wake takes: the line is as exact as a reading.
    @Test(arguments: [0.0, 60, -35]) func searchedStepsShowTheClockItself(ppm: Double) {
        for seed in UInt64(1)...60 {
            let machine = machine(seed)
            var card = SteppedCard(machine, ppm: ppm, seed: seed)
            let sight = watch(&card, until: BuildMode.seconds(30, debug: 4))
            #expect(sight.readyAt < 0.5, "seed \(seed): \(sight)")
            #expect(sight.worst < 1.5e-6 + machine.reading, "seed \(seed): \(sight), reading \(machine.reading)")
            #expect(sight.rate < 2, "seed \(seed): \(sight)")
            #expect(sight.ratio <= 1, "seed \(seed): \(sight)")
        }
    }

    /// Where nothing wakes the loop, either.
    @Test func stepsThatWakeNobodyAreFoundToo() {
        for seed in UInt64(1)...30 {
            var machine = machine(seed)
            machine.isWoken = false
            var card = SteppedCard(machine, ppm: 40, seed: seed)
            let sight = watch(&card, until: BuildMode.seconds(30, debug: 4))
            #expect(sight.worst < 1.5e-6 + machine.reading && sight.ratio <= 1, "seed \(seed): \(sight)")
        }
    }

    /// A card of which a search shows a step later than a wake does, or now so and then so, is left to its wakes.
    @Test(arguments: [(200e-6, 200e-6), (0, 200e-6)])
    func edgesThatDoNotShowTheClockAreDropped(lag: (least: Double, most: Double)) {
        for seed in UInt64(1)...10 {
            var machine = machine(seed)
            (machine.lateShare, machine.lostShare, machine.queue) = (0, 0, (0, 0))
            machine.lag = lag
            var card = SteppedCard(machine, ppm: 40, seed: seed)
            _ = watch(&card, until: 15)
            let isLeft = card.model.needsEveryWake
            #expect(isLeft, "seed \(seed)")
            let sight = watch(&card, until: 30)
            #expect(sight.worst < 30e-6 + machine.wake + machine.reading, "seed \(seed): \(sight)")
        }
    }

    /// A thread that always comes too late to see an edge is left with its wakes, and finds edges again later.
    @Test func withoutEdgesWakesMakeTheLineAgain() {
        for seed in UInt64(1)...10 {
            let machine = machine(seed)
            let wakeDuration = machine.wake + machine.queue.later + machine.reading
            var card = SteppedCard(machine, ppm: 40, seed: seed)
            _ = watch(&card, until: 12)
            card.machine.lostShare = 1
            let blind = watch(&card, until: 30, from: 20, tolerance: wakeDuration)
            #expect(blind.ratio <= 1, "seed \(seed): \(blind)")
            #expect(blind.worst > machine.wake, "seed \(seed): \(blind)")
            card.machine.lostShare = 0
            _ = watch(&card, until: 40)
            let seeing = watch(&card, until: 50)
            #expect(seeing.worst < 1.5e-6 + machine.reading && seeing.ratio <= 1, "seed \(seed): \(seeing)")
        }
    }
}
