extension String {
    /// Returns the candidate that was most likely meant: at most two typing errors away, or one in short words.
    /// Nil if there is none.
    public func nearest(among candidates: [String]) -> String? {
        let ranked = candidates.map { (distance: distance(to: $0), word: $0) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= (count < 4 ? 1 : 2) ? best.word : nil
    }

    /// Returns Levenshtein's edit distance, over characters.
    private func distance(to other: String) -> Int {
        guard count <= 64 else { return .max }
        let target = Array(other)
        var row = Array(0...target.count)
        for (i, character) in enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, wanted) in target.enumerated() {
                let substituted = diagonal + (character == wanted ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = Swift.min(substituted, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[target.count]
    }
}
