import AudioCore

/// The members of an object that somebody wrote. A member that is null is as good as none.
struct ObjectReader {
    private let name: String
    private let members: [JSONValue.Member]

    /// - Parameters:
    ///   - name: what the object is the value of.
    ///   - known: the members that it may have.
    init(_ value: JSONValue, of name: String, _ known: [String]) throws(ProgrammeCommandError) {
        guard let members = value.members else {
            let form = known.isEmpty ? "is an empty object, {}" : "is an object with \(Self.list(known))"
            throw ProgrammeCommandError("'\(name)' \(form), not \(value.kindName)")
        }
        if let wrong = members.first(where: { !known.contains($0.key) })?.key {
            let near = wrong.nearest(among: known).map { "did you mean '\($0)'?" }
            let all = known.isEmpty ? "it has none" : "it has \(Self.list(known))"
            throw ProgrammeCommandError("'\(name)' has no member \(wrong.quotedForError): \(near ?? all)")
        }
        self.name = name
        self.members = members
    }

    private static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }

    /// Returns nil if there is no such member.
    func value(_ key: String) -> JSONValue? {
        members.first { $0.key == key }.flatMap { $0.value == .null ? nil : $0.value }
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws(ProgrammeCommandError) -> Double {
        let form = "a number from \(range.lowerBound.fixed(0)) to \(range.upperBound.fixed(0))"
        let value = try required(key, form)
        guard let number = value.number, range.contains(number) else { throw wrong(key, form, value) }
        return number
    }

    func integer(_ key: String, in range: ClosedRange<Int64>) throws(ProgrammeCommandError) -> Int64 {
        let form = Self.form(range)
        let value = try required(key, form)
        guard let integer = Self.integer(value, in: range) else { throw wrong(key, form, value) }
        return integer
    }

    /// A list of integers, as many as the second range says.
    func integers(
        _ key: String, in range: ClosedRange<Int64>, count: ClosedRange<Int>
    ) throws(ProgrammeCommandError) -> [Int64] {
        let form = "a list of \(count.lowerBound) to \(count.upperBound) numbers, each \(Self.form(range))"
        let value = try required(key, form)
        guard let values = value.array, count.contains(values.count) else { throw wrong(key, form, value) }
        var integers: [Int64] = []
        for value in values {
            guard let integer = Self.integer(value, in: range) else { throw wrong(key, form, value) }
            integers.append(integer)
        }
        return integers
    }

    func text(_ key: String, _ form: String) throws(ProgrammeCommandError) -> String {
        let value = try required(key, form)
        guard let text = value.string else { throw wrong(key, form, value) }
        return text
    }

    func texts(_ key: String, _ form: String, count: ClosedRange<Int>) throws(ProgrammeCommandError) -> [String] {
        let form = "a list of \(count.lowerBound) to \(count.upperBound) texts, each \(form)"
        let value = try required(key, form)
        guard let values = value.array, count.contains(values.count) else { throw wrong(key, form, value) }
        var texts: [String] = []
        for value in values {
            guard let text = value.string else { throw wrong(key, form, value) }
            texts.append(text)
        }
        return texts
    }

    /// What to say of a member that has not this form.
    func wrong(_ key: String, _ form: String, _ value: JSONValue) -> ProgrammeCommandError {
        let found: String =
            switch value {
            case .string(let text): text.quotedForError
            case .array: "a list of another kind or length"
            case .integer, .number, .double: value.text
            case .null, .bool, .object: value.kindName
            }
        return ProgrammeCommandError("'\(key)' of '\(name)' is \(form), not \(found)")
    }

    private func required(_ key: String, _ form: String) throws(ProgrammeCommandError) -> JSONValue {
        guard let value = value(key) else {
            throw ProgrammeCommandError("'\(name)' lacks '\(key)': \(form)")
        }
        return value
    }

    private static func integer(_ value: JSONValue, in range: ClosedRange<Int64>) -> Int64? {
        value.integer.flatMap { range.contains($0) ? $0 : nil }
    }

    private static func form(_ range: ClosedRange<Int64>) -> String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
}
