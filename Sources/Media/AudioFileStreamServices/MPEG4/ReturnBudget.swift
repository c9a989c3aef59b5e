// Tables that send the parser back and forth must not cost more than the file is worth. Chunks of a few kilobytes may
// be in any order. After a return among fragments, everything behind it is read again.

/// Counts how often, and how far, the parser goes back in a file with random access, and limits both.
struct ReturnBudget {
    static let excessiveEdits =
        "MPEG-4 edits that make more than \(AudioFileStreamLimits.editedMultiple) times the file"

    private let fileByteCount: Int64
    /// Returns since the start or a seek.
    private var count: Int64 = 0
    /// Bytes gone back for an edited song in fragments.
    private var editedByteCount: Int64 = 0

    init(fileByteCount: Int64) { self.fileByteCount = fileByteCount }

    /// How often an edit list may go back, a part of how often anything may.
    var largestEditCount: Int { 8 + Int(min(fileByteCount / 8_192, 24)) }

    /// Goes back once.
    /// - Parameter isEdited: it is for an edited song in fragments.
    /// - Returns: why that is too much; nil if it is not.
    mutating func goBack(by byteCount: Int64, isEdited: Bool) -> String? {
        count += 1
        if count > 12 + fileByteCount / 2_048 { return "MPEG-4 packets in no order that can be followed" }
        guard isEdited else { return nil }
        editedByteCount += byteCount
        return editedByteCount / AudioFileStreamLimits.editedMultiple < fileByteCount ? nil : Self.excessiveEdits
    }

    /// Starts counting anew: a seek may go anywhere.
    mutating func reset() { (count, editedByteCount) = (0, 0) }
}
