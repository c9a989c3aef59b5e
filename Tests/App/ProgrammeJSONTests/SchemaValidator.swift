import ProgrammeJSON

/// Judges JSON by a JSON Schema (2020-12) of the keywords that are needed here; any other keyword is a violation.
struct SchemaValidator {
    private let root: JSONValue
    /// Objects have no members but those that the schema names.
    private let isStrict: Bool

    init(_ root: JSONValue, isStrict: Bool = true) {
        self.root = root
        self.isStrict = isStrict
    }

    private static let annotations = ["$schema", "title", "description", "$defs"]

    /// Returns what is wrong with a value as one of the schema's definitions; nil if nothing is.
    func violation(of value: JSONValue, as definition: String) -> String? {
        violation(of: value, .object(["$ref": .string("#/$defs/\(definition)")]), at: definition)
    }

    func violation(of value: JSONValue, _ schema: JSONValue, at place: String) -> String? {
        guard let keywords = schema.members else { return "\(place): the schema is no object" }
        for keyword in keywords where !Self.annotations.contains(keyword.key) {
            if let violation = violation(of: value, keyword, schema, at: place) { return violation }
        }
        return nil
    }

    private func violation(
        of value: JSONValue, _ keyword: JSONValue.Member, _ schema: JSONValue, at place: String
    ) -> String? {
        let wanted = keyword.value
        switch keyword.key {
        case "type": return Self.isOf(value, wanted.string ?? "") ? nil : "\(place): \(value.text) is no \(wanted.text)"
        case "enum":
            return wanted.array?.contains(value) == true ? nil : "\(place): \(value.text) is none of \(wanted.text)"
        case "minimum":
            return (value.number ?? 0) >= (wanted.number ?? 0) ? nil : "\(place): \(value.text) is too small"
        case "maximum":
            return (value.number ?? 0) <= (wanted.number ?? 0) ? nil : "\(place): \(value.text) is too large"
        case "required":
            let missing = wanted.array?.compactMap(\.string).first { value.members != nil && value.member($0) == nil }
            return missing.map { "\(place): '\($0)' is missing" }
        case "properties": return violation(ofMembersOf: value, wanted, schema, at: place)
        case "additionalProperties": return wanted == .bool(false) ? nil : "\(place): additionalProperties is not false"
        case "items":
            for (index, element) in (value.array ?? []).enumerated() {
                if let violation = violation(of: element, wanted, at: "\(place)[\(index)]") { return violation }
            }
            return nil
        case "oneOf":
            let violations = (wanted.array ?? []).map { violation(of: value, $0, at: place) }
            let fitting = violations.count { $0 == nil }
            return fitting == 1 ? nil : "\(place): \(value.text) fits \(fitting) of \(violations.compactMap { $0 })"
        case "$ref":
            let name = String((wanted.string ?? "").dropFirst("#/$defs/".count))
            guard let definition = root.member("$defs")?.member(name) else {
                return "\(place): no definition '\(name)'"
            }
            return violation(of: value, definition, at: place)
        default: return "\(place): unknown keyword '\(keyword.key)'"
        }
    }

    private func violation(
        ofMembersOf value: JSONValue, _ properties: JSONValue, _ schema: JSONValue, at place: String
    ) -> String? {
        for member in value.members ?? [] {
            if let property = properties.member(member.key) {
                if let violation = violation(of: member.value, property, at: "\(place).\(member.key)") {
                    return violation
                }
            } else if isStrict || schema.member("additionalProperties") == .bool(false) {
                return "\(place): '\(member.key)' is in no schema"
            }
        }
        return nil
    }

    private static func isOf(_ value: JSONValue, _ type: String) -> Bool {
        switch type {
        case "null": value == .null
        case "boolean": value.bool != nil
        case "integer": value.integer != nil
        case "number": value.number != nil
        case "string": value.string != nil
        case "array": value.array != nil
        case "object": value.members != nil
        default: false
        }
    }
}
