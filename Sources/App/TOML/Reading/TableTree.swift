/// The tables of a document while it is read: which key may still be added where.
///
/// A header opens a table once. Tables that only lead to others (`a` of `[a.b]`) can be opened later; those that dotted
/// keys made can be continued in the same section alone, and by headers of tables below them (TOML 1.0, "Keys" and
/// "Table"). An inline table is a tree of its own, and then a value.
struct TableTree {
    private enum Origin: Hashable {
        /// Leads to a table that was opened by its header.
        case leading
        case header
        /// Made by dotted keys, in a section.
        case dotted(section: Int)
    }

    private enum Slot {
        case value(TOMLValue)
        case table(Int)
        /// An array of tables, made by `[[name]]`.
        case tables([(table: Int, position: TOMLPosition)])
    }

    private struct Table {
        var origin: Origin
        let depth: Int
        /// By the keys' bytes, since strings are equal by what they look like.
        var indices: [[UInt8]: Int] = [:]
        var slots: [(key: TOMLKeyPart, slot: Slot)] = []
    }

    private var tables: [Table]
    /// The table to which keys are added.
    private var current = 0
    private var section = 0

    /// - Parameter depth: levels above the root.
    init(depth: Int) { tables = [Table(origin: .header, depth: depth)] }

    /// The levels above a value of the current table, behind a key of so many parts.
    func depth(below partCount: Int) -> Int { tables[current].depth + partCount }

    // MARK: Headers

    /// Opens the table of a header.
    ///
    /// After an error the keys that follow belong to the table if it is there and has a header, else to none.
    mutating func open(_ key: [TOMLKeyPart]) throws(TOMLProblem) {
        let parent = try parent(of: key)
        guard let last = key.last else { return }
        guard let index = tables[parent].indices[last.bytes] else {
            return current = try add(last, to: parent, .header)
        }
        switch tables[parent].slots[index].slot {
        case .table(let table) where tables[table].origin == .leading:
            tables[table].origin = .header
            current = table
        case .table(let table) where tables[table].origin == .header:
            current = table
            throw TOMLProblem(.headerTwice(key.text), at: last.position)
        case .table, .value, .tables:
            throw TOMLProblem(.twice(key.text), at: last.position)
        }
    }

    /// Adds a table to an array of tables, which begins here if it is not there.
    mutating func append(_ key: [TOMLKeyPart]) throws(TOMLProblem) {
        let parent = try parent(of: key)
        guard let last = key.last else { return }
        let index = tables[parent].indices[last.bytes]
        var earlier: [(table: Int, position: TOMLPosition)] = []
        if let index {
            guard case .tables(let tables) = tables[parent].slots[index].slot else {
                throw TOMLProblem(.twice(key.text), at: last.position)
            }
            earlier = tables
        }
        // Two levels: the array and the table.
        let table = try make(depth: tables[parent].depth + 2, .header, at: last.position)
        if let index {
            // Taken out first, so that the array is not copied.
            tables[parent].slots[index].slot = .table(table)
            earlier.append((table, last.position))
            tables[parent].slots[index].slot = .tables(earlier)
        } else {
            insert(last, .tables([(table, last.position)]), into: parent)
        }
        current = table
    }

    /// Keys that follow go nowhere.
    mutating func openNowhere() {
        section += 1
        tables.append(Table(origin: .header, depth: 1))
        current = tables.count - 1
    }

    /// Returns the table in which a header's last part stands.
    private mutating func parent(of key: [TOMLKeyPart]) throws(TOMLProblem) -> Int {
        openNowhere()
        var table = 0
        for (count, part) in key.dropLast().enumerated() {
            guard let index = tables[table].indices[part.bytes] else {
                table = try add(part, to: table, .leading)
                continue
            }
            switch tables[table].slots[index].slot {
            case .table(let next): table = next
            case .tables(let all):
                guard let last = all.last else { continue }
                table = last.table
            case .value: throw TOMLProblem(.closedTable(key.prefix(count + 1).text), at: part.position)
            }
        }
        return table
    }

    // MARK: Keys

    /// Adds a key of one or more parts to the current table.
    mutating func set(_ key: [TOMLKeyPart], to value: TOMLValue) throws(TOMLProblem) {
        var table = current
        for (count, part) in key.dropLast().enumerated() {
            guard let index = tables[table].indices[part.bytes] else {
                table = try add(part, to: table, .dotted(section: section))
                continue
            }
            guard case .table(let next) = tables[table].slots[index].slot, isOpen(tables[next].origin) else {
                throw TOMLProblem(.closedTable(key.prefix(count + 1).text), at: part.position)
            }
            tables[next].origin = .dotted(section: section)
            table = next
        }
        guard let last = key.last else { return }
        guard tables[table].indices[last.bytes] == nil else {
            throw TOMLProblem(.twice(key.text), at: last.position)
        }
        insert(last, .value(value), into: table)
    }

    private func isOpen(_ origin: Origin) -> Bool { origin == .leading || origin == .dotted(section: section) }

    // MARK: Making

    private mutating func add(_ part: TOMLKeyPart, to parent: Int, _ origin: Origin) throws(TOMLProblem) -> Int {
        let table = try make(depth: tables[parent].depth + 1, origin, at: part.position)
        insert(part, .table(table), into: parent)
        return table
    }

    private mutating func make(depth: Int, _ origin: Origin, at position: TOMLPosition) throws(TOMLProblem) -> Int {
        guard depth < TOMLDocument.depthLimit else { throw TOMLProblem(.tooDeep, at: position) }
        tables.append(Table(origin: origin, depth: depth))
        return tables.count - 1
    }

    private mutating func insert(_ part: TOMLKeyPart, _ slot: Slot, into table: Int) {
        tables[table].indices[part.bytes] = tables[table].slots.count
        tables[table].slots.append((part, slot))
    }

    // MARK: The result

    func table() -> TOMLTable { table(0) }

    /// Recurs no deeper than ``TOMLDocument/depthLimit``.
    private func table(_ index: Int) -> TOMLTable {
        TOMLTable(
            entries: tables[index].slots.map { key, slot in
                let value: TOMLValue =
                    switch slot {
                    case .value(let value): value
                    case .table(let table): .table(self.table(table))
                    case .tables(let tables):
                        .array(tables.map { TOMLElement(value: .table(table($0.table)), position: $0.position) })
                    }
                return TOMLEntry(key: key.text, value: value, position: key.position)
            })
    }
}

/// One part of a dotted key.
struct TOMLKeyPart {
    let text: String
    let bytes: [UInt8]
    let position: TOMLPosition

    init(_ text: String, at position: TOMLPosition) {
        self.text = text
        bytes = Array(text.utf8)
        self.position = position
    }
}

extension Collection<TOMLKeyPart> {
    /// As it is read by people: parts with dots between them.
    var text: String { map(\.text).joined(separator: ".") }
}
