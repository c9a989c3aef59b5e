import AudioCore
import Playout

/// The sound device that a listener would use, and how it ran on silence.
struct SoundFacts: Judged {
    /// Some seconds of silence on the device.
    struct Run: Hashable, Sendable {
        var device: OutputDeviceDescription
        var hasDriverStamps: Bool
        var span: TimeSpan
        var xrunCount = 0
        /// How well the device's clock is known at the end; nil: not at all.
        var bound: TimeSpan?
        var rate: PartsPerMillion?
        /// A rate that no sound card can have.
        var impossibleRate: PartsPerMillion?
        /// Why the device was lost meanwhile.
        var loss: OutputDeviceError?
    }

    enum Outcome: Hashable, Sendable {
        case notOpened(OutputDeviceError)
        case ran(Run)
        /// It was opened and was not to be run.
        case opened(OutputDeviceDescription, hasDriverStamps: Bool)
        /// The user wants none looked at.
        case skipped
    }

    var device: String
    var outcome: Outcome
    /// Programs that have a sound card open for playing.
    var players: [OpenFiles.Holder] = []
    /// Whether there may be more that this user cannot see.
    var isPartial = false

    var findings: [Finding] {
        switch outcome {
        case .skipped: [Finding("sound.skipped", .note, "the sound device was not looked at")]
        case .notOpened(let error): [refusal(error)]
        case .opened(let device, let hasStamps):
            [Finding("sound.device", .ok, describe(device))] + server(device) + stamps(hasStamps, device)
        case .ran(let run): judge(run)
        }
    }

    private var name: String { String(heard: device) }

    private func describe(_ device: OutputDeviceDescription) -> String {
        "\(device.identity.map { String(heard: $0) } ?? name): \(device.sampleFormat), "
            + "\((device.rate / 1_000).fixed(1)) kHz, \(device.channelCount) channel"
            + (device.channelCount == 1 ? "" : "s")
    }

    // MARK: Not opened

    private func refusal(_ error: OutputDeviceError) -> Finding {
        switch error {
        case .noDevice:
            Finding(
                "sound.none", .problem, "this machine has no sound card", why: "nothing is heard here",
                remedy: "plug one in and look with: tutti devices (a broadcaster needs none)")
        case .unknownDevice:
            Finding(
                "sound.unknown", .problem, "no sound device is called '\(name)'", why: "nothing is heard here",
                remedy: "choose one of: tutti devices")
        case .busy: busy
        case .notPermitted:
            Finding(
                "sound.not-permitted", .problem, "this user may not use the sound card", why: "nothing is heard here",
                remedy: "sudo usermod -aG audio $USER; then log in again")
        case .unsupportedConfiguration, .lost, .standsStill, .cannotWrite, .failed:
            Finding(
                "sound.broken", .problem, String(displaying: "\(error)", maximumByteCount: 200),
                why: "nothing is heard here", remedy: "choose another one of: tutti devices")
        }
    }

    private var busy: Finding {
        let who =
            players.isEmpty
            ? isPartial ? "a program of another user" : "another program" : players.map(\.shown).listed
        return Finding(
            "sound.busy", .problem, "sound device '\(name)' is in use by \(who)",
            why: "a card takes one program at a time; nothing of Tutti is heard meanwhile",
            remedy: players.isEmpty
                ? "sudo fuser -v /dev/snd/*; then end that program, or play through it: tutti join --device default"
                : "end \(players.map(\.name).listed), or play through it: tutti join --device default")
    }

    // MARK: Run

    private func judge(_ run: Run) -> [Finding] {
        var found: [Finding] = []
        let seconds = "\(run.span.seconds.fixed(1)) s of silence"
        if let loss = run.loss {
            found.append(
                Finding(
                    "sound.lost", .problem,
                    "the sound device stopped: \(String(displaying: "\(loss)", maximumByteCount: 200))",
                    why: "nothing is heard here", remedy: "choose another one of: tutti devices"))
        }
        if run.xrunCount > 0 {
            found.append(
                Finding(
                    "sound.xruns", .warning,
                    "the sound card ran out of frames in \(seconds): \(run.xrunCount) xrun"
                        + (run.xrunCount == 1 ? "" : "s"),
                    why: "each one is a gap in the sound: the machine is too busy, or the thread has no priority",
                    remedy:
                        "see 'rights' above; end what keeps the processor busy; choose hw: devices of: tutti devices"))
        }
        if let rate = run.impossibleRate {
            found.append(
                Finding(
                    "sound.impossible-rate", .problem,
                    "the sound device runs \(rate.value.fixed(0, signed: true)) ppm off its stated rate",
                    why: "no sound card does: its driver or a plugin misstates the rate, and Tutti plays nothing on it",
                    remedy: "choose another one of: tutti devices"))
        } else if run.loss == nil, run.bound == nil {
            found.append(
                Finding(
                    "sound.no-clock", .warning, "the sound device's clock was not learned in \(seconds)",
                    why: "Tutti waits for that before it plays", remedy: "choose a hw: device of: tutti devices"))
        }
        found += server(run.device) + stamps(run.hasDriverStamps, run.device)
        let clock = [
            run.rate.map { "\($0.value.fixed(1, signed: true)) ppm" }, run.bound.map { "known to \($0.shown)" },
        ].compactMap(\.self).joined(separator: ", ")
        let what = describe(run.device) + (clock.isEmpty ? "" : "; clock \(clock)")
        return [Finding("sound.device", .ok, what)] + found
    }

    private func server(_ device: OutputDeviceDescription) -> [Finding] {
        guard !device.hasKnownCard else { return [] }
        return [
            Finding(
                "sound.through-server", .note, "'\(name)' is no sound card but a plugin or a sound server",
                why: "how late it sounds is known less exactly: to milliseconds, not to a sample",
                remedy: "choose a hw: device of: tutti devices")
        ]
    }

    private func stamps(_ hasStamps: Bool, _ device: OutputDeviceDescription) -> [Finding] {
        guard !hasStamps else { return [] }
        return [
            Finding(
                "sound.no-time-stamps", .warning, "the driver of '\(name)' does not stamp its readings",
                why: "when a sample is heard is known less exactly, by as much as a reading takes",
                remedy: "choose a hw: device of: tutti devices")
        ]
    }
}

extension TimeSpan {
    /// `0.31 ms`, `12.0 ms`, `1.5 s`
    var shown: String {
        if magnitude >= .seconds(1) { return "\(seconds.fixed(1)) s" }
        let milliseconds = seconds * 1e3
        return "\(milliseconds.fixed(magnitude < .milliseconds(10) ? 2 : 1)) ms"
    }
}
