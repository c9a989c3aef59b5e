import AudioCore
import AudioDecoding
import Glibc
import HostSystem
import Playout
import Testing

@testable import Diagnosis

/// What is said of sound, rights, processor, radio, codecs and disk.
@Suite(.timeLimit(.minutes(5))) struct MachineJudgementTests {
    private var run: SoundFacts.Run {
        let device = OutputDeviceDescription(
            name: "hw:0", identity: "hw:0, Card", hasKnownCard: true, rate: 48_000, channelCount: 2,
            sampleFormat: "32-bit", buffer: .milliseconds(150), period: .milliseconds(5))
        var run = SoundFacts.Run(device: device, hasDriverStamps: true, span: .seconds(4))
        (run.bound, run.rate) = (.microseconds(30), PartsPerMillion(-12.5))
        return run
    }

    private func sound(_ outcome: SoundFacts.Outcome, players: [OpenFiles.Holder] = []) -> [Finding] {
        SoundFacts(device: "hw:0", outcome: outcome, players: players, isPartial: players.isEmpty).findings
    }

    private func sound(_ change: (inout SoundFacts.Run) -> Void) -> [Finding] {
        var run = run
        change(&run)
        return sound(.ran(run))
    }

    @Test func aCardThatPlaysSilenceIsNoTrouble() {
        let found = sound(.ran(run))
        #expect(found.map(\.id) == ["sound.device"] && found[0].severity == .ok)
        #expect(found[0].what.contains("48.0 kHz") && found[0].what.contains("-12.5 ppm"))
    }

    @Test func whatIsWrongWithACardIsNamed() {
        #expect(sound { $0.hasDriverStamps = false }.contains { $0.id == "sound.no-time-stamps" })
        #expect(sound { $0.xrunCount = 3 }.contains { $0.id == "sound.xruns" && $0.what.contains("3 xruns") })
        #expect(sound { $0.impossibleRate = PartsPerMillion(88_435) }.contains { $0.id == "sound.impossible-rate" })
        #expect(sound { $0.bound = nil }.contains { $0.id == "sound.no-clock" })
        #expect(sound { $0.loss = .lost(device: "hw:0") }.contains { $0.id == "sound.lost" })
        #expect(sound { $0.device.hasKnownCard = false }.contains { $0.id == "sound.through-server" })
    }

    @Test func aBusyCardIsNamedWithWhoHasIt() {
        let found = sound(.notOpened(.busy(device: "hw:0")), players: [.init(name: "mpv", process: 99)])
        #expect(found.map(\.id) == ["sound.busy"] && found[0].what.contains("mpv (99)"))
        #expect(sound(.notOpened(.busy(device: "hw:0")))[0].what.contains("another user"))
        #expect(sound(.notOpened(.noDevice))[0].id == "sound.none")
        #expect(sound(.notOpened(.notPermitted(device: "hw:0")))[0].id == "sound.not-permitted")
    }

    @Test func rightsThatAreMissingAreNamed() {
        let granted = RightsFacts(trial: RealTimeTrial(memory: .working))
        #expect(granted.findings.allSatisfy { $0.severity == .ok })
        let refused = RightsFacts(
            trial: RealTimeTrial(priority: .notInstalled, memory: .none), priorityLimit: 0, lockedByteLimit: 65_536)
        #expect(refused.findings.map(\.id) == ["rights.no-priority", "rights.no-locked-memory"])
        #expect(refused.findings.allSatisfy { $0.severity == .warning && $0.remedy != nil })
        #expect(RightsFacts(trial: nil).findings.map(\.severity) == [.note])
    }

    @Test func savingPowerIsNamedWhereItHurts() {
        func found(_ governor: String, _ driver: String) -> [String] {
            MachineFacts(governors: [.init(governor: governor, driver: driver)]).findings.map(\.id)
        }
        #expect(found("powersave", "acpi-cpufreq") == ["machine.powersave"])
        #expect(found("powersave", "intel_pstate") == ["machine.governor"])
        #expect(found("schedutil", "cppc_cpufreq") == ["machine.governor"])
        let radios = MachineFacts(radios: [
            .init(name: "wlan0", savesPower: true), .init(name: "wlan1", savesPower: false), .init(name: "wlan2"),
        ])
        #expect(radios.findings.dropFirst().map(\.severity) == [.warning, .ok, .note])
    }

    @Test func codecsAndSandboxAreNamed() {
        #expect(CodecFacts(availability: .supported, worker: .works).findings.map(\.severity) == [.ok])
        #expect(CodecFacts(availability: .missing).findings[0].id == "codecs.missing")
        #expect(CodecFacts(availability: .other(major: 61)).findings[0].id == "codecs.other-version")
        let failure = AudioDecodingError.libraryFailed(operation: "starting", code: 0, text: "its process ended")
        #expect(CodecFacts(availability: .supported, worker: .failed(failure)).findings[0].id == "codecs.no-sandbox")
    }

    @Test func aDirectoryThatCannotBeWrittenIsNamed() {
        func found(_ writing: StateFacts.Writing, free: UInt64? = 1 << 30) -> String {
            StateFacts(path: "/state", writing: writing, freeByteCount: free).findings[0].id
        }
        #expect(found(.works) == "state.works")
        #expect(found(.works, free: 1 << 20) == "state.nearly-full")
        #expect(found(.failed("write", ENOSPC)) == "state.full")
        #expect(found(.failed("create", EROFS)) == "state.not-writable")
        #expect(found(.notTried(owner: 1_000)) == "state.of-another-user")
        #expect(StateFacts(path: nil).findings[0].id == "state.none")
    }

    @Test func aPortOfAnotherProgramIsNamed() {
        #expect(PortFacts().findings.map(\.id) == ["ports.free"])
        #expect(PortFacts(streams: [.init(name: "tutti", process: 5)]).findings[0].severity == .ok)
        #expect(PortFacts(datagrams: [.init(name: "nc", process: 6)]).findings[0].id == "ports.taken")
    }
}
