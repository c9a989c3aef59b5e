import HeardAnalysis

/// As much of JSON (RFC 8259) as a report needs.
indirect enum JSON {
    case null
    case integer(Int)
    /// With this many decimals; what is not finite becomes null.
    case number(Double, decimals: Int)
    case string(String)
    case array([JSON])
    case object([(String, JSON)])

    static func optional(_ value: Double?, decimals: Int) -> JSON {
        value.map { .number($0, decimals: decimals) } ?? .null
    }

    static func optional(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }

    var text: String {
        switch self {
        case .null: "null"
        case .integer(let value): "\(value)"
        case .number(let value, let decimals): value.isFinite ? fixed(value, decimals) : "null"
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.0) + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case _ where scalar.value < 0x20: " "
            default: String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
