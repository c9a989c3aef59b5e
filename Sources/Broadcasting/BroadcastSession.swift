import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// One broadcast of one song: events in, actions out.
///
///     opening ──properties──▶ waiting ──enough listeners are ready──▶ playing ──last frame heard──▶ over
///
/// A listener is greeted and, once the song is known to be one that it can play, welcomed with the clock's key and
/// sent the stream's properties and its first packets at once, so that it is ready before the start is decided. The
/// decision makes the anchor: frame 0 leaves every loudspeaker one start delay later. Packets are sent up to the
/// horizon ahead, each message encoded once; a listener has only a cursor into the shared log and a bounded number of
/// bytes on their way. Listeners that lack a decoder for the song share a second log, of linear PCM
/// (``PCMRendition``).
///
/// Owns no socket, thread or clock: `now` is the broadcaster's host time, which is session time by definition. The
/// simulation runs this very code.
public struct BroadcastSession {
    enum Phase: Equatable {
        case opening
        case waiting(since: HostTime)
        case playing(Anchor)
        case over
    }

    var configuration: BroadcastConfiguration
    var phase = Phase.opening
    var connections: ConnectionTable<ListenerLink>
    /// Processes that were said to have joined: one whose connection is replaced does not join anew.
    var announced: Set<UInt64> = []
    /// Listeners that are gone and had said so, as those who look on are shown them.
    var departures: [Departure] = []
    var said = SaidLines()
    /// Connections that were refused so far, whatever the reason.
    public internal(set) var refusedCount = 0
    var log = PacketLog(epoch: Epoch(1))
    public private(set) var summary = AudioStreamSummary()
    var timeline = PacketTimeline()
    /// Audible frames as the song's header says; how many there are shows at its end.
    var statedFrameCount: Int64?
    var streamMessage: ByteBuffer?
    /// The song as linear PCM, while somebody needs it.
    var pcm: PCMRendition?
    /// How often there was one.
    var pcmCount = 0
    /// Why there can be none.
    var pcmFailure: String?
    var isReading = false
    /// Titles that were read, and the frames with which they are to be shown.
    var comingTitles: [(frame: FramePosition, title: String)] = []
    /// Whether there was one.
    var hasTitles = false
    /// The source does not keep up.
    var stall: SourceStall?
    /// Since when it has been behind without having been seen to fall behind.
    var behindSince: HostTime?
    /// Of a source that brings the song no faster than it is heard.
    var pace = SourcePace()
    /// Of a live source, as its clock is known now.
    var liveAnchor: Anchor?
    /// The frame after the last audible one, once the song was read to its end.
    public internal(set) var end: FramePosition?
    /// Why the song stopped early.
    var sourceFailure: String?
    var gatheringDeadline: HostTime?
    var actions: [BroadcastAction] = []

    public init(configuration: BroadcastConfiguration) {
        self.configuration = configuration
        connections = ConnectionTable(
            instance: configuration.greeting.instance, peers: .listener,
            allowed: AllowList(configuration.allowedNames), capacity: BroadcastLimits.connectionCount)
    }

    /// Takes one event; returns what is to be done about it, in order.
    public mutating func handle(_ event: BroadcastEvent, now: HostTime) -> [BroadcastAction] {
        guard phase != .over else { return [] }
        switch event {
        case .contact(let contact): learn(contact, now)
        case .contactLost(let key): connections.unlearn(key)
        case .renamed(let name): configuration.greeting.name = name
        case .opened(let id, let direction, let address, let dial, let key):
            opened(id, direction, address: address, dial: dial, key: key, now)
        case .dialFailed(let dial, let failure): dialFailed(dial, failure, now)
        case .received(let id, let bytes): attend(to: id, now) { $0.receive(id, bytes, now) }
        case .wrote(let id, let byteCount): attend(to: id, now) { $0.wrote(id, byteCount: byteCount, now) }
        case .closed(let id): drop(id, because: nil, now)
        case .source(let event): read(event, now)
        case .transcoded(let reply): take(reply, now)
        case .tick: break
        case .stop: finish(.stopped, now)
        }
        if !event.isOfOneConnection { advance(now) }
        defer { actions = [] }
        return actions
    }

    /// Lets one connection be handled, and does what follows for it. Of many listeners each is heard a few times a
    /// second: the others are looked at only if it is another to the broadcast than before.
    private mutating func attend(to id: ConnectionID, _ now: HostTime, _ handle: (inout Self) -> Void) {
        guard let link = connections[id] else { return }
        let standing = link.standing
        handle(&self)
        guard phase != .over else { return }
        admit(link, now)
        guard connections[id] === link, link.standing == standing else { return advance(now) }
        feed(link, feedingPlan(now), now)
    }

    /// What follows from the present state and time, whatever the event was.
    private mutating func advance(_ now: HostTime) {
        guard phase != .over else { return }
        superviseConnections(now)
        for link in connections.links { admit(link, now) }
        for dial in connections.dialer.due(now) { actions.append(.dial(dial)) }
        decideStart(now)
        watchSource(now)
        showTitles(now)
        readAhead(now)
        followSource(now)
        transcodeAhead(now)
        let plan = feedingPlan(now)
        for link in connections.links { feed(link, plan, now) }
        tellObservers(now)
        decideEnd(now)
    }

    // MARK: The song

