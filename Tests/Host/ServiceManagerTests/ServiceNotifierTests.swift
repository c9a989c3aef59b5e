import AudioCore
import Glibc
import StreamTestKit
import Testing

@testable import ServiceManager

/// What a real socket receives, as a service manager would.
@Suite(.timeLimit(.minutes(5))) struct ServiceNotifierTests {
    private func connection(to address: String, _ more: [String: String] = [:]) -> ServiceNotifier? {
        let environment = more.merging(["NOTIFY_SOCKET": address]) { first, _ in first }
        return ServiceNotifier(processID: 4_711) { environment[$0] }
    }

    @Test func itTellsAtAPathAndAtAnAbstractName() throws {
        let directory = TemporaryDirectory()
        for address in [directory.path + "/notify", "@tutti-test-notify-\(getpid())"] {
            let manager = try DatagramReceiver(address)
            let notifier = try #require(connection(to: address))
            #expect(notifier.notify(.ready))
            #expect(manager.receiveText() == "READY=1")
            #expect(notifier.notify(.reloading(monotonicMicroseconds: 12_345_678)))
            #expect(manager.receiveText() == "RELOADING=1\nMONOTONIC_USEC=12345678")
            #expect(notifier.notify(.watchdog) && notifier.notify(.stopping))
            #expect(manager.receiveText() == "WATCHDOG=1" && manager.receiveText() == "STOPPING=1")
        }
    }

    /// A title may hold anything: it is to be no other variable, and not long.
    @Test func aStatusIsOneShortLine() throws {
        #expect(ServiceNotification.status("Attic: a\nSTOPPING=1\r\nb").text == "STATUS=Attic: a STOPPING=1 b")
        let long = ServiceNotification.status(String(repeating: "é", count: 1_000)).text
        #expect(long == "STATUS=" + String(repeating: "é", count: 128))
    }

    @Test func theClockOfAReloadIsTheManagers() throws {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let before = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        guard case .reloading(let microseconds) = ServiceNotification.reloadingNow() else {
            Issue.record("no reload")
            return
        }
        #expect((before...before + 10_000_000).contains(microseconds))
    }

    @Test func whereNobodyAsksThereIsNoNotifier() {
        #expect(ServiceNotifier { _ in nil } == nil)
        for address in ["", "relative/path", "@", "/" + String(repeating: "n", count: 200)] {
            #expect(connection(to: address) == nil, "\(address)")
        }
    }

    @Test func aManagerThatIsGoneHoldsNobodyUp() throws {
        let directory = TemporaryDirectory()
        let notifier = try #require(connection(to: directory.path + "/nobody"))
        #expect(!notifier.notify(.ready))
    }

    /// A manager that never reads fills its queue; what does not fit is given up after a moment.
    @Test func aManagerThatDoesNotReadHoldsNobodyUpForLong() throws {
        let address = "@tutti-test-deaf-\(getpid())"
        let manager = try DatagramReceiver(address)
        let notifier = try #require(connection(to: address))
        let status = ServiceNotification.status(String(repeating: "s", count: 200))
        var sent = 0
        while sent < 100_000, notifier.notify(status) { sent += 1 }
        #expect(sent > 0 && sent < 100_000)
        #expect(manager.receiveText() != nil)
        #expect(notifier.notify(.ready), "there is room again")
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "30000000"], TimeSpan.seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "4711"], .seconds(30)),
    ])
    func itKnowsTheWatchdogsInterval(environment: [String: String], interval: TimeSpan) throws {
        let notifier = try #require(connection(to: "@nobody", environment))
        #expect(notifier.watchdogInterval == interval)
    }

    @Test(arguments: [
        [:], ["WATCHDOG_USEC": "0"], ["WATCHDOG_USEC": "-5"], ["WATCHDOG_USEC": "soon"],
        ["WATCHDOG_USEC": "99999999999999999999"], ["WATCHDOG_USEC": "9223372036854775807"],
        ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"],
    ])
    func otherwiseThereIsNoWatchdog(environment: [String: String]) throws {
        #expect(try #require(connection(to: "@nobody", environment)).watchdogInterval == nil)
    }
}
