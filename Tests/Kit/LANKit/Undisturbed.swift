import SoundCardKit

/// What an attempt gives; where the machine disturbed it, it is made again, twice at most.
///
/// An attempt is disturbed where the machine or one of its processors stood still meanwhile (``StallLogger``), or where
/// its result says so: a busy machine may hold back one thread alone, which the logger's own threads do not see.
///
/// The last attempt counts, whatever the machine does. Expectations belong behind the attempt, not into it: those of an
/// attempt that was disturbed would count as well.
/// - Parameter isDisturbed: whether a result shows that a thread came too late.
public func undisturbed<Result>(
    unless isDisturbed: (Result) -> Bool = { _ in false }, _ attempt: () throws -> Result
) rethrows -> Result {
    let logger = StallLogger()
    for _ in 0..<2 {
        let start = trueNow()
        let result = try attempt()
        let stalled = logger.seconds(from: start, to: trueNow())
        guard stalled > 0 || isDisturbed(result) else { return result }
        print("The machine disturbed the test, once more. It stood still for \(stalled) s")
    }
    return try attempt()
}