    private mutating func read(_ event: SourceEvent, _ now: HostTime) {
        switch event {
        case .notice(let level, let text): actions.append(.notice(level, text))
        case .title(let title): noteTitle(title)
        case .clock(let clock): note(clock)
        case .read(let properties, let packets, let data):
            isReading = false
            for property in properties { note(property) }
            guard summary.isReady, !packets.isEmpty else { return }
            let framesPerGroup = Int((summary.format?.sampleRate ?? 48_000) * BroadcastLimits.groupTime.seconds)
            let position = timeline.nextPosition
            for packet in packets { _ = timeline.place(frameCount: packet.frameCount) }
            _ = log.append(packets, data: data, at: position, framesPerGroup: framesPerGroup)
            if phase == .opening { phase = .waiting(since: now) }
        case .ended:
            isReading = false
            endSource(now)
        case .failed(let text):
            isReading = false
            sourceFailure = text
            if log.endIndex > 0 { actions.append(.notice(.warning, text)) }
            endSource(now)
        }
    }

    mutating func note(_ property: AudioStreamProperty) {
        let wasReady = summary.isReady
        if property == .readyToProducePackets, summary.info[.title] == nil {
            summary.note(.info(.title, configuration.fallbackTitle))
        }
        summary.note(property)
        if wasReady, case .packetTableInfo(let table) = property { timeline.revise(table) }
        // Of a file that ends too soon it is said at its end how much there was.
        if case .problem(let problem) = property, !problem.isTruncation {
            actions.append(.notice(.warning, "the file is damaged: \(problem)"))
        }
        guard summary.isReady, !wasReady else { return }
        statedFrameCount = summary.packetTable?.validFrameCount
        timeline = PacketTimeline(table: summary.packetTable)
        streamMessage = WireEncoder.stream(log.epoch, properties: summary.properties)
        actions.append(.advertise)
    }

    private mutating func endSource(_ now: HostTime) {
        timeline.finish()
        end = timeline.end
        guard log.endIndex == 0 || (end ?? .zero) <= .zero else { return warnIfCutOff() }
        finish(.unplayable(sourceFailure ?? "it has no audio"), now)
    }

    /// A file that ends before its own header says plays as far as it goes, and this is said.
    private mutating func warnIfCutOff() {
        let problem = summary.problems.first(where: \.isTruncation)
        let cut = problem.map { "damaged: \($0)" }
        guard let end, let format = summary.format,
            let stated = statedFrameCount(problem, format, end), end.index < stated
        else {
            if let cut { actions.append(.notice(.warning, "the file is \(cut)")) }
            return
        }
        let seconds = (Double(end.index) / format.sampleRate, Double(stated) / format.sampleRate)
        actions.append(
            .notice(
                .warning,
                "the file is \(cut ?? "cut off") (\(Int(seconds.0)) s of \(Int(seconds.1)) s are there)"))
    }

    /// How long the file should be: by its header, or by the bytes that are missing where each frame has as many.
    private func statedFrameCount(
        _ problem: AudioStreamProblem?, _ format: AudioStreamFormat, _ end: FramePosition
    ) -> Int64? {
        guard case .truncated(let missing?) = problem?.kind, format.bytesPerFrame > 0 else { return statedFrameCount }
        return max(statedFrameCount ?? 0, end.index &+ missing / Int64(format.bytesPerFrame))
    }

    /// Keeps the log filled a little beyond the horizon, and forgets what nobody can need.
    private mutating func readAhead(_ now: HostTime) {
        let playing = position(now)
        let oldest = log.index(of: max(playing, .zero))
        log.trim(before: log.entry(before: oldest, prerollPacketCount: summary.decoderPrerollPacketCount) - 1)
        guard end == nil, !isReading else { return }
        let wanted = playing + frames(in: configuration.horizon + .seconds(1))
        guard log.end.map({ $0 < wanted }) ?? true, log.byteCount(oldest..<log.endIndex) < BroadcastLimits.bytesAhead
        else { return }
        isReading = true
        actions.append(.readSource)
    }

    // MARK: Time

    /// The frame that is due now; frame 0 before the start. While the source has stalled it is the one that is missing,
    /// and stays so until that is heard.
    func position(_ now: HostTime) -> FramePosition {
        guard case .playing(let anchor) = phase else { return .zero }
        let session = ClockMapping.identity.session(at: now)
        let due = FramePosition(Int64(saturating: anchor.position(at: session).frames))
        if let stall { return min(due, stall.frame) }
        // A live source's anchor names what is in the air now, and due later.
        return anchor.frame > .zero && !isLive ? max(due, anchor.frame) : due
    }

    func frames(in span: TimeSpan) -> Int64 {
        Int64(saturating: span.seconds * (summary.format?.sampleRate ?? 48_000))
    }

    // MARK: For display

    /// Whether the first frame was decided on.
    public var isPlaying: Bool { anchor != nil }

    /// Within this it wants the next event; nil once it is over. While a song plays, what is due sooner follows from what
    /// listeners send.
    public var tickInterval: TimeSpan? {
        switch phase {
        case .over: nil
        case .playing: configuration.liveLatency == nil ? BroadcastLimits.calmTick : BroadcastLimits.tick
        case .opening, .waiting: BroadcastLimits.tick
        }
    }

    /// Which frame leaves the loudspeakers when; nil before the start was decided, and after the end.
    public var anchor: Anchor? { if case .playing(let anchor) = phase { anchor } else { nil } }

    /// The frame that is due now, within the song.
    public func playPosition(_ now: HostTime) -> FramePosition {
        min(max(position(now), .zero), end ?? FramePosition(.max))
    }

    /// The listeners that are fed, longest connected first.
    public var listeners: [ListenerView] {
        connections.links.filter(\.isMember).map {
            ListenerView(name: $0.connection.name, report: $0.report, isSentPCM: $0.isSentPCM)
        }
    }

    /// How many listeners could start now, and how many are waited for.
    public var readiness: (ready: Int, wanted: Int) {
        (connections.links.count(where: \.isReady), wantedListenerCount)
    }
}
