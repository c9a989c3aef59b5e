/// How many letters must be changed, left out, put in or exchanged with their neighbours to make one word of another
/// (the optimal string alignment distance), as far as it is small. A value; not for two threads at a time.
public struct EditDistance<Letter: Equatable> {
    private let word: [Letter]
    /// Rows of the table of distances between beginnings: two before the current one, one before it, the current one.
    private var rows: [[Int]]

    public init(to word: [Letter]) {
        self.word = word
        rows = Array(repeating: Array(repeating: 0, count: word.count + 1), count: 3)
    }

    /// Returns the distance of another word; nil where it is larger than the limit. Takes time in proportion to both
    /// lengths.
    public mutating func distance(of other: [Letter], atMost limit: Int) -> Int? {
        guard abs(other.count - word.count) <= limit else { return nil }
        for column in rows[1].indices { rows[1][column] = column }
        for row in other.indices {
            rows[2][0] = row + 1
            for column in word.indices {
                let isSame = other[row] == word[column]
                var least = min(rows[1][column] + (isSame ? 0 : 1), rows[1][column + 1] + 1, rows[2][column] + 1)
                if row > 0, column > 0, other[row] == word[column - 1], other[row - 1] == word[column] {
                    least = min(least, rows[0][column - 1] + 1)
                }
                rows[2][column + 1] = least
            }
            // Later rows have no smaller distances than this one and the one before, which exchanges reach back to.
            if (rows[2].min() ?? 0) > limit, (rows[1].min() ?? 0) > limit { return nil }
            rows.append(rows.removeFirst())
        }
        return rows[1][word.count] <= limit ? rows[1][word.count] : nil
    }
}
