import AudioCore
import ProgrammeJSON
import WireProtocol

/// The JSON of anybody who reaches the page's port: any bytes as JSON, and as a command.
struct ProgrammeJSONRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    private static let byteLimit = 64 * 1024
    private static let listeners = [
        ProgrammeListener(instance: 0x2A, name: "Kitchen", state: .playing, settings: ListenerSettings()),
        ProgrammeListener(instance: 7, name: "Shelf", state: .ready, settings: ListenerSettings()),
        ProgrammeListener(instance: 8, name: "Shelf", state: .ready, settings: ListenerSettings()),
    ]

    func violation() -> String? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: input, byteLimit: Self.byteLimit)
        } catch {
            guard (0...min(input.count, Self.byteLimit)).contains(error.offset) else {
                return "an error at \(error.offset)"
            }
            return Self.isLine("\(error)") ? nil : "no line: \(error)"
        }
        if input.count > Self.byteLimit { return "\(input.count) bytes are read" }
        if String(validating: input, as: UTF8.self) == nil { return "what is not UTF-8 is read" }
        return violation(in: value, depth: 0) ?? roundTripViolation(of: value) ?? Self.violation(of: value)
    }

    private func violation(in value: JSONValue, depth: Int) -> String? {
        if depth > JSONValue.depthLimit { return "\(depth) levels" }
        if case .double(let number) = value, !number.isFinite { return "a number that is none" }
        let names = (value.members ?? []).map { Array($0.key.utf8) }
        if Set(names).count != names.count { return "a member stands there twice" }
        for part in (value.array ?? []) + (value.members ?? []).map(\.value) {
            let isNested = part.array != nil || part.members != nil
            if let violation = violation(in: part, depth: depth + (isNested ? 1 : 0)) { return violation }
        }
        return nil
    }

    private func roundTripViolation(of value: JSONValue) -> String? {
        // Escapes make a text up to twelve times as long: a character of four bytes becomes two escapes of six.
        let text = value.text
        guard let again = try? JSONValue(parsing: text, byteLimit: .max) else { return "'\(text)' is not read again" }
        if again != value { return "'\(text)' is read as '\(again.text)'" }
        return again.text == text ? nil : "'\(text)' is written as '\(again.text)'"
    }

    /// A command is for one right, and within what the wire carries: encoding it traps otherwise.
    private static func violation(of value: JSONValue) -> String? {
        do throws(ProgrammeCommandError) {
            let command = try ProgrammeCommand(value, listeners: listeners)
            guard (1...64).contains(command.operations.count) else { return "\(command.operations.count) operations" }
            for operation in command.operations {
                if operation.right != command.right { return "\(operation) takes another right" }
                if WireEncoder.command(Command(id: CommandID(high: 0, low: 0), operation)).readableBytes > 4_096 {
                    return "\(operation) is too long"
                }
            }
            let isSound = command.operations.contains { if case .listeners = $0 { true } else { false } }
            return isSound || command.listener == nil ? nil : "a listener of no command"
        } catch {
            return isLine(error.message) ? nil : "no line: \(error.message)"
        }
    }

    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 1_024
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension ProgrammeJSONRun {
    static var seeds: [[UInt8]] {
        (commands + broken).map { Array($0.utf8) } + [[0xEF, 0xBB, 0xBF, 0x31], [0x22, 0xFF, 0x22]]
    }

    private static var commands: [String] {
        let bare = ["play", "pause", "toggle", "stop", "next", "previous", "clear"].map { "{\"\($0)\":{}}" }
        return bare + [
            #"{"skip":{"seconds":-10}}"#, #"{"jump":{"item":5}}"#, #"{"shuffle":true}"#, #"{"volume":{"step":-5}}"#,
            #"{"add":{"paths":["a"],"position":null}}"#, #"{"offset":{"microseconds":20000000}}"#,
            #"{"seek":{"seconds":12.5}}"#, #"{"remove":{"items":[5,6]}}"#, #"{"move":{"item":5,"position":2}}"#,
            #"{"add":{"paths":["/Music/a.mp3","https://radio.example/a"],"position":3}}"#, #"{"repeat":"all"}"#,
            #"{"volume":{"level":40},"listener":"2a"}"#, #"{"volume":{"muted":true,"listener":"7"}}"#,
            #"{"offset":{"microseconds":-1500,"listener":"2a"}}"#, #"{"role":{"role":"left","listener":"2a"}}"#,
            #" [1e2,-0.0,1.7976931348623157e308,9223372036854775808,"\ud834\udd1e\u0000\/é",null,true,{"":{}}] "#,
        ]
    }

    /// Near the limits, and beyond.
    private static var broken: [String] {
        let depths = [JSONValue.depthLimit, JSONValue.depthLimit + 1]
        return depths.map { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) } + [
            #"{"a":1,"a":2}"#, #"{"seek":{"seconds":1},"play":{}}"#, #""\ud834""#, #""\udd1e\ud834""#, #""\u12"#,
            "01", "-", "1.", "1e", "1e400", "123456789012345678901234567890", "0.1e-400", "[1,]", "{\"a\"}", "\"\n\"",
            "tru", "1 2", "", #"{"repeat":"some"}"#, #"{"volume":{"level":101}}"#, #"{"jump":{"item":-1}}"#,
        ]
    }
}
