import HostSystem

/// What the thread that feeds the sound card is granted.
struct RightsFacts: Judged {
    /// Nil if there was no answer in time.
    var trial: RealTimeTrial?
    /// `RLIMIT_RTPRIO` and `RLIMIT_MEMLOCK` (getrlimit(2)); nil for no limit.
    var priorityLimit: UInt64?
    var lockedByteLimit: UInt64?

    var findings: [Finding] {
        guard let trial else {
            return [
                Finding(
                    "rights.unanswered", .note, "whether there is real-time priority was not answered in time",
                    why: "RealtimeKit or D-Bus hangs", remedy: "sudo systemctl restart rtkit-daemon")
            ]
        }
        return [priority(trial), memory(trial)]
    }

    private func priority(_ trial: RealTimeTrial) -> Finding {
        if let error = trial.priority {
            return Finding(
                "rights.no-priority", .warning,
                "no real-time priority: RLIMIT_RTPRIO is \(priorityLimit.map(String.init) ?? "unlimited"), and "
                    + "RealtimeKit \(error)",
                why: "a busy machine may interrupt the sound",
                remedy: "sudo apt install rtkit; or: echo '@audio - rtprio 95' | sudo tee "
                    + "/etc/security/limits.d/tutti.conf, then log in again")
        }
        return Finding(
            "rights.priority", .ok, "real-time priority is granted" + (trial.isByRealtimeKit ? " by RealtimeKit" : ""))
    }

    private func memory(_ trial: RealTimeTrial) -> Finding {
        switch trial.memory {
        case .all: Finding("rights.memory", .ok, "all memory can be locked")
        case .working: Finding("rights.memory", .ok, "the memory that sound needs can be locked")
        case .none:
            Finding(
                "rights.no-locked-memory", .warning,
                "memory cannot be locked: RLIMIT_MEMLOCK is \(lockedByteLimit.map { "\($0) bytes" } ?? "unlimited")",
                why: "swapping may interrupt the sound",
                remedy: "echo '@audio - memlock unlimited' | sudo tee -a /etc/security/limits.d/tutti.conf; then log "
                    + "in again")
        }
    }
}
