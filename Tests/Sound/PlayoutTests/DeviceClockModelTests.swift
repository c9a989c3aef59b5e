import Testing

@testable import Playout

@Suite(.timeLimit(.minutes(5))) struct DeviceClockModelTests {
    /// Feeds readings taken every 5 ms or so; `lateness` adds to the host time of a reading, in seconds.
    private func feed(
        _ model: inout DeviceClockModel, _ dac: VirtualDAC, from: Double, to: Double, period: Double = 0.005,
        jitter: Double = 0.2, frameShift: Int64 = 0, lateness: (Double, () -> Double) -> Double = { _, _ in 0 }
    ) {
        var random: UInt64 = 42
        func next() -> Double {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(random >> 11) * 0x1p-53
        }
        var now = from
        while now < to {
            let frame = dac.pointer(at: now) + frameShift
            let host = now + lateness(now, next)
            model.note(frame: frame, hostNanoseconds: Int64((host * 1e9).rounded()))
            now += period * (1 + jitter * (next() - 0.5))
        }
    }

    /// Prediction error 150 ms beyond the last reading, in seconds.
    private func miss(_ model: borrowing DeviceClockModel, _ dac: VirtualDAC, at now: Double) -> Double {
        guard let line = model.line else { return .infinity }
        let frame = dac.pointer(at: now) + 7_200
        return Double(line.originHost) * 1e-9 + line.seconds(of: frame) - dac.seconds(of: Double(frame))
    }

    private func isReady(_ model: borrowing DeviceClockModel) -> Bool { model.isReady }
    private func measuredPPM(_ model: borrowing DeviceClockModel) -> Double { model.line?.ppm ?? .infinity }
    private func bound(_ model: borrowing DeviceClockModel, at frame: Int64) -> Double {
        model.line?.bound(at: frame) ?? -1
    }

    private func expectMiss(
        _ error: Double, below limit: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(abs(error) < limit, "\(error * 1e6) us", sourceLocation: sourceLocation)
    }

    @Test(arguments: [0.0, 40, -35, 1_000, -1_000])
    func aSecondOfReadingsGivesMicroseconds(ppm: Double) {
        let dac = VirtualDAC(ppm: ppm)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_001)
        expectMiss(miss(model, dac, at: 1_001), below: 2e-6)
        feed(&model, dac, from: 1_001, to: 1_030)
        expectMiss(miss(model, dac, at: 1_030), below: 0.5e-6)
        #expect(abs(measuredPPM(model) - ppm) < 0.05)
    }

    @Test func itIsReadyWhenTheRateIsKnown() {
        let dac = VirtualDAC(ppm: 80)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_000.09)
        #expect(isReady(model) == false)
        feed(&model, dac, from: 1_000.09, to: 1_000.4)
        #expect(isReady(model) == true)
        expectMiss(miss(model, dac, at: 1_000.4), below: 15e-6)
        #expect(bound(model, at: 19_200) < 30e-6)
    }

    @Test func aFastReaderIsReadyAfter200Milliseconds() {
        let dac = VirtualDAC(ppm: 80)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_000.2, period: 0.001)
        #expect(isReady(model) == true)
        expectMiss(miss(model, dac, at: 1_000.2), below: 10e-6)
    }

    /// A card that runs 24 ppm fast, its pointer read once in a burst of 5 ms: by how many microseconds each reading
    /// was late, as recorded, by what a thread takes to wake. The 49th to the 52nd seem to know that it runs 28 ppm
    /// slow; those that follow know better.
    private static let lateByWakes: [Double] = [
        1035.6, 1146.9, 965.4, 1042.1, 987.7, 1070.5, 1000.8, 1100.1, 1021.1, 1124.3, 1000.8, 1106.4, 970.1, 1171.1,
        1002.4, 1229.1, 977.6, 1012.8, 970.2, 1092.6, 986.2, 1016.8, 980.6, 1040.3, 1104.1, 1234.1, 1031.7, 1103.2,
        1002.1, 1070.1, 973.2, 1177.2, 972.8, 1034.6, 972.5, 1040.6, 1076.0, 1266.2, 998.9, 1089.3, 991.6, 1047.3,
        974.7, 1060.9, 971.1, 1097.8, 972.7, 1073.7, 974.6, 1127.4, 987.6, 1052.8, 967.2, 1121.5, 958.3, 1113.1,
        959.1, 1066.8, 970.6, 1050.6,
    ]

    private func note(_ late: Double, _ index: Int, _ model: inout DeviceClockModel) {
        let time = Double(index) * 0.005
        model.note(frame: Int64(index) * 40, hostNanoseconds: Int64(((time + late * 1e-6) * 1e9).rounded()))
    }

    /// Where that luck lasts for two more readings, it outlasts the hold, and a line comes of it.
    @Test func aLineDoesNotOutliveWhatRefutesIt() throws {
        var microseconds = Self.lateByWakes
        microseconds.insert(contentsOf: microseconds[50..<52], at: 52)
        var model = DeviceClockModel(deviceRate: 8_000, rateHint: nil)
        var worstEarly = 0.0
        var worstLately = 0.0
        for (index, late) in microseconds.enumerated() {
            note(late, index, &model)
            let error = abs(measuredPPM(model) - 24)
            if index >= microseconds.count - 6 {
                worstLately = max(worstLately, error)
            } else if isReady(model) {
                worstEarly = max(worstEarly, error)
            }
        }
        // There was a line to refute.
        #expect(worstEarly > 40)
        #expect(worstLately < 15)
    }

    /// As recorded, and the same again as the card goes on: 0.3 s are 7.2 us of its rate.
    @Test func fourReadingsByLuckMakeNoLine() throws {
        let lateByWakes = Self.lateByWakes
        var model = DeviceClockModel(deviceRate: 8_000, rateHint: nil)
        var worst = 0.0
        for index in 0..<4 * lateByWakes.count {
            let (round, place) = index.quotientAndRemainder(dividingBy: lateByWakes.count)
            note(lateByWakes[place] - 7.2 * Double(round), index, &model)
            let isReady = isReady(model)
            if isReady { worst = max(worst, abs(measuredPPM(model) - 24)) }
            // What it promises at the latest, however little it knows: 0.6 s, and the hold.
            if index >= 126 { #expect(isReady, "reading \(index)") }
        }
        #expect(worst < 15)
        #expect(abs(measuredPPM(model) - 24) < 2)
    }

    @Test func aRememberedRateSharpensTheStart() {
        let dac = VirtualDAC(ppm: 80)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: 78)
        feed(&model, dac, from: 1_000, to: 1_000.15)
        #expect(isReady(model) == true)
        expectMiss(miss(model, dac, at: 1_000.15), below: 8e-6)
        #expect(abs(measuredPPM(model) - 80) < 5)
    }

    @Test func lateReadingsDoNotMatter() {
        let dac = VirtualDAC(ppm: 40)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        // A tenth of the readings is late by up to 20 ms, and all by the time a thread takes to wake.
        feed(&model, dac, from: 1_000, to: 1_020) { _, random in
            let wake = -20e-6 * logarithm(1 - random() * 0.999)
            return wake + (random() < 0.1 ? random() * 0.02 : 0)
        }
        expectMiss(miss(model, dac, at: 1_020), below: 8e-6)
    }

    @Test func aFewEarlyReadingsDoNotMatter() {
        let dac = VirtualDAC(ppm: 40)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_020) { _, random in random() < 0.003 ? -0.003 : 0 }
        expectMiss(miss(model, dac, at: 1_020), below: 8e-6)
        let relearned = model.relearnCount
        #expect(relearned == 0)
    }

    @Test func aPointerThatMovesInBurstsIsReadAtItsEdges() {
        let dac = VirtualDAC(ppm: 40, burst: 240)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_030, period: 0.001)
        let late = miss(model, dac, at: 1_030)
        #expect(abs(late) < 100e-6, "\(late * 1e6) us")
        #expect(bound(model, at: dac.pointer(at: 1_030)) > late / 3)
    }

    @Test func aDelayInMillisecondsIsReadAtItsEdges() {
        let dac = VirtualDAC(ppm: -35, burst: 48)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_030, period: 0.004)
        let late = miss(model, dac, at: 1_030)
        #expect(late > -10e-6 && late < 120e-6, "\(late * 1e6) us")
        #expect(abs(measuredPPM(model) + 35) < 1)
    }

    @Test func aRestartKeepsTheRateAndLearnsTheOffsetAtOnce() {
        var dac = VirtualDAC(ppm: 90)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_010)
        model.restart()
        #expect(isReady(model) == false)
        // The device stood still for 50 ms.
        dac.origin += 0.05
        feed(&model, dac, from: 1_010, to: 1_010.05)
        #expect(isReady(model) == true)
        #expect(abs(measuredPPM(model) - 90) < 1)
        expectMiss(miss(model, dac, at: 1_010.05), below: 15e-6)
    }

    @Test func aStepOfTheDeviceIsLearnedAndCounted() {
        var dac = VirtualDAC(ppm: 40)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_010)
        dac.origin += 0.003
        feed(&model, dac, from: 1_010, to: 1_011)
        let relearned = model.relearnCount
        #expect(relearned == 1)
        #expect(isReady(model) == true)
        expectMiss(miss(model, dac, at: 1_011), below: 15e-6)
    }

    /// A card that stands still twice in one second, the second time when hardly any reading shows the first.
    @Test(arguments: [0.31, 0.34, 0.35, 0.36, 0.37, 0.45]) func aStepSoonAfterAStepIsLearnedInASecond(seconds: Double) {
        var dac = VirtualDAC(ppm: 40)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_010)
        dac.origin += 0.5
        feed(&model, dac, from: 1_010.5, to: 1_010.5 + seconds)
        dac.origin += 0.5
        let end = 1_012.2 + seconds
        feed(&model, dac, from: 1_011 + seconds, to: end)
        #expect(abs(measuredPPM(model) - 40) < 10)
        expectMiss(miss(model, dac, at: end), below: 50e-6)
    }

    /// A virtual machine that was moved: the card ran dry, was started again, and the machine's clock is put right.
    @Test(arguments: [0.045, 0.06, 0.1, 0.2, 0.5], [0.0047, 0.05, -0.0047])
    func aStepSoonAfterARestartIsNoRate(seconds: Double, step: Double) {
        var dac = VirtualDAC(ppm: 40, burst: 240)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_010)
        model.restart()
        feed(&model, dac, from: 1_010, to: 1_010 + seconds, period: 0.001)
        dac.origin += step
        feed(&model, dac, from: 1_010 + seconds, to: 1_012 + seconds, period: 0.001)
        #expect(abs(measuredPPM(model) - 40) < 10)
        expectMiss(miss(model, dac, at: 1_012 + seconds), below: 50e-6)
    }

    /// Whatever was known: a device that was started anew at another rate is believed.
    @Test(arguments: [-700.0, 400]) func aRateThatDidChangeIsLearned(ppm: Double) {
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, VirtualDAC(ppm: 40), from: 1_000, to: 1_010)
        model.restart()
        let changed = VirtualDAC(ppm: ppm)
        feed(&model, changed, from: 1_010, to: 1_012, period: 0.001)
        #expect(abs(measuredPPM(model) - ppm) < 5)
        expectMiss(miss(model, changed, at: 1_012), below: 100e-6)
    }

    @Test func theRateWandersAndIsFollowed() {
        var dac = VirtualDAC(ppm: 20)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        var now = 1_000.0
        var worst = 0.0
        for second in 0..<120 {
            // 1.2 ppm in two minutes: a card that warms up. The phase stays continuous.
            let frame = dac.pointer(at: now)
            let seconds = dac.seconds(of: Double(frame))
            dac.ppm += 0.01
            dac.origin += seconds - dac.seconds(of: Double(frame))
            feed(&model, dac, from: now, to: now + 1)
            now += 1
            if second > 5 { worst = max(worst, abs(miss(model, dac, at: now))) }
        }
        #expect(worst < 8e-6, "\(worst * 1e6) us")
    }

    /// 44.1 kHz for 48 and the other way round, half the rate, and 1 %; read every millisecond and every period.
    @Test(arguments: [-81_250.0, 88_435, -500_000, 10_000, -10_000], [0.001, 0.005])
    func aLyingRateIsNotBelieved(ppm: Double, period: Double) throws {
        let dac = VirtualDAC(ppm: ppm)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        var hadLine = false
        for tenth in 0..<100 {
            let from = 1_000 + Double(tenth) / 10
            feed(&model, dac, from: from, to: from + 0.1, period: period)
            hadLine = hadLine || isReady(model)
        }
        #expect(isReady(model) == false)
        // One that is off by little may pass for a coarse one at first.
        #expect(!hadLine || abs(ppm) <= 10_000)
        let told = model.impossiblePPM
        #expect(abs(try #require(told) - ppm) < 200)
    }

    @Test func aCardThatComesToItsSensesIsBelievedAgain() {
        var dac = VirtualDAC(ppm: -81_250)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        feed(&model, dac, from: 1_000, to: 1_010)
        dac.origin += 10 * 0.08125
        dac.ppm = 20
        feed(&model, dac, from: 1_010, to: 1_016)
        let told = model.impossiblePPM
        #expect(told == nil)
        expectMiss(miss(model, dac, at: 1_016), below: 10e-6)
    }

    /// A card that stands still for a second, whenever, has still the rate that it says.
    @Test(arguments: 0..<20) func aStallIsNoLie(tenths: Int) {
        var dac = VirtualDAC(ppm: 40)
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        let stall = 1_003 + Double(tenths) / 10
        feed(&model, dac, from: 1_000, to: stall)
        dac.origin += 1
        for tenth in 0..<60 {
            feed(&model, dac, from: stall + 1 + Double(tenth) / 10, to: stall + 1.1 + Double(tenth) / 10)
            let told = model.impossiblePPM
            #expect(told == nil)
        }
        expectMiss(miss(model, dac, at: stall + 7), below: 10e-6)
    }

    /// As PulseAudio behaves whose sink sleeps: it reckons the delay down though nothing plays, stands still, takes a
    /// period every 5 ms and tells no delay at all, stands still, and only then runs evenly, 0.8 s late.
    @Test(arguments: 1...5) func aServerThatGuessesBeforeItPlays(seed: UInt64) throws {
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: nil)
        var random = SeededNumbers(seed: seed)
        var frame: Int64 = 0
        for reading in 1..<9_000 {
            let noise = random.next()
            let now = Double(reading) * 1.09e-3 + noise * 20e-6
            switch now {
            case ..<0.794: frame = min(7_200, Int64(now * 48_000))
            case ..<1.435: frame = 7_200 + Int64((now - 0.794) / 0.005) * 240
            default: frame = max(frame, Int64((now - 0.7936) * 48_000 + noise))
            }
            model.note(frame: frame, hostNanoseconds: Int64(now * 1e9), occasion: reading % 5 == 0 ? .wake : .poll)
            guard let line = model.line else { continue }
            try #require(line.seconds(of: frame).isFinite && line.ppm.isFinite)
        }
        let told = model.line
        let line = try #require(told)
        // Frames are whole, and may be told one too early.
        let late = Double(line.originHost) * 1e-9 + line.seconds(of: 480_000) - 10.7936
        #expect(late > -22e-6 && late < 1e-6)
        #expect(abs(line.ppm) < 1)
    }

    @Test func nonsenseDoesNotTrap() {
        var model = DeviceClockModel(deviceRate: 48_000, rateHint: .nan)
        for frame in [0, .max, .min, 5, -5, .max, 0, 100] as [Int64] {
            for host in [0, .max, .min, 7] as [Int64] { model.note(frame: frame, hostNanoseconds: host) }
        }
        for index in 0..<200 { model.note(frame: Int64(index) * 240, hostNanoseconds: Int64(index) * 40_000_000) }
        for index in 0..<200 { model.note(frame: 1_000_000 &- Int64(index), hostNanoseconds: Int64(index)) }
        // The last readings tell eight times the nominal rate.
        #expect(abs(model.line?.ppm ?? 0) < 1_300)
        _ = model.line?.hostNanoseconds(of: .max)
    }
}
