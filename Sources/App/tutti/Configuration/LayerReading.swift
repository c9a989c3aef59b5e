import TOML

/// Takes from one file what is for one command.
struct LayerReading {
    let path: String
    let layer: Int
    let keys: ConfigurationKeys

    func read(_ document: TOMLDocument, into settings: inout ConfigurationSettings) {
        for problem in document.problems where isConcerned(by: problem.table) {
            settings.note(
                .init(
                    place: .file(path, line: problem.position.line), key: problem.key?.joined(separator: "."),
                    problem: "\(problem.cause)"))
        }
        for entry in document.root.entries where !isTable(entry) { readTopLevel(entry, into: &settings) }
        for entry in document.root.entries where isTable(entry) { readTable(entry, into: &settings) }
    }

    /// Whether what stands below a header is for this command, or for none.
    private func isConcerned(by table: [String]) -> Bool {
        guard let name = table.first else { return true }
        return name == keys.command || !ConfigurationKeys.isCommand(name)
    }

    private func isTable(_ entry: TOMLEntry) -> Bool {
        switch entry.value {
        case .table: true
        case .array(let elements):
            !elements.isEmpty && ConfigurationKeys.isCommand(entry.key)
                && elements.allSatisfy { if case .table = $0.value { true } else { false } }
        case .string, .integer, .float, .boolean, .dateTime: false
        }
    }

    private func readTopLevel(_ entry: TOMLEntry, into settings: inout ConfigurationSettings) {
        if let key = keys.key(entry.key), key.scope == .everywhere {
            take(entry, for: key, entry.key, into: &settings)
        } else if settings.hasRoomForMistakes,
            ConfigurationKeys.commands(with: entry.key, scope: .everywhere).isEmpty
        {
            note(entry, entry.key, ConfigurationKeys.advice(onTopLevel: entry.key), &settings)
        }
    }

    private func readTable(_ entry: TOMLEntry, into settings: inout ConfigurationSettings) {
        guard ConfigurationKeys.isCommand(entry.key) else {
            return note(entry, "[\(entry.key)]", ConfigurationKeys.advice(onTable: entry.key), &settings)
        }
        guard entry.key == keys.command else { return }
        guard case .table(let table) = entry.value else {
            return note(entry, "[[\(entry.key)]]", "a command has one table: [\(entry.key)]", &settings)
        }
        for inner in table.entries {
            let path = "\(entry.key).\(inner.key)"
            if let key = keys.key(inner.key) {
                take(inner, for: key, path, into: &settings)
            } else {
                note(inner, path, keys.advice(on: inner.key), &settings)
            }
        }
    }

    private func take(
        _ entry: TOMLEntry, for key: ConfigurationKey, _ path: String, into settings: inout ConfigurationSettings
    ) {
        do throws(WrongType) {
            settings.add(
                .init(
                    key: key, words: try Self.words(entry.value, for: key), place: place(of: entry), layer: layer,
                    path: path))
        } catch {
            note(entry, path, error.problem, &settings)
        }
    }

    private func place(of entry: TOMLEntry) -> ConfigurationPlace { .file(path, line: entry.position.line) }

    /// - Parameter problem: takes its time where the nearest of all keys is looked for.
    private func note(
        _ entry: TOMLEntry, _ key: String, _ problem: @autoclosure () -> String,
        _ settings: inout ConfigurationSettings
    ) {
        guard settings.hasRoomForMistakes else { return }
        settings.note(.init(place: place(of: entry), key: key, problem: problem()))
    }

    // MARK: Values

    private struct WrongType: Error {
        let problem: String
    }

    /// Returns what the command line would give: empty where a toggle is off, and for an empty array.
    private static func words(_ value: TOMLValue, for key: ConfigurationKey) throws(WrongType) -> [String] {
        guard key.kind != .toggle else {
            guard case .boolean(let isOn) = value else {
                throw WrongType(problem: "takes true or false, without quotes")
            }
            return isOn ? [""] : []
        }
        guard case .array(let elements) = value else { return [try word(value)] }
        guard key.kind == .values else { throw WrongType(problem: "takes one value, not a list in []") }
        var words: [String] = []
        for element in elements { words.append(try word(element.value)) }
        return words
    }

    private static func word(_ value: TOMLValue) throws(WrongType) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let integer): return String(integer)
        case .float(let float): return float.description
        case .boolean(let boolean): throw WrongType(problem: "takes a value in quotes or a number, not \(boolean)")
        case .dateTime(let text): throw WrongType(problem: "takes text in quotes: \"\(text)\"")
        case .array: throw WrongType(problem: "takes a list of values, without lists in it")
        case .table: throw WrongType(problem: "takes a value, not a table")
        }
    }
}
