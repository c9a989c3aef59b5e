/// Processor and radio: what saves power, and time to wake with it.
struct MachineFacts: Judged {
    /// How a processor's frequency is chosen, by /sys/devices/system/cpu/*/cpufreq.
    struct Governor: Hashable, Sendable {
        var governor: String
        var driver: String
    }

    struct Radio: Hashable, Sendable {
        var name: String
        /// Nil where the driver does not say.
        var savesPower: Bool?
    }

    /// One for each processor that has any.
    var governors: [Governor] = []
    var radios: [Radio] = []

    var findings: [Finding] { processor + radios.map(Self.finding) }

    /// Drivers whose `powersave` still follows the load (Linux, admin-guide/pm/intel_pstate.rst and amd-pstate.rst).
    private static let drivesItself: Set<String> = ["intel_pstate", "amd-pstate-epp"]

    private var processor: [Finding] {
        guard !governors.isEmpty else {
            return [Finding("machine.no-governor", .ok, "the processor's frequency is not Linux's to choose")]
        }
        let slow = governors.filter { $0.governor == "powersave" && !Self.drivesItself.contains($0.driver) }
        guard slow.isEmpty else {
            return [
                Finding(
                    "machine.powersave", .warning,
                    "\(slow.count) of \(governors.count) processors stay at their lowest frequency",
                    why: "decoding and resampling may come late on a small machine",
                    remedy: "echo schedutil | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
            ]
        }
        let names = Set(governors.map(\.governor)).sorted().map { String(heard: $0) }
        return [Finding("machine.governor", .ok, "processor's governor: \(names.listed)")]
    }

    private static func finding(_ radio: Radio) -> Finding {
        let name = String(heard: radio.name)
        return switch radio.savesPower {
        case true?:
            Finding(
                "machine.radio-saves-power", .warning, "\(name) saves power: its radio sleeps between beacons",
                why: "what is sent to this machine waits for up to 100 ms and more, one way only: clock and multicast "
                    + "suffer",
                remedy: "sudo iw dev \(name) set power_save off (for good: wifi.powersave = 2 of NetworkManager)")
        case false?: Finding("machine.radio", .ok, "\(name) is a radio, and does not save power")
        case nil:
            Finding(
                "machine.radio-unknown", .note, "\(name) is a radio; whether it saves power it does not say",
                remedy: "iw dev \(name) get power_save")
        }
    }
}
