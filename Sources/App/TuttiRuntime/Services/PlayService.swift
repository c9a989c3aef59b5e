/// A player in your own program: songs on this machine alone, one after the other, with pause, seek and skip.
///
/// Over when the last frame of the last song was heard. If songs are not MPEG audio or PCM, see ``DecodeWorkers``.
public final class PlayService: TuttiService {
    private let player: Player
    private let service: ServiceRun

    /// - Parameter songs: paths of songs, directories and playlists, URLs, or `-` for standard input.
    public init(songs: [String], options: PlayOptions = PlayOptions()) {
        let player = Player(paths: songs, options: options)
        self.player = player
        service = ServiceRun(
            threadName: "tutti service", eventLimit: Self.eventLimit,
            .init(run: { handler throws(RuntimeFailure) in try player.run(handler) }, stop: { player.stop() }))
    }

    deinit { service.requestStop() }

    public var events: AsyncStream<RuntimeEvent> { service.events }

    public func start() async throws(RuntimeFailure) { try await service.start() }

    public func run() async throws(RuntimeFailure) { try await service.run() }

    public func stop() async { await service.stop() }

    /// Tells the player something; what came of it is in the next status. Of no effect before ``start()`` has returned.
    public func perform(_ command: PlayerCommand) { player.perform(command) }
}
