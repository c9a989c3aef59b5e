import AudioCore
import HostSystem
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

/// The main job on one machine, by address: real TCP and UDP, sound that goes nowhere.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoopbackBroadcastTests {
    /// A second of quiet noise as a WAVE file; removed with the last reference.
    private final class Song {
        private let directory = TemporaryDirectory()
        var path: String { directory.path + "/song.wav" }

        init(seconds: Int = 1) throws {
            var data: [UInt8] = []
            for frame in 0..<44_100 * seconds { data.append(littleEndian: UInt16(frame &* 7_919 % 1_000)) }
            try Tool.writeFile(path, WAVEWriter(channels: 1).file(data: data))
        }
    }

    private func broadcast(
        _ song: Song, to listeners: [RunningListener], at host: String = "127.0.0.1",
        configure: (inout BroadcastOptions) -> Void = { _ in }
    ) throws -> (outcome: RuntimeOutcome, notices: [RuntimeNotice]) {
        var options = BroadcastOptions()
        options.name = "study"
        options.start = .whenReady(listeners: listeners.count)
        options.listeners = listeners.map { NetworkAddress(host: host, port: $0.port) }
        options.network.port = freePort()
        options.network.usesDiscovery = false
        configure(&options)
        let notices = Mutex<[RuntimeNotice]>([])
        let outcome = try Broadcaster(songs: [song.path], options: options, identity: .test("study")).run { event in
            if case .notice(let notice) = event { notices.withLock { $0.append(notice) } }
        }
        return (outcome, notices.withLock { $0 })
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func twoListenersHearASongToItsEnd(host: String) throws {
        let listeners = [try RunningListener(name: "kitchen"), try RunningListener(name: "attic")]
        #expect(try broadcast(Song(), to: listeners, at: host).outcome == .completed)
        for listener in listeners {
            #expect(listener.states.contains(.playing))
            #expect(listener.stop() == .success(.interrupted))
            #expect(listener.notices.contains(.listening(.ended("study"))))
            // Its clock came by the same way.
            #expect(!listener.notices.contains { $0.isOfClock }, "\(listener.notices)")
        }
    }

    /// As by `tutti join [::1]:PORT`.
    @Test(arguments: ["127.0.0.1", "::1"]) func aListenerCallsTheBroadcaster(host: String) throws {
        let port = freePort()
        let listener = try RunningListener(name: "kitchen") {
            $0.address = NetworkAddress(host: host, port: port)
            $0.once = true
        }
        let result = try broadcast(Song(), to: []) {
            $0.network.port = port
            $0.start = .whenReady(listeners: 1)
        }
        #expect(result.outcome == .completed && result.notices.contains(.broadcast(.joined("kitchen"))))
        #expect(listener.end() == .success(.completed))
        #expect(listener.states.contains(.playing))
        #expect(!listener.notices.contains { $0.isOfClock }, "\(listener.notices)")
        let common: Set<StartTimeline.Stage> = [.ports, .connected, .authenticated, .joined, .song, .ready, .sound]
        for (notices, own) in [(result.notices, StartTimeline.Stage.decided), (listener.notices, .clock)] {
            let told = notices.compactMap { if case .start(let timeline) = $0 { timeline } else { nil } }
            let stages = told.first?.marks.map(\.stage) ?? []
            #expect(told.count == 1 && common.union([own]).isSubset(of: stages), "\(notices)")
            #expect(stages.last == .sound)
        }
    }

    @Test func aListenerTakesTheNextBroadcastToo() throws {
        let listener = try RunningListener(name: "kitchen")
        for _ in 0..<2 { #expect(try broadcast(Song(), to: [listener]).outcome == .completed) }
        #expect(listener.states.count(where: { $0 == .playing }) == 2)
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func onceEndsWithTheBroadcast() throws {
        let listener = try RunningListener(name: "kitchen") { $0.once = true }
        #expect(try broadcast(Song(), to: [listener]).outcome == .completed)
        #expect(listener.end() == .success(.completed))
    }

    @Test func theBroadcastersOwnLoudspeakersPlayToo() throws {
        let listener = try RunningListener(name: "kitchen")
        let result = try broadcast(Song(), to: [listener]) { $0.output = .null }
        #expect(result.outcome == .completed)
        #expect(result.notices.contains(.broadcast(.joined("study (here)"))))
        #expect(listener.stop() == .success(.interrupted))
    }

    /// A check besides a broadcast: it neither counts as a listener nor keeps the broadcast from ending.
    private func check(
        _ limit: TimeSpan, _ port: UInt16, for duration: TimeSpan = .seconds(2)
    ) -> Result<CheckResult, RuntimeFailure> {
        var options = CheckOptions()
        options.address = NetworkAddress(host: "127.0.0.1", port: port)
        options.duration = duration
        options.limit = limit
        do throws(RuntimeFailure) {
            return .success(try Checker(options: options, identity: .test("check")).run { _ in })
        } catch {
            return .failure(error)
        }
    }

    @Test func aCheckSeesWhetherListenersKeepInStep() throws {
        let listeners = [try RunningListener(name: "kitchen"), try RunningListener(name: "attic")]
        let port = freePort()
        let results = Mutex<[Result<CheckResult, RuntimeFailure>]>([])
        let threads = try [TimeSpan.milliseconds(50), .nanoseconds(1)].map { limit in
            try HostThread(name: "check") {
                let result = self.check(limit, port)
                results.withLock { $0.append(result) }
            }
        }
        let (outcome, notices) = try broadcast(Song(seconds: 5), to: listeners) { $0.network.port = port }
        for thread in threads { thread.join() }
        #expect(outcome == .completed)
        #expect(notices.count { $0 == .broadcast(.observed(by: "check")) } == 2)
        #expect(!notices.contains(.broadcast(.joined("check"))))
        let seen = try results.withLock { $0 }.map { try $0.get() }
        #expect(seen.count == 2)
        for result in seen {
            #expect(result.broadcaster == "study" && result.listenerCount == 2)
            #expect(result.watched >= .seconds(2) && !result.hasEnded)
            #expect(Set([result.worst?.culprit, result.worst?.other]) == ["kitchen", "attic"])
            #expect(result.isInStep == (result.limit > .milliseconds(1)))
        }
        for listener in listeners { #expect(listener.stop() == .success(.interrupted)) }
    }

    /// One that takes leave is no objection; see the end-to-end tests for one that is killed.
    @Test func aCheckTakesNoOffenceAtAListenerThatLeaves() throws {
        let listeners = [try RunningListener(name: "kitchen"), try RunningListener(name: "attic")]
        let port = freePort()
        let result = Mutex<Result<CheckResult, RuntimeFailure>?>(nil)
        let thread = try HostThread(name: "check") {
            let seen = self.check(.milliseconds(50), port, for: .seconds(3))
            result.withLock { $0 = seen }
        }
        let leaving = try HostThread(name: "leaving") {
            _ = listeners[1].waitForState(.playing)
            sleepThread(for: .milliseconds(1_500))
            _ = listeners[1].stop()
        }
        let (outcome, notices) = try broadcast(Song(seconds: 5), to: listeners) { $0.network.port = port }
        leaving.join()
        thread.join()
        #expect(outcome == .completed && notices.contains(.broadcast(.left("attic"))))
        let seen = try #require(try result.withLock { $0 }?.get())
        #expect(seen.isInStep && seen.listenerCount == 2 && seen.watched >= .seconds(3), "\(seen)")
        #expect(listeners[0].stop() == .success(.interrupted))
    }

    @Test func aCheckWithoutABroadcastSaysSo() throws {
        let port = freePort()
        let failure = #expect(throws: RuntimeFailure.self) { try check(.seconds(1), port).get() }
        let address = NetworkAddress(host: "127.0.0.1", port: port)
        #expect(failure == RuntimeFailure(.unknownPeer, .noAnswer(address)))
        let listener = try RunningListener(name: "kitchen")
        _ = try #require(RawPeer(port: listener.port))
        let refusal = #expect(throws: RuntimeFailure.self) { try check(.seconds(1), listener.port).get() }
        #expect(refusal?.reason == .checkRefused(.broadcastsNothing("kitchen")))
        #expect(listener.stop() == .success(.interrupted))
    }

    /// Also where the own loudspeakers are there to play.
    @Test(arguments: [nil, OutputSelection.null])
    func nobodyOfThatNameIsAFailure(output: OutputSelection?) throws {
        let listener = try RunningListener(name: "kitchen")
        let failure = #expect(throws: RuntimeFailure.self) {
            try broadcast(Song(), to: [listener]) {
                $0.to = ["cellar"]
                $0.output = output
            }
        }
        #expect(failure?.kind == .unknownPeer)
        #expect(listener.stop() == .success(.interrupted))
    }
}
