import Controlling
import WireProtocol

// What became of a command: `{"done":true,"text":""}`.

extension JSONValue {
    /// - Parameter text: for people; empty if there is nothing to say.
    public static func outcome(isDone: Bool, _ text: String = "") -> JSONValue {
        .object(["done": .bool(isDone), "text": .string(text)])
    }
}

extension CommandOutcome {
    public var isDone: Bool { if case .done = verdict { true } else { false } }

    /// The text of a refusal says why.
    public var json: JSONValue {
        guard case .refused(let refusal) = verdict else { return .outcome(isDone: true, text) }
        return .outcome(isDone: false, text.isEmpty ? "\(refusal)" : text)
    }
}

extension ControlEnding {
    /// Why nothing came of a request, for people who have no command line: one line. Names and texts in it may be
    /// anybody's.
    public var failureText: String {
        switch self {
        case .done: "done"
        case .notFound: "the broadcast was not found; start it again with `tutti broadcast`"
        case .cannotSearch(let cause): "broadcasts cannot be looked for: \(cause)"
        case .ambiguous(let names): "there are several broadcasts: \(names.joined(separator: ", "))"
        case .noAnswer: "the broadcaster does not answer; try again"
        case .broadcastsNothing(let name): "\(name) broadcasts nothing"
        case .notOfHousehold(let names): "not of this household: \(names.joined(separator: ", "))"
        case .turnedAway(let name, let reason): "\(name) refuses: \(reason)"
        case .refused(_, let refusal): "\(refusal)"
        case .timedOut: "that has not been done within 1 s; it may still be done"
        case .unreadable(_, let words): "the song cannot be sent: \(words)"
        case .lost(let name): "lost \(name)"
        case .ended(let name, let end): "\(name) ended the broadcast" + (end.text.isEmpty ? "" : ": \(end.text)")
        case .brokenProtocol(let name, let error): "\(name): \(error)"
        }
    }

    /// The same as an outcome.
    public var json: JSONValue { .outcome(isDone: self == .done, self == .done ? "" : failureText) }
}
