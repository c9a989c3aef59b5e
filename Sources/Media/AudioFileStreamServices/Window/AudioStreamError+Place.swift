import AudioCore

extension AudioStreamError {
    /// The same, with where in the file that stands which is wrong: for readers of a structure, who do not know it.
    func at(_ offset: Int64) -> AudioStreamError {
        guard case .invalidFile(let text) = self else { return self }
        return .invalidFile("\(text) at byte \(offset)")
    }
}
