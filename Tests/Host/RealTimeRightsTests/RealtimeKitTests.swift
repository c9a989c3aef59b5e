import CLinux
import Glibc
import HostSystem
import Testing

@testable import RealtimeKitClient

@Suite(.serialized, .timeLimit(.minutes(5))) struct RealtimeKitTests {
    private func kit(_ bus: PrivateBus) -> RealtimeKit {
        var kit = RealtimeKit(busAddress: bus.address)
        kit.timeoutMilliseconds = 10_000
        return kit
    }

    @Test(arguments: [(wanted: Int32(60), got: Int32(20)), (wanted: 5, got: 5)])
    func aThreadIsGivenThePriorityThatIsAllowed(wanted: Int32, got: Int32) throws {
        let bus = try PrivateBus()
        let service = try FakeRealtimeKit(on: bus)
        let kit = kit(bus)
        // Real-time priority would stay with the test's own thread.
        let thread = try HostThread(name: "test") {
            let number = crealtime_thread_id()
            #expect((try? kit.makeRealTime(thread: number, atMost: wanted)) == got)
            #expect(service.requests == [.init(thread: UInt64(number), priority: UInt32(got))])
            if geteuid() == 0 { #expect(sched_getscheduler(0) == SCHED_RR) }
        }
        thread.join()
    }

    @Test func aRefusalIsTold() throws {
        let bus = try PrivateBus()
        let service = try FakeRealtimeKit(on: bus, .init(refusal: "too many\nrequests"))
        let kit = kit(bus)
        #expect(throws: RealtimeKitError.refused("too many\u{FFFD}requests")) {
            try kit.makeRealTime(thread: 1, atMost: 60)
        }
        #expect(service.requests.count == 1)
    }

    @Test(arguments: [
        FakeRealtimeKit.Behaviour(highestPriority: 0), FakeRealtimeKit.Behaviour(highestPriority: .max),
        FakeRealtimeKit.Behaviour(longestRunTime: -1), FakeRealtimeKit.Behaviour(longestRunTime: 0),
    ])
    func nonsenseIsNotFollowed(behaviour: FakeRealtimeKit.Behaviour) throws {
        let bus = try PrivateBus()
        let service = try FakeRealtimeKit(on: bus, behaviour)
        let name = (1...99).contains(behaviour.highestPriority) ? "RTTimeUSecMax" : "MaxRealtimePriority"
        let kit = kit(bus)
        #expect(throws: RealtimeKitError.refused("it states no sensible \(name)")) {
            try kit.makeRealTime(thread: 1, atMost: 60)
        }
        #expect(service.requests.isEmpty)
    }

    @Test func aServiceThatIsNotThereIsTold() throws {
        let bus = try PrivateBus()
        let kit = kit(bus)
        #expect(throws: RealtimeKitError.notInstalled) { try kit.makeRealTime(thread: 1, atMost: 60) }
    }

    @Test func aServiceThatDoesNotAnswerIsTold() throws {
        let bus = try PrivateBus()
        let service = try FakeRealtimeKit(on: bus, .init(isSilent: true))
        var kit = kit(bus)
        kit.timeoutMilliseconds = 100
        #expect(throws: RealtimeKitError.silent) { try kit.makeRealTime(thread: 1, atMost: 60) }
        #expect(service.requests.isEmpty)
    }

    @Test func aMissingBusIsTold() {
        let kit = RealtimeKit(busAddress: "unix:path=/no/such/bus")
        #expect(throws: RealtimeKitError.noBus) { try kit.makeRealTime(thread: 1, atMost: 60) }
    }
}
