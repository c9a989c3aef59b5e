import AudioCore

/// A run of bytes that belong to nothing: counted, and reported as one problem when something else follows, so that it
/// does not matter how the bytes were cut.
struct SkippedBytes {
    private var problem: (byteOffset: Int64, byteCount: Int64)?

    /// Offset in the file of the byte after them.
    var end: Int64? { problem.map { $0.byteOffset &+ $0.byteCount } }

    var isEmpty: Bool { problem == nil }

    /// - Parameter offset: where in the file they are; ignored if the run has begun already.
    mutating func add(_ byteCount: Int, at offset: Int64) {
        problem = (problem?.byteOffset ?? offset, (problem?.byteCount ?? 0) &+ Int64(byteCount))
    }

    /// Forgets the run, after a gap.
    mutating func removeAll() { problem = nil }

    /// Reports the run, if there is one. Packets before it must have been delivered.
    mutating func end<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        guard let (offset, count) = problem.take() else { return }
        sink.streamDidParse(property: .problem(AudioStreamProblem(.skipped(byteCount: count), at: offset)))
    }
}
