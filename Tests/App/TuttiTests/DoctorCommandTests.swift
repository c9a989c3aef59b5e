import Diagnosis
import Testing
import TuttiRuntime

@testable import tutti

/// The doctor's command line, and what it returns.
@Suite(.timeLimit(.minutes(5))) struct DoctorCommandTests {
    private func command(_ words: String...) throws -> DoctorCommand {
        try DoctorCommand(CommandArguments(words, syntax: DoctorCommand.syntax))
    }

    @Test func hostsAndTheDeviceAreTaken() throws {
        let command = try command("--device", "hw:1", "192.168.1.10", "attic.local:4711")
        #expect(command.options.device == "hw:1")
        #expect(command.options.addresses.map(\.description) == ["192.168.1.10:28884", "attic.local:4711"])
        #expect(try self.command("--no-sound").options.device == nil)
        #expect(try self.command().options.device == "default")
    }

    @Test func whatMakesNoSenseIsRefused() {
        #expect(throws: UsageError.self) { try command("--no-sound", "--device", "hw:1") }
        #expect(throws: UsageError.self) { try command("http://192.168.1.10/") }
    }

    @Test(
        arguments: [
            ([], 0, "nothing is wrong"), ([.ok, .note], 0, "nothing is wrong"),
            ([.ok, .warning, .warning], 1, "2 warnings"),
            ([.warning, .problem, .note], 2, "1 problem, 1 warning"),
        ] as [([Finding.Severity], Int32, String)])
    func theWorstFindingDecides(severities: [Finding.Severity], code: Int32, verdict: String) {
        let findings = severities.map { Finding("area.what", $0, "something") }
        #expect(DoctorCommand.exitCode(findings) == code)
        #expect(DoctorCommand.verdict(findings) == verdict)
    }
}
