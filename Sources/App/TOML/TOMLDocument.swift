/// A document of TOML 1.0 (https://toml.io/en/v1.0.0), with the place of each key, and of each mistake.
///
/// A mistake loses its line, not the document: what stands on the other lines is read. A document that has any is no
/// TOML, and says so by ``problems``. Reading takes time and memory in proportion to the bytes, whatever they are.
public struct TOMLDocument: Hashable, Sendable {
    /// The most levels of tables and arrays within one another.
    public static let depthLimit = 64
    /// The most bytes of a document: 1 MiB. A longer one is not read at all.
    public static let byteCountLimit = 1 << 20
    /// The most problems that are told of.
    public static let problemCountLimit = 100

    public let root: TOMLTable
    /// In the order of their places; empty if the document is TOML.
    public let problems: [TOMLProblem]

    public init(parsing bytes: [UInt8]) {
        guard bytes.count <= Self.byteCountLimit else {
            root = TOMLTable(entries: [])
            problems = [TOMLProblem(.tooLong, at: TOMLPosition(line: 1, column: 1))]
            return
        }
        var reader = TOMLReader(bytes)
        reader.readDocument()
        root = reader.tables.table()
        // Below quotes that are never closed reading begins anew.
        problems = reader.problems.sorted {
            ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
        }
    }
}
