extension String {
    /// Returns the candidate that was most likely meant: at most two typing errors away, or one in short words.
    /// Nil if there is none, and for words of more than 64 characters.
    public func nearest(among candidates: [String]) -> String? {
        guard count <= 64 else { return nil }
        let limit = count < 4 ? 1 : 2
        var distances = EditDistance(to: Array(self))
        let near = candidates.compactMap { candidate in
            distances.distance(of: Array(candidate), atMost: limit).map { (distance: $0, word: candidate) }
        }
        return near.min { $0.distance < $1.distance }?.word
    }
}
