import AudioCore
import Observing
import ProgrammeJSON
import TuttiRuntime

extension CheckResult {
    /// One line for people.
    var verdict: String {
        let end = browserVerdict + (hasEnded ? "; the broadcast ended then" : "")
        if let objection {
            let limit = "limit \((isOfBrowser(objection) ? browserLimit : self.limit).plain)"
            return "\(broadcaster): \(objection.complaint(limit)), \(objection.after.wholeSeconds) into the check. "
                + objection.explanation
        }
        let (limit, time) = ("limit \(self.limit.plain)", watched.wholeSeconds)
        guard let worst else { return "\(broadcaster): in step for \(time) (\(limit))\(end)" }
        guard let other = worst.other else {
            return "\(broadcaster): its one listener, \(worst.culprit), stayed within \(worst.distance.plain) of the "
                + "timeline for \(time) (\(limit))\(end)"
        }
        return "\(broadcaster): \(listenerCount) listeners stayed within \(worst.distance.plain) of each other for "
            + "\(time) (\(limit); the farthest were \(worst.culprit) and \(other))\(end)"
    }

    private func isOfBrowser(_ finding: SyncFinding) -> Bool { finding == worstOfBrowsers }

    private var browserVerdict: String {
        worstOfBrowsers.map { worst in
            "; \(worst.culprit) within \(worst.distance.plain) of the others (limit \(browserLimit.plain))"
        } ?? ""
    }

    /// One object for programs; unknown values are null.
    var json: JSONValue {
        .object([
            "broadcaster": .string(broadcaster), "inStep": .bool(isInStep),
            "limitMicroseconds": .number(limit.microseconds, decimals: 1),
            "browserLimitMicroseconds": .number(browserLimit.microseconds, decimals: 1),
            "watchedSeconds": .number(watched.seconds, decimals: 1), "listeners": .integer(Int64(listenerCount)),
            "worst": worst?.json ?? .null,
            "worstOfBrowsers": worstOfBrowsers?.json ?? .null, "objection": objection?.json ?? .null,
            "verdict": .string(verdict),
        ])
    }
}

extension SyncFinding {
    fileprivate func complaint(_ limit: String) -> String {
        switch (reason, other) {
        case (.starved, _): "\(culprit) fell silent"
        case (.notBegun, _): "\(culprit) does not play"
        case (.vanished, _): "\(culprit) vanished"
        case (_, let other?): "\(culprit) and \(other) were up to \(distance.plain) apart (\(limit))"
        case (_, nil): "\(culprit) was up to \(distance.plain) from the timeline (\(limit))"
        }
    }

    fileprivate var explanation: String {
        guard let timing, reason != .starved, reason != .vanished else { return "\(culprit): \(reason.text)" }
        return "\(culprit): error \(timing.errorReading(.ascii)): \(reason.text)"
    }

    fileprivate var json: JSONValue {
        .object([
            "listener": .string(culprit), "other": .optional(other),
            "distanceMicroseconds": .number(distance.microseconds, decimals: 1),
            "afterSeconds": .number(after.seconds, decimals: 1), "reason": .string(reason.text),
        ])
    }
}

extension SyncFinding.Reason {
    fileprivate var text: String {
        switch self {
        case .xruns(let count): "its sound card ran out of frames (\(count) xrun\(count == 1 ? "" : "s"))"
        case .replacements(let count): "its sound was placed again\(count == 1 ? "" : " \(count) times")"
        case .slowLink(let roundTrip): "it cannot know the clock better over round trips of \(roundTrip.plain)"
        case .unsure: "it does not know its clock or sound card better yet"
        case .correcting(let rate): "it is correcting that at \(rate.reading)"
        case .starved: "packets came too late (a slow network?)"
        case .notBegun(.connecting), .notBegun(.preparing):
            "its clock exchange or its sound card is not ready (does a firewall stop UDP?)"
        case .notBegun(let state): "it is \(state.rawValue)"
        case .vanished: "its connection broke without a word (was it killed or switched off, is its network down?)"
        case .unknown: "it does not say why"
        }
    }
}

extension TimeSpan {
    fileprivate var plain: String { reading(.ascii) }
    fileprivate var wholeSeconds: String { "\(seconds.fixed(0)) s" }
}
