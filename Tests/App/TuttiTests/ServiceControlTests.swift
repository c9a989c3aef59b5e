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
        guard case .notReloaded(let error) = control.reload(now: now) else {
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
