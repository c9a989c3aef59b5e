import AudioCore
import SimulationKit
import Testing
import WireProtocol

/// Commands to a listener whose link carries little more than the song, while its buffer fills: they do not wait behind
/// the song.
@Suite(.timeLimit(.minutes(5))) struct SlowLinkCommandTests {
    /// From a command to its effect on all listeners.
    private static let limit = 0.3
    private static let songBytesPerSecond = VirtualSong.sampleRate * 4

    @Test(arguments: Seeds.short, [2_000, 3_500, 6_000]) func aPauseDoesNotWaitBehindSong(
        seed: UInt64, milliseconds: Int
    ) throws {
        let world = World(seed: seed)
        let broadcaster = world.beginBroadcast(of: VirtualSong(title: "Song", duration: .seconds(60)), to: 2)
        world.run(for: .seconds(5))
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = 1.2 * Self.songBytesPerSecond
        let slow = world.addListener("Slow", quality: quality)
        world.run(for: .milliseconds(Int64(milliseconds)))
        let buffered = try #require(slow.session.currentReport(slow.machine.now)?.buffered, "\(world.replay)")
        #expect(buffered < .seconds(4), "\(buffered): it is full already; \(world.replay)")
        let paused = world.loop.now.seconds
        broadcaster.perform(.pause)
        world.run(for: .seconds(3))
        let first = try #require(broadcaster.performance.window(at: paused + Self.limit))
        for listener in world.listeners {
            let windows = listener.ear.windows(of: broadcaster.performance)
            #expect(windows[..<first].contains { $0?.content == .song }, "\(listener.name); \(world.replay)")
            let late = windows[first...].count { ($0?.content ?? .silence) != .silence }
            #expect(late == 0, "\(listener.name) fell silent \(Double(late) * 0.02) s late; \(world.replay)")
        }
    }

    /// The window that a slow link gets must not be so short that the link falls idle.
    @Test(arguments: Seeds.short) func theBufferFillsAsFastAsTheLinkAllows(seed: UInt64) throws {
        let world = World(seed: seed)
        _ = world.beginBroadcast(of: VirtualSong(title: "Song", duration: .seconds(60)), to: 2)
        world.run(for: .seconds(5))
        var quality = LinkQuality.quietLAN
        quality.bytesPerSecond = 1.5 * Self.songBytesPerSecond
        let slow = world.addListener("Slow", quality: quality)
        world.run(for: .seconds(12))
        let buffered = try #require(slow.session.currentReport(slow.machine.now)?.buffered, "\(world.replay)")
        #expect(buffered > .milliseconds(4_500), "\(buffered); \(world.replay)")
    }
}
