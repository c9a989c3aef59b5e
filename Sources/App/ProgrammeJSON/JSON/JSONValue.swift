import AudioCore
import TerminalIO

/// A JSON value (RFC 8259); members of objects keep their order.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Rounded to this many decimals. Infinities and NaN become null, because JSON has neither.
    case number(Double, decimals: Int)
    /// Written with as many digits as it takes to read the same number again. Infinities and NaN become null.
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Hashable, Sendable {
        public var key: String
        public var value: JSONValue

        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    public static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    public static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    public static func optional(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

    /// On one line, without blanks.
    public var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value, let decimals): value.isFinite ? value.fixed(decimals) : "null"
        // Swift writes the shortest digits that read back as the same number, in a form that JSON knows.
        case .double(let value): value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    // Escapes more than RFC 8259 section 7 demands: everything that could steer a terminal, since a line may be shown
    // raw.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if scalar.isShowable {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 { quoted += "\\u" + unit.fourHexDigits }
                }
            }
        }
        return quoted + "\""
    }
}

extension UInt16 {
    fileprivate var fourHexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
