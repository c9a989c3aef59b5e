import AudioCore
import Glibc
import ServiceManager
import StreamTestKit
import Testing
import TuttiRuntime

@testable import tutti

/// What a service manager receives, by a real socket.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceKeeperTests {
    private let address = "@tutti-test-keeper-\(getpid())-\(UInt32.random(in: 0...(.max)))"
    private let life = SignOfLife()

    private func keeper(watchdogMicroseconds: Int? = nil) throws -> ServiceKeeper {
        var environment = ["NOTIFY_SOCKET": address]
        if let watchdogMicroseconds { environment["WATCHDOG_USEC"] = "\(watchdogMicroseconds)" }
        let notifier = try #require(ServiceNotifier { environment[$0] })
        return try ServiceKeeper(notifier, life) {}
    }

    @Test func itIsReadyOnceAndAgainAfterAReload() throws {
        let manager = try DatagramReceiver(address)
        let keeper = try keeper()
        keeper.ready()
        keeper.ready()
        keeper.show(status: "waiting for a broadcast")
        #expect(manager.receiveText() == "READY=1")
        #expect(manager.receiveText() == "STATUS=waiting for a broadcast")
        keeper.reloading()
        keeper.ready()
        #expect(manager.receiveText()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        #expect(manager.receiveText() == "READY=1")
    }

    /// Whatever is missing, and whoever is stuck: the manager is not kept waiting.
    @Test func itIsReadyAfterAWhileInAnyCase() throws {
        let manager = try DatagramReceiver(address)
        let keeper = try keeper()
        try keeper.start()
        defer { keeper.end() }
        #expect(manager.receiveText(withinMilliseconds: 10_000) == "READY=1")
    }

    @Test func theManagerIsToldThatItLivesOnlyIfTheSessionAnswers() throws {
        let manager = try DatagramReceiver(address)
        let keeper = try keeper(watchdogMicroseconds: 200_000)
        keeper.ready()
        #expect(manager.receiveText() == "READY=1")
        // Asked, and stuck.
        life.ask(by: { _ in })
        try keeper.start()
        defer { keeper.end() }
        #expect(manager.receiveText(withinMilliseconds: 600) == nil)
        life.ask(by: { answer in answer() })
        for _ in 0..<3 { #expect(manager.receiveText() == "WATCHDOG=1") }
        // Between two sessions nobody answers: no moment that lasts.
        life.ask(by: nil)
        while manager.receiveText(withinMilliseconds: 600) != nil {}
        life.ask(by: { answer in answer() })
        #expect(manager.receiveText() == "WATCHDOG=1")
    }
}
