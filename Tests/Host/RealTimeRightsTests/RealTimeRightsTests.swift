import AudioCore
import CLinux
import Glibc
import LANKit
import Synchronization
import Testing

@testable import HostSystem

/// Who is asked for what, and what is said of it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealTimeRightsTests {
    /// Takes and gives back rights on a thread of its own.
    private final class Take: Sendable {
        struct Record {
            var notices: [String] = []
            var asked: [String] = []
            var ownThread: Int32 = 0
            var askedFor: Int32?
            var askedOn: Int32?
        }

        private let record = Mutex(Record())
        private let finished: WakeSignal

        init(
            isHardware: Bool, memory: MemoryLock = .all, fifo: Int32 = EPERM,
            realtimeKit: Result<Int32, RealtimeKitError> = .success(20)
        ) throws {
            finished = try WakeSignal()
            let system = RealTimeSystem(
                lockMemory: { [self] _ in
                    note { $0.asked.append("memory") }
                    return memory
                },
                schedule: { [self] priority in
                    note { $0.asked.append("fifo \(priority)") }
                    return fifo
                },
                askRealtimeKit: { [self] (thread, priority) throws(RealtimeKitError) in
                    note {
                        $0.asked.append("RealtimeKit \(priority)")
                        $0.askedFor = thread
                        $0.askedOn = crealtime_thread_id()
                    }
                    finished.signal()
                    return try realtimeKit.get()
                })
            let thread = try HostThread(name: "test") { [self] in
                note { $0.ownThread = crealtime_thread_id() }
                let rights = RealTimeRights(device: "hw:1", isHardware: isHardware, workingMemory: [], system: system) {
                    line in
                    self.note { $0.notices.append(line) }
                    self.finished.signal()
                }
                // The kit is asked elsewhere: this thread goes on meanwhile, and must not be over.
                if isHardware, fifo != 0 { finished.wait(atMost: .seconds(10)) }
                if case .failure = realtimeKit, isHardware, fifo != 0 { waitForNotice() }
                rights.giveBack()
            }
            thread.join()
        }

        private func waitForNotice() {
            while notices.isEmpty { finished.wait(atMost: .seconds(10)) }
        }

        private func note(_ change: (inout Record) -> Void) { record.withLock { change(&$0) } }
        var notices: [String] { record.withLock { $0.notices } }
        var result: Record { record.withLock { $0 } }
    }

    @Test func aPluginGetsNothing() throws {
        let result = try Take(isHardware: false).result
        #expect(result.asked.isEmpty)
        #expect(result.notices == ["'hw:1' is no sound card but a plugin: its thread runs at normal priority"])
    }

    @Test(arguments: [MemoryLock.all, .working]) func whereLimitsAllowItNobodyElseIsAsked(memory: MemoryLock) throws {
        let result = try Take(isHardware: true, memory: memory, fifo: 0).result
        #expect(result.asked == ["memory", "fifo 60"])
        #expect(result.notices.isEmpty)
    }

    @Test func memoryThatCannotBeLockedIsTold() throws {
        let result = try Take(isHardware: true, memory: .none, fifo: 0).result
        #expect(
            result.notices == [
                "memory could not be locked: swapping may interrupt the sound (see memlock in limits.conf)"
            ])
    }

    @Test func realtimeKitIsAskedForThisThreadOnAnother() throws {
        let result = try Take(isHardware: true).result
        #expect(result.asked == ["memory", "fifo 60", "RealtimeKit 60"])
        #expect(result.askedFor == result.ownThread)
        #expect(result.askedOn != nil && result.askedOn != result.ownThread)
        #expect(result.notices.isEmpty)
    }

    @Test func whatRealtimeKitRefusesIsToldInOneLine() throws {
        let result = try Take(isHardware: true, memory: .working, realtimeKit: .failure(.notInstalled)).result
        #expect(
            result.notices == [
                "no real-time priority: a busy machine may interrupt the sound (RealtimeKit is not installed; "
                    + "see rtprio in limits.conf)"
            ])
    }

    @Test func whereNothingIsAllowedOneLineSaysSo() throws {
        let result = try Take(isHardware: true, memory: .none, realtimeKit: .failure(.refused("no"))).result
        #expect(
            result.notices == [
                "neither real-time priority nor locked memory: a busy machine may interrupt the sound "
                    + "(RealtimeKit refused: no; see rtprio and memlock in limits.conf)"
            ])
    }

    /// What this machine says, and what is then the case, agree.
    @Test func theHostDoesWhatItSays() throws {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 4_096)
        defer { block.deallocate() }
        let memory = RealTimeSystem.host.lockMemory([block])
        #expect((lockedKilobytes() >= 64) == (memory != .none))
        memory.undo([block])
        if memory == .all { #expect(lockedKilobytes() == 0) }
        let thread = try HostThread(name: "test") {
            let code = RealTimeSystem.host.schedule(10)
            #expect(code == 0 || code == EPERM)
            // SCHED_RESET_ON_FORK comes with it.
            #expect((sched_getscheduler(0) & 0xFF == SCHED_FIFO) == (code == 0))
        }
        thread.join()
    }

    private struct Runaway {
        var code: Int32
        var policy: Int32
        var span: TimeSpan
        var takesSignal: Bool
    }

    /// A thread whose priority came by limits, and that never waits: the kernel takes the priority, and the process
    /// goes on. The second time as well: the kernel moves its limit with each signal. Dispatch starts threads that
    /// block signals; here only the runaway itself is sure to have a processor.
    @Test(arguments: 1...2) func aThreadThatRunsAwayLosesItsPriority(time: Int) throws {
        let result = Mutex<Runaway?>(nil)
        let thread = try HostThread(name: "runaway") {
            var signals = sigset_t()
            sigfillset(&signals)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            let code = RealTimeSystem.host.schedule(10)
            let start = HostTime.now()
            while HostTime.now() - start < .seconds(1), sched_getscheduler(0) & 0xFF == SCHED_FIFO {}
            result.withLock {
                pthread_sigmask(SIG_BLOCK, nil, &signals)
                $0 = Runaway(
                    code: code, policy: sched_getscheduler(0) & 0xFF, span: HostTime.now() - start,
                    takesSignal: sigismember(&signals, SIGXCPU) == 0)
            }
        }
        thread.join()
        let runaway = try #require(result.withLock { $0 })
        #expect(runaway.takesSignal)
        guard runaway.code == 0 else { return #expect(runaway.code == EPERM) }
        #expect(runaway.policy == SCHED_OTHER && runaway.span < .milliseconds(900), "\(runaway)")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(15), &limit)  // RLIMIT_RTTIME
        #expect(limit.rlim_cur == 100_000 && limit.rlim_max == 200_000, "\(limit)")
    }

    private func lockedKilobytes() -> Int {
        let line = readText("/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmLck:") }
        return line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
    }
}
