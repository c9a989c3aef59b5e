import AudioCore
import SimulationKit

/// The row of the table that only a simulation can show: an hour, twenty listeners whose clocks and cards wander, and
/// machines that stand still, sleep and step their clocks.
struct LongSimulation {
    static let name = "hour"
    static let listenerCount = 20
    /// Of the song; the simulation takes about a fifteenth of it.
    let seconds: Int64

    func run() -> Result {
        let world = World(seed: 1)
        let song = VirtualSong(title: "Song", duration: .seconds(seconds))
        let broadcaster = world.playThroughTroubles(song, seconds: seconds, to: Self.listenerCount)
        let skew = world.skew(of: broadcaster.performance, quiet: World.recovery)
        return Result(
            seconds: seconds, p99: skew.p99.microseconds, maximum: skew.worst.microseconds,
            comparedPart: Double(skew.comparedWindowCount) / Double(song.windowCount),
            isWhole: broadcaster.outcome == .completed)
    }

    /// How far apart any two were, in microseconds, outside of two seconds after a fault.
    struct Result {
        var seconds: Int64
        var p99: Double
        var maximum: Double
        /// Of the song in which at least two could be compared.
        var comparedPart: Double
        /// The broadcast came to its end.
        var isWhole: Bool

        static let limit = 21.0

        /// The names of the figures that are not as they shall be.
        var excesses: [String] {
            (p99 > Self.limit ? ["p99"] : []) + (comparedPart < 0.8 ? ["too little to compare"] : [])
                + (isWhole ? [] : ["broken off"])
        }
    }
}
