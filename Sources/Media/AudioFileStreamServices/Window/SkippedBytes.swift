import AudioCore

/// Bytes without a break that belong to nothing: counted, and told of as one problem when something else follows, so
/// that it does not matter how they were cut.
struct SkippedBytes {
    private var problem: (byteOffset: Int64, byteCount: Int64)?

    /// Offset in the file of the byte behind them.
    var end: Int64? { problem.map { $0.byteOffset &+ $0.byteCount } }

    var isEmpty: Bool { problem == nil }

    /// - Parameter offset: where in the file they are; only that of the first counts.
    mutating func add(_ byteCount: Int, at offset: Int64) {
        problem = (problem?.byteOffset ?? offset, (problem?.byteCount ?? 0) &+ Int64(byteCount))
    }

    /// Forgets them, after a gap.
    mutating func removeAll() { problem = nil }

    /// Tells of them, if there were any. Packets before them must have been handed over.
    mutating func end<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        guard let (offset, count) = problem.take() else { return }
        sink.streamDidParse(property: .problem(AudioStreamProblem(.skipped(byteCount: count), at: offset)))
    }
}
