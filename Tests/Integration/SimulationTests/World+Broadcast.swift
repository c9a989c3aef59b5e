import AudioCore
import SimulationKit

extension World {
    /// Adds listeners `Listener 1` and on, and three seconds later, when all are known, a broadcaster of this song.
    func beginBroadcast(of song: VirtualSong, to listenerCount: Int) -> BroadcastNode {
        for index in 1...listenerCount { addListener("Listener \(index)") }
        run(for: .seconds(3))
        return addBroadcaster("Broadcaster", song: song)
    }
}
