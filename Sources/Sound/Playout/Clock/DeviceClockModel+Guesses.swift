extension DeviceClockModel {
    /// Treats readings as a sound server's guesses from now on, and drops the present ones.
    mutating func treatReadingsAsGuesses() {
        guard !isGuessed else { return }
        isGuessed = true
        relearn()
    }

    mutating func takeGuess(_ point: ClockPoint) {
        if points.count > 0, isStep(point) { return }
        guard addToBucket(point), point.time >= nextFitTime else { return }
        let guess = GuessFit(points, prior: prior, around: line == nil || isRelearning ? nil : fit)
        fit = guess.fit
        nextFitTime = isSettled ? point.time + Self.settledInterval : 0
        if line != nil, !isRelearning { return publish() }
        guard point.time - points[0].time >= GuessFit.span else { return }
        let awaited = Double(newestReadingHost &- (awaitedSince ?? newestReadingHost)) * 1e-9
        if guess.isBelievable || awaited >= GuessFit.patience { publish() } else { relearn() }
    }

    /// Whether a guess is far from the line, on either side. Such guesses do not count; a long run of them is a step.
    private mutating func isStep(_ point: ClockPoint) -> Bool {
        guard abs(point.residual - fit.residual(at: point.time)) > GuessFit.step.distance else {
            late.end()
            return false
        }
        let duration = line == nil ? Self.earlySeconds : GuessFit.step.duration
        if late.extend(at: point.time, toCount: 8, seconds: duration) { relearn() }
        return true
    }
}
