import AudioCore
import NIOCore

/// What plays, where it is, and what follows.
///
/// | field | type | meaning |
/// |---|---|---|
/// | transport | u8 | 0 idle, 1 playing, 2 paused, 3 stopped |
/// | present | u8 | which of the following are there: bit 0 current, bit 1 next, bit 2 position |
/// | current, next | ``QueueItem`` | |
/// | position | ``PlaybackPosition`` | |
/// | *at the message's end:* artist, album | text, 256 bytes each | of current, then of next; see ``QueueItem`` |
public struct TransportStatus: Hashable, Sendable {
    public var transport: TransportState
    public var current: QueueItem?
    public var next: QueueItem?
    public var position: PlaybackPosition?

    public init(
        _ transport: TransportState, current: QueueItem? = nil, next: QueueItem? = nil,
        position: PlaybackPosition? = nil
    ) {
        self.transport = transport
        self.current = current
        self.next = next
        self.position = position
    }

    /// Writes all but artists and albums.
    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(transport.rawValue)
        buffer.writeInteger(
            UInt8(current == nil ? 0 : 1) | UInt8(next == nil ? 0 : 2) | UInt8(position == nil ? 0 : 4))
        current?.write(to: &buffer)
        next?.write(to: &buffer)
        position?.write(to: &buffer)
    }

    /// Reads all but artists and albums.
    init?(from buffer: inout ByteBuffer) {
        guard let transport = buffer.readInteger(as: UInt8.self).flatMap(TransportState.init),
            let present = buffer.readInteger(as: UInt8.self), present < 8
        else { return nil }
        self.init(transport)
        if present & 1 != 0 {
            guard let item = QueueItem(from: &buffer) else { return nil }
            current = item
        }
        if present & 2 != 0 {
            guard let item = QueueItem(from: &buffer) else { return nil }
            next = item
        }
        if present & 4 != 0 {
            guard let position = PlaybackPosition(from: &buffer) else { return nil }
            self.position = position
        }
    }

    func writeArtistsAndAlbums(to buffer: inout ByteBuffer) {
        current?.writeArtistAndAlbum(to: &buffer)
        next?.writeArtistAndAlbum(to: &buffer)
    }

    /// Reads them where the message has not ended.
    /// - Returns: false if they break their layout.
    mutating func readArtistsAndAlbums(from buffer: inout ByteBuffer) -> Bool {
        guard buffer.readableBytes > 0 else { return true }
        return current?.readArtistAndAlbum(from: &buffer) != false && next?.readArtistAndAlbum(from: &buffer) != false
    }
}

/// Where the current item is: a follower calculates the rest, and no ticks are sent.
///
/// | field | type | meaning |
/// |---|---|---|
/// | frame | i64 | the frame heard at the session time; while paused, the first one after the pause |
/// | session time | i64 | |
/// | sample rate | f64 | the item's, to show frames as time |
/// | rate | f64 | frames per session second; 0 while nothing sounds |
public struct PlaybackPosition: Hashable, Sendable, BitwiseCopyable {
    public var frame: FramePosition
    public var session: SessionTime
    public var sampleRate: Double
    /// Frames per second of session time; nil while paused.
    public var framesPerSecond: Double?

    public init(frame: FramePosition, session: SessionTime, sampleRate: Double, framesPerSecond: Double?) {
        self.frame = frame
        self.session = session
        self.sampleRate = sampleRate
        self.framesPerSecond = framesPerSecond
    }

    /// Returns how far into the item this is.
    public func time(at instant: SessionTime) -> TimeSpan {
        let frames = Double(frame.index) + (instant - session).seconds * (framesPerSecond ?? 0)
        return TimeSpan(seconds: frames / sampleRate)
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writePosition(frame)
        buffer.writeInteger(session.nanoseconds)
        buffer.writeDouble(sampleRate)
        buffer.writeDouble(framesPerSecond ?? 0)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let frame = buffer.readPosition(), let session = buffer.readInteger(as: Int64.self),
            let sampleRate = buffer.readDouble(), let rate = buffer.readDouble(),
            (-WireLimits.framePositionBound..<WireLimits.framePositionBound).contains(frame.index),
            Limits.sampleRateRange.contains(sampleRate)
        else { return nil }
        self.init(
            frame: frame, session: SessionTime(nanoseconds: session), sampleRate: sampleRate,
            framesPerSecond: rate == 0 ? nil : rate)
        let anchor = Anchor(epoch: Epoch(0), frame: frame, session: self.session, framesPerSecond: rate)
        guard framesPerSecond == nil || anchor.isValid else { return nil }
    }
}
