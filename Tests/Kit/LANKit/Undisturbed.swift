/// What an attempt gives; where the whole machine stood still meanwhile (``StallLogger``) it is made again, twice at
/// most.
///
/// The last attempt counts, whatever the machine does. Expectations belong behind the attempt, not into it: those of an
/// attempt that was disturbed would count as well.
public func undisturbed<Result>(_ attempt: () throws -> Result) rethrows -> Result {
    let logger = StallLogger()
    for _ in 0..<2 {
        let count = logger.stalls.count
        let result = try attempt()
        guard logger.stalls.count > count else { return result }
        print("The machine stood still, once more: \(logger.stalls.dropFirst(count))")
    }
    return try attempt()
}
