import AudioCore

extension AudioStreamError {
    /// Adds the place in the file to an error of a structure's reader, which does not know it.
    func at(_ offset: Int64) -> AudioStreamError {
        guard case .invalidFile(let text) = self else { return self }
        return .invalidFile("\(text) at byte \(offset)")
    }
}
