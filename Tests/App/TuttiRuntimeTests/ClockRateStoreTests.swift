import AudioCore
import ClockSync
import Listening
import NIOPosix
import Playout
import Synchronization
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What a listener hands down to the next.
@Suite(.timeLimit(.minutes(5))) struct ClockRateStoreTests {
    private let peer = UUIDBytes(high: 1, low: 2)

    private func device(_ identity: String? = "hw:1, DAC", hasKnownCard: Bool = true) -> OutputDeviceDescription {
        OutputDeviceDescription(
            name: "hw:1", identity: identity, hasKnownCard: hasKnownCard, rate: 48_000, channelCount: 2,
            sampleFormat: "S32_LE",
            buffer: .milliseconds(150), period: .milliseconds(5))
    }

    /// Runs a listener's life on an event loop; returns what it said.
    private func live(
        _ memory: (any ListenerMemory)?, _ body: @escaping @Sendable (ClockRateStore) -> Void
    ) throws -> [MemoryNotice] {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop = group.next()
        let said = Mutex<[MemoryNotice]>([])
        try loop.flatSubmit {
            let rateStore = ClockRateStore(memory: memory, loop: loop) { event in
                if case .notice(.memory(let notice)) = event { said.withLock { $0.append(notice) } }
            }
            body(rateStore)
            return rateStore.flush()
        }.wait()
        return said.withLock { $0 }
    }

    private func estimate(_ ppm: Double, skewBound: Double = 0.3, generation: UInt32 = 0) -> ClockEstimate {
        ClockEstimate(
            mapping: ClockMapping(
                host: HostTime(nanoseconds: 0), session: SessionTime(nanoseconds: 0), skew: PartsPerMillion(ppm)),
            errorBound: .microseconds(1), asymmetryLimit: .microseconds(1), roundTrip: .microseconds(2),
            skewBound: PartsPerMillion(skewBound), generation: generation)
    }

    private func seconds(_ value: Double) -> HostTime { HostTime(nanoseconds: Int64(value * 1e9)) }

    @Test func aPeersClockThatWasKnownWellIsHandedDown() throws {
        let memory = VolatileMemory()
        _ = try live(memory) { rateStore in
            #expect(rateStore.beginExchange(with: peer) == .unknown)
            for step in 0...105 { rateStore.note(estimate(12.5), now: seconds(Double(step) / 5)) }
        }
        #expect(memory.stored[.clock(peer)]?.value == 12.5)
        _ = try live(memory) { rateStore in
            let prior = rateStore.beginExchange(with: peer)
            #expect(prior.skew == PartsPerMillion(12.5))
            #expect(abs(prior.deviation.value - 2) < 0.01)
            #expect(rateStore.beginExchange(with: UUIDBytes(high: 3, low: 4)) == .unknown)
        }
    }

    @Test func anOldRecordIsWorthLess() {
        let year: Int64 = 31_557_600
        func deviation(after age: Int64) -> Double {
            SkewPrior(remembered: MemoryRecord(value: 1, unixSeconds: 1_000), now: 1_000 + age).deviation.value
        }
        #expect(deviation(after: -year) == 2)
        #expect(abs(deviation(after: year) - 20.0.squareRoot()) < 1e-9)
        #expect(deviation(after: 100 * year) == SkewPrior.unknown.deviation.value)
    }

    @Test func whatIsNotKnownWellIsNotHandedDown() throws {
        let memory = VolatileMemory()
        _ = try live(memory) { rateStore in
            for (index, skewBound) in [0.3, 4.5].enumerated() {
                _ = rateStore.beginExchange(with: UUIDBytes(high: 9, low: UInt64(index)))
                // Too short; then for long enough and too unsure.
                for step in 0...(index == 0 ? 95 : 500) {
                    rateStore.note(estimate(12.5, skewBound: skewBound), now: seconds(Double(step) / 5))
                }
            }
            _ = rateStore.beginExchange(with: peer)
            // Still settling: 0.4 ppm a second. Then stepping, every ten seconds.
            for step in 0...500 { rateStore.note(estimate(Double(step) * 0.08), now: seconds(Double(step) / 5)) }
            _ = rateStore.beginExchange(with: peer)
            for step in 0...500 {
                rateStore.note(estimate(1, generation: UInt32(step / 50)), now: seconds(Double(step) / 5))
            }
        }
        #expect(memory.stored.isEmpty)
    }

    @Test func aCardsRateIsHandedDownUnlessItHasNoClock() throws {
        let memory = VolatileMemory()
        var snapshot = PlayoutSnapshot()
        snapshot.modelBound = .microseconds(30)
        snapshot.dacRate = PartsPerMillion(-34)
        let steady = snapshot
        _ = try live(memory) { rateStore in
            for output in [device(nil), device("default", hasKnownCard: false), device()] {
                #expect(rateStore.rateHint(output) == nil)
                rateStore.use(output)
                for step in 0...105 { rateStore.note(steady, now: seconds(Double(step) / 5)) }
            }
        }
        #expect(memory.stored.mapValues(\.value) == [.card("hw:1, DAC at 48000"): -34])
        let said = try live(memory) { rateStore in
            #expect(rateStore.rateHint(device()) == PartsPerMillion(-34))
            #expect(rateStore.rateHint(device("hw:1, Another")) == nil)
        }
        #expect(said == [.cardRate(PartsPerMillion(-34), device: "hw:1")])
    }

    @Test func anXrunMakesACardUnsureAgain() throws {
        let memory = VolatileMemory()
        _ = try live(memory) { rateStore in
            rateStore.use(device())
            var snapshot = PlayoutSnapshot()
            snapshot.modelBound = .microseconds(30)
            for step in 0...500 {
                snapshot.xrunCount = step / 75
                rateStore.note(snapshot, now: seconds(Double(step) / 5))
            }
        }
        #expect(memory.stored.isEmpty)
    }

    @Test func anOffsetIsRememberedForItsDeviceUntilZero() throws {
        let memory = VolatileMemory()
        let given = try live(memory) { rateStore in
            #expect(rateStore.offset(asked: .microseconds(-35_000), on: device()) == .microseconds(-35_000))
            #expect(rateStore.offset(asked: nil, on: device("hw:2, Other")) == .zero)
        }
        #expect(given == [.offset(.microseconds(-35_000), device: "hw:1")])
        let used = try live(memory) { rateStore in
            #expect(rateStore.offset(asked: nil, on: device()) == .microseconds(-35_000))
        }
        #expect(used == given)
        let forgotten = try live(memory) { rateStore in
            #expect(rateStore.offset(asked: .zero, on: device()) == .zero)
            #expect(rateStore.offset(asked: nil, on: device()) == .zero)
        }
        #expect(forgotten == [.offsetForgotten(device: "hw:1")])
        #expect(memory.stored.isEmpty)
    }

    @Test func anOffsetOfAVirtualOutputIsNotRemembered() throws {
        let memory = VolatileMemory()
        let said = try live(memory) { rateStore in
            #expect(rateStore.offset(asked: .microseconds(500), on: device(nil)) == .microseconds(500))
        }
        #expect(said.isEmpty && memory.stored.isEmpty)
    }

    @Test(arguments: [2_000_000.0, -1e18, .nan]) func anOffsetThatNobodyCanHaveGivenIsIgnored(value: Double) throws {
        let memory = VolatileMemory()
        memory.records.withLock { $0[.offset("hw:1, DAC")] = MemoryRecord(value: value, unixSeconds: 0) }
        let said = try live(memory) { #expect($0.offset(asked: nil, on: device()) == .zero) }
        #expect(said.isEmpty)
    }

    @Test func aDevicesVolumeMuteAndRoleAreRemembered() throws {
        let memory = VolatileMemory()
        let wanted = LoudspeakerSettings(volume: Volume(percent: 40), isMuted: true, role: .right)
        let first = try live(memory) { rateStore in
            #expect(rateStore.settings(of: device()) == LoudspeakerSettings())
            rateStore.keep(wanted, on: device())
            rateStore.keep(LoudspeakerSettings(volume: .silent, role: .channel(3)), on: device("hw:2, Other"))
        }
        #expect(first.isEmpty)
        let said = try live(memory) { rateStore in
            #expect(rateStore.settings(of: device()) == wanted)
            #expect(rateStore.settings(of: device(nil)) == LoudspeakerSettings())
        }
        #expect(said == [.volume(wanted.volume, isMuted: true, device: "hw:1"), .role(.right, device: "hw:1")])
        _ = try live(memory) { rateStore in
            let other = LoudspeakerSettings(volume: .silent, role: .channel(3))
            #expect(rateStore.settings(of: device("hw:2, Other")) == other)
            // The default leaves no record.
            rateStore.keep(LoudspeakerSettings(), on: device())
            rateStore.keep(LoudspeakerSettings(), on: device("hw:2, Other"))
            rateStore.keep(wanted, on: device(nil))
        }
        #expect(memory.stored.isEmpty)
    }

    @Test func whatIsGivenWinsOverWhatIsRemembered() throws {
        let memory = VolatileMemory()
        _ = try live(memory) { rateStore in
            rateStore.keep(LoudspeakerSettings(volume: Volume(percent: 40), isMuted: true, role: .left), on: device())
            let request = SettingsRequest.remembered(volume: Volume(percent: 60), role: .mono, offset: .microseconds(7))
            let expected = LoudspeakerSettings(volume: Volume(percent: 60), role: .mono, offset: .microseconds(7))
            #expect(request.settings(of: device(), rateStore) == expected)
            #expect(SettingsRequest.remembered().settings(of: device(), rateStore) == expected)
            let exact = LoudspeakerSettings(volume: .silent)
            #expect(SettingsRequest.exactly(exact).settings(of: device(), rateStore) == exact)
        }
        #expect(
            memory.stored.mapValues(\.value) == [
                .volume("hw:1, DAC"): 60, .role("hw:1, DAC"): -3, .offset("hw:1, DAC"): 7,
            ])
    }

    @Test(arguments: [-1, 101, 0.5, 1e18, .nan]) func settingsThatNobodyCanHaveGivenAreIgnored(value: Double) throws {
        let memory = VolatileMemory()
        for subject in [MemorySubject.volume("hw:1, DAC"), .muted("hw:1, DAC"), .role("hw:1, DAC")] {
            memory.records.withLock { $0[subject] = MemoryRecord(value: value, unixSeconds: 0) }
        }
        _ = try live(memory) { rateStore in
            let settings = rateStore.settings(of: device())
            #expect(settings.volume == .full && !settings.isMuted)
            #expect(settings.role == (value == -1 ? .left : .stereo))
        }
    }

    @Test func whatCannotBeWrittenIsOneLineOfDetail() throws {
        let said = try live(VolatileMemory(isBroken: true)) { rateStore in
            #expect(rateStore.offset(asked: .microseconds(1), on: device()) == .microseconds(1))
            #expect(rateStore.offset(asked: .microseconds(2), on: device()) == .microseconds(2))
        }
        #expect(said.filter { $0.level == .detail } == [.notKept(MemoryFailure("cannot write"))])
    }

    @Test func whatIsDamagedIsToldAtTheStartAndWhenItHasAnotherName() throws {
        let memory = VolatileMemory(isDamaged: true)
        memory.records.withLock { $0[.volume("hw:1, DAC")] = MemoryRecord(value: 40, unixSeconds: 0) }
        let atTheStart = try live(memory) { _ in }
        #expect(atTheStart == [.damaged(MemoryDamage(path: "memory"))])
        let said = try live(memory) { rateStore in
            #expect(rateStore.settings(of: device()).volume == Volume(percent: 40))
        }
        #expect(
            said.filter { $0.level == .warning } == [
                .damaged(MemoryDamage(path: "memory")),
                .damaged(MemoryDamage(path: "memory", keptAs: "memory.damaged")),
            ])
    }

    @Test func whatCannotBeReadIsToldOnceAtTheStart() throws {
        let said = try live(VolatileMemory(isUnreadable: true)) { rateStore in
            #expect(rateStore.settings(of: device()) == LoudspeakerSettings())
            #expect(rateStore.offset(asked: nil, on: device()) == .zero)
        }
        #expect(said == [.unreadable(MemoryFailure("cannot read"))])
    }
}
