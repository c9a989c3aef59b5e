import AudioCore

extension World {
    /// How long after a fault a listener may be elsewhere, or silent.
    public static let recovery = TimeSpan.seconds(2)

    /// Plays a song to many listeners to whom, and to the broadcaster, everything happens that a machine must survive:
    /// it stands still, sleeps, its clock is put forward or back, its card takes nothing, its connections break.
    /// Nothing happens in the first five and the last forty seconds.
    /// - Parameter seconds: length of the song; at least 45.
    /// - Returns: the broadcaster; the song is over.
    public func playThroughTroubles(_ song: VirtualSong, seconds: Int64, to listenerCount: Int) -> BroadcastNode {
        for index in 1...listenerCount { addListener("Listener \(index)") }
        // All are known by then.
        run(for: .seconds(3))
        let broadcaster = addBroadcaster("Broadcaster", song: song)
        run(for: .seconds(5))
        for _ in 0..<(seconds - 40) / 2 {
            trouble(broadcaster)
            run(for: .seconds(2))
        }
        run(for: .seconds(40))
        return broadcaster
    }

    /// Does one of the things, or mostly none.
    private func trouble(_ broadcaster: BroadcastNode) {
        let listener = listeners[Int(random.next() % UInt64(listeners.count))]
        let step = random.span(.milliseconds(-500) ... .milliseconds(500))
        switch random.next() % 50 {
        case 0..<3: listener.machine.freeze(for: .milliseconds(100))
        case 3: listener.machine.freeze(for: .milliseconds(400))
        case 4: broadcaster.machine.freeze(for: .milliseconds(100))
        case 5: broadcaster.machine.freeze(for: .milliseconds(400))
        case 6: listener.machine.suspend(for: random.span(.seconds(1) ... .seconds(30)))
        case 7: listener.machine.stepClock(by: step)
        case 8: listener.stallCard(for: .seconds(1))
        case 9: listener.breakConnections()
        case 10: broadcaster.machine.stepClock(by: step)
        default: break
        }
    }
}
