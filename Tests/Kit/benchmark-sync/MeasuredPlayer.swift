import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// What is measured: the programs that play a song on a testbed, a broadcaster and its listeners.
protocol MeasuredPlayer: AnyObject {
    /// What it is called in reports.
    static var name: String { get }

    init(testbed: Testbed, song: SongFile) throws

    /// Starts a listener; `findsByName` leaves it to mDNS to find the broadcaster.
    /// - Parameter card: what it plays on; nil for the host's own.
    func listen(on host: Int, findsByName: Bool, card: SoftwareCard?) throws -> LANProcess
    /// Starts the song, for this many listeners.
    func play(to count: Int) throws
    /// Returns when all is played and all processes have ended.
    func finish(within seconds: Double) throws
    /// Of a listener; nil where it does not tell.
    func replacementCount(of listener: LANProcess) -> Int?
    /// What to say of a run that failed.
    var account: String { get }
}
