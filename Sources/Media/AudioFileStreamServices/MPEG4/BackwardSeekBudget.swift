// Tables that send the parser to and fro must not cost more than the file is worth. Chunks of a few kilobytes may lie
// in any order.

/// Counts how often one goes back in a file that is at hand, up to where that is too much.
struct BackwardSeekBudget {
    private let fileByteCount: Int64
    /// Returns since the start or a seek.
    private var count: Int64 = 0

    init(fileByteCount: Int64) { self.fileByteCount = fileByteCount }

    /// Goes back once; false if that is too much.
    mutating func goBack() -> Bool {
        count += 1
        return count <= 12 + fileByteCount / 2_048
    }

    /// A seek goes wherever it likes.
    mutating func reset() { count = 0 }
}
