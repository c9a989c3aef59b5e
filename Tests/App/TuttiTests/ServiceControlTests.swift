import AudioCore
import Glibc
import HostSystem
import Synchronization
import Testing
import TuttiRuntime

@testable import tutti

/// What signals do to a service, without signals and sessions.
@Suite(.timeLimit(.minutes(5))) struct ServiceControlTests {
    private let now = HostTime(nanoseconds: 1_000_000_000)

    /// What the configuration says.
    private final class Configuration: Sendable {
        private let words = Mutex<[String]>([])

        func write(_ words: String...) { self.words.withLock { $0 = words } }

        func command() throws(UsageError) -> JoinCommand {
            var command = try JoinCommand(CommandArguments(words.withLock { $0 }, syntax: JoinCommand.syntax))
            command.reload = { [self] () throws(UsageError) in try self.command() }
            return command
        }
    }

    private let configuration = Configuration()

    private func control() throws -> ServiceControl<JoinCommand> { try ServiceControl(configuration.command()) }

    @Test func whatIsUnchangedChangesNothing() throws {
        configuration.write("--volume", "40", "--quiet-hours", "22:00-07:00")
        let control = try control()
        let turn = try #require(control.nextTurn())
        // Another way to write the same.
        configuration.write("--quiet-hours=22:00-07:00", "--volume=40")
        #expect(control.reload(now: now) == .unchanged)
        #expect(turn.interruption.signal == nil && !control.hasChanged)
    }

    @Test func whatChangedEndsTheSessionAndIsInForceInTheNext() throws {
        configuration.write("--volume", "40")
        let control = try control()
        let first = try #require(control.nextTurn())
        configuration.write("--volume", "50")
        #expect(control.reload(now: now) == .changed)
        #expect(first.interruption.signal == SIGHUP && control.hasChanged && !control.isEnding)
        let second = try #require(control.nextTurn())
        #expect(second.command.options.volume?.percent == 50)
        #expect(second.interruption.signal == nil && !control.hasChanged)
        // The next one is compared with what is in force now.
        #expect(control.reload(now: now) == .unchanged)
    }

    @Test func aMistakeLeavesWhatWasInForce() throws {
        configuration.write("--volume", "40")
        let control = try control()
        let turn = try #require(control.nextTurn())
        configuration.write("--volume", "4000")
        guard case .notReloaded(let error)? = control.reload(now: now) else {
            Issue.record("a mistake was taken")
            return
        }
        #expect(error.message.contains("--volume"))
        #expect(turn.interruption.signal == nil && !control.hasChanged)
        #expect(control.nextTurn()?.command.options.volume?.percent == 40)
        // Mended, it is taken.
        configuration.write("--volume", "45")
        #expect(control.reload(now: now) == .changed)
    }

    /// Twice before the session has ended: the later one counts, and what is back is no change.
    @Test func theLastOfSeveralReloadsCounts() throws {
        configuration.write("--volume", "40")
        let control = try control()
        _ = control.nextTurn()
        configuration.write("--volume", "50")
        #expect(control.reload(now: now) == .changed)
        configuration.write("--volume", "60")
        #expect(control.reload(now: now) == .changed)
        #expect(control.nextTurn()?.command.options.volume?.percent == 60)
    }

    /// A disk that answers when it is told to.
    private final class Disk: Sendable {
        private struct State {
            var readings = 0
            var isHung = true
        }

        private let state = Mutex(State())
        private let begun: WakeSignal
        private let answered: WakeSignal

        init() throws { (begun, answered) = try (WakeSignal(), WakeSignal()) }

        var readings: Int { state.withLock { $0.readings } }

        func waitForReading() {
            let deadline = HostTime.now() + .seconds(100)
            while readings == 0, HostTime.now() < deadline { begun.wait(atMost: .seconds(1)) }
        }

        func answer() {
            state.withLock { $0.isHung = false }
            answered.signal()
        }

        /// Waits for the answer, and returns whether this is the first reading.
        func read() -> Bool {
            let isFirst = state.withLock { state in
                state.readings += 1
                return state.readings == 1
            }
            begun.signal()
            while state.withLock({ $0.isHung }) { answered.wait(atMost: .seconds(1)) }
            return isFirst
        }
    }

    /// What a service was told of its reloads.
    private final class Notices: Sendable {
        private let all = Mutex<[ServiceNotice]>([])
        private let changed: WakeSignal

        init() throws { changed = try WakeSignal() }

        func add(_ notice: ServiceNotice) {
            all.withLock { $0.append(notice) }
            changed.signal()
        }

        func wait(for count: Int) -> [ServiceNotice] {
            let deadline = HostTime.now() + .seconds(100)
            while all.withLock({ $0.count }) < count, HostTime.now() < deadline { changed.wait(atMost: .seconds(1)) }
            return all.withLock { $0 }
        }
    }

    /// A configuration whose disk hangs: of many requests one reading goes on, another one follows, and only what that
    /// one says is told.
    @Test func aReadingThatHangsIsNotBegunTwiceAndTheNewestRequestWins() throws {
        configuration.write("--volume", "40")
        let (disk, notices) = try (Disk(), Notices())
        var command = try configuration.command()
        command.reload = { [configuration] () throws(UsageError) in
            // As it was when the reading began.
            let read = try configuration.command()
            return disk.read() ? read : try configuration.command()
        }
        let control = try ServiceControl(command)
        let turn = try #require(control.nextTurn())
        configuration.write("--volume", "50")
        control.requestReload { notices.add($0) }
        disk.waitForReading()
        configuration.write("--volume", "60")
        for _ in 0..<10 { control.requestReload { notices.add($0) } }
        #expect(disk.readings == 1 && !control.hasChanged && turn.interruption.signal == nil)
        disk.answer()
        #expect(notices.wait(for: 1) == [.changed])
        #expect(disk.readings == 2 && turn.interruption.signal == SIGHUP)
        #expect(control.nextTurn()?.command.options.volume?.percent == 60)
    }

    /// Whoever asks for the end does not wait for a disk.
    @Test func aStopDoesNotWaitForAReading() throws {
        let (disk, notices) = try (Disk(), Notices())
        var command = try configuration.command()
        command.reload = { [configuration] () throws(UsageError) in
            _ = disk.read()
            return try configuration.command()
        }
        let control = try ServiceControl(command)
        let turn = try #require(control.nextTurn())
        configuration.write("--volume", "50")
        control.requestReload { notices.add($0) }
        #expect(control.stop(SIGTERM, now: now) == .stop)
        #expect(turn.interruption.signal == SIGTERM && control.nextTurn() == nil)
        disk.answer()
        #expect(notices.wait(for: 1) == [.changed])
        #expect(control.nextTurn() == nil)
    }

    @Test func aStopEndsTheSessionAndAllThatWouldFollow() throws {
        let control = try control()
        let turn = try #require(control.nextTurn())
        configuration.write("--volume", "50")
        #expect(control.reload(now: now) == .changed)
        #expect(control.stop(SIGTERM, now: now) == .stop)
        #expect(turn.interruption.signal != nil && control.isEnding)
        #expect(control.nextTurn() == nil)
        #expect(control.stop(SIGTERM, now: now + .milliseconds(100)) == .echo)
        #expect(control.stop(SIGTERM, now: now + .seconds(1)) == .exitAtOnce)
    }

    @Test func aWaitEndsWithWhateverIsAsked() throws {
        for ask in 0..<2 {
            let control = try control()
            _ = control.nextTurn()
            configuration.write("--volume", "\(ask)")
            let thread = try HostThread(name: "signals") {
                if ask == 0 { _ = control.reload(now: now) } else { _ = control.stop(SIGTERM, now: now) }
            }
            let began = HostTime.now()
            control.wait(atMost: .seconds(100))
            #expect(HostTime.now() - began < .seconds(50))
            thread.join()
        }
    }

    /// A cause is told once, and tried again ever more slowly.
    @Test func retriesAreSpacedAndToldOnce() {
        var retries = Retries()
        var told = 0
        var now = now
        var spans: [Double] = []
        let port = RuntimeFailure(.unavailable, .portInUse(1))
        for _ in 0..<6 {
            let span = retries.note(port, now) { told += 1 }
            spans.append(span.seconds)
            now += span
        }
        #expect(spans == [1, 2, 4, 8, 10, 10] && told == 1 && retries.isWaiting)
        #expect(retries.note(RuntimeFailure(.unavailable, .portInUse(2)), now) { told += 1 } == .seconds(1))
        #expect(told == 2)
        // It ran for an hour in between.
        #expect(
            retries.note(RuntimeFailure(.unavailable, .portInUse(2)), now + .seconds(3_600)) { told += 1 }
                == .seconds(1))
        #expect(told == 3)
    }

    @Test func whatDoesNotPassEndsTheService() {
        #expect(RuntimeFailure(.unavailable, .portInUse(1)).mayPass)
        #expect(!RuntimeFailure(.notAllowed, .other("key")).mayPass)
        #expect(!RuntimeFailure(.usage, .other("words")).mayPass)
        #expect(!RuntimeFailure(.general, .noThread).mayPass)
    }
}
