import AudioCore
import AudioFileStreamServices
import CCurl
import Glibc
import HostSystem

// States
//
//     connecting ──response──▶ flowing ──complete──▶ ended
//         ▲                      │ broken off, silent, or other bytes are wanted
//         └───── pausing ◀───────┘
//
// The first request asks for bytes from 0 on. If a server answers with a part of known length, the parser has random
// access: it may ask for bytes from anywhere, with another request. What broke off is resumed
//
// - at the next byte, if the server supports ranges;
// - from the beginning, dropping the known bytes, if it does not and the length is known;
// - with the bytes that come now, after a gap, if there is no end: that is a station.
//
// Attempts become less and less frequent; their count restarts once bytes flow.

/// A song or a station behind an `http:` or `https:` URL, received with libcurl.
///
/// Fetches only what is asked for, plus at most ``HTTPTransfer/bufferByteCount``: a server that is faster than the song
/// has to wait.
public final class HTTPSource: ByteSource {
    /// Connected but without data for this long counts as broken off.
    var silenceLimit = TimeSpan.seconds(10)
    /// Pauses before the attempts to resume.
    var pauses: [TimeSpan] = [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
    /// Half a second of most stations.
    private static let stationPieceByteCount = 8 * 1024
    /// New bytes that make an attempt a success.
    static let flowByteCount = 32 * 1024
    /// If the parser skips no more than this, the bytes are fetched anyway: faster than another request.
    static let skipLimit: Int64 = 128 * 1024

    enum Phase {
        case idle
        case connecting(HTTPTransfer)
        case flowing(HTTPTransfer)
        case pausing(until: HostTime)
        case ended
    }

    let url: String
    public let name: String
    public var isLive: Bool { resource?.isStation ?? false }

    private let certificateFile: String?
    private let reach: HTTPReach
    var phase = Phase.idle
    /// The properties from the first response; nil before it.
    var resource: HTTPResource?
    /// Offset of the next wanted byte.
    var position: Int64 = 0
    /// Bytes to drop before it.
    var skipCount: Int64 = 0
    /// Bytes were lost before the next one.
    var isBehindGap = false
    var stripper: ICYStripper?
    var attemptCount = 0
    private var byteCountOfAttempt: Int64 = 0
    /// Since when reading from the transfer has returned nothing.
    var silentSince: HostTime?
    /// The bytes of a playlist.
    private var list: [UInt8] = []
    var events: [ByteSourceEvent] = []

    /// - Parameters:
    ///   - certificateFile: trusted certificates; by default those of the environment variable `SSL_CERT_FILE`, or else
    ///     the system's.
    ///   - reach: where it may connect to.
    /// - Throws: if libcurl is missing.
    public init(
        url: String, certificateFile: String? = getenv("SSL_CERT_FILE").map { String(cString: $0) },
        reach: HTTPReach = .anywhere
    ) throws(SongFailure) {
        name = "'\(url.withoutCredentials)'"
        guard ccurl_load() else {
            throw SongFailure(.unavailable, "\(name) cannot be fetched: install libcurl4 to play URLs")
        }
        self.url = HTTPAddress.encoded(url)
        self.certificateFile = certificateFile
        self.reach = reach
    }

    public func takeEvents() -> [ByteSourceEvent] {
        defer { events = [] }
        return events
    }

    public func wait(atMost span: TimeSpan, wake: WakeSignal) {
        switch phase {
        case .connecting(let transfer), .flowing(let transfer):
            // Returns in between, to check whether the server has been silent for too long.
            transfer.wait(atMost: min(span, .seconds(1)), wake: wake)
        case .pausing(let until):
            wake.wait(atMost: min(span, max(.milliseconds(1), until - .now())))
        case .idle, .ended: break
        }
    }

    // MARK: Connecting

    public func open() throws(SongFailure) -> ByteAccess? {
        if case .idle = phase { connect() }
        guard case .connecting(let transfer) = phase else { return try openList() }
        guard try isAnswered(transfer) else { return nil }
        let head = transfer.head
        if let end = transfer.end, !end.isGood, !head.isFinal { throw failure(end) }
        if let objection = objection(to: head) { throw objection }
        phase = .flowing(transfer)
        let resource = HTTPResource(head)
        self.resource = resource
        stripper = head.stationInterval.flatMap(ICYStripper.init)
        if let kind = head.playlistKind(url: transfer.effectiveURL) {
            self.resource?.listKind = kind
            return try openList()
        }
        guard resource.byteCount != 0 else { throw SongFailure(.unusable, "\(name) is empty; choose a song") }
        return resource.access
    }

    /// Reads a whole playlist, and throws the songs that it names.
    private func openList() throws(SongFailure) -> ByteAccess? {
        guard case .flowing(let transfer) = phase, let kind = resource?.listKind else { return nil }
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while list.count < HTTPPlaylist.byteCountLimit {
            let count = piece.withUnsafeMutableBytes { transfer.take(into: $0) }
            if count == 0 {
                guard let end = transfer.end else {
                    if isSilent() { throw SongFailure(.lost, "\(name) brings nothing any more") }
                    return nil
                }
                guard end.isGood else { throw SongFailure(.lost, "\(name) broke off: \(Self.detail(end))") }
                throw HTTPPlaylist.finding(in: list, kind, url: transfer.effectiveURL, name: name)
            }
            silentSince = nil
            list += piece[..<count]
        }
        throw SongFailure(.unusable, "\(name) is too long for a playlist; name its songs")
    }

    private func isAnswered(_ transfer: HTTPTransfer) throws(SongFailure) -> Bool {
        transfer.perform()
        if transfer.isAnswered {
            silentSince = nil
            return true
        }
        if isSilent() { throw SongFailure(.missing, "\(name): the server does not answer") }
        return false
    }

    func connect() {
        phase = .connecting(
            HTTPTransfer(
                url: url, from: resource?.hasRanges ?? true ? position : 0, certificateFile: certificateFile,
                reach: reach))
        byteCountOfAttempt = 0
        silentSince = nil
        skipCount = 0
    }

    // MARK: Reading

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead {
        if resource?.hasRanges == true, offset != position { seek(to: offset) }
        while true {
            switch phase {
            case .idle, .ended: return .end
            case .pausing(let until):
                guard HostTime.now() >= until else { return .notYet }
                connect()
            case .connecting(let transfer):
                guard try resumes(transfer) else { return .notYet }
            case .flowing(let transfer):
                if let read = try take(from: transfer, into: buffer) { return read }
            }
        }
    }

    /// Returns nil if the caller should try something else.
    private func take(
        from transfer: HTTPTransfer, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongFailure) -> ByteRead? {
        // Reads in small pieces: a title is reported with the bytes before it.
        let room = stripper == nil ? buffer.count : min(buffer.count, Self.stationPieceByteCount)
        let count = transfer.take(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
        guard count > 0 else {
            if let end = transfer.end { return try conclude(end) }
            guard isSilent() else { return .notYet }
            return try scheduleRetry("it brings nothing for \(Int(silenceLimit.seconds)) s")
        }
        silentSince = nil
        let skipped = Int(min(skipCount, Int64(count)))
        skipCount -= Int64(skipped)
        let fresh = UnsafeMutableRawBufferPointer(rebasing: buffer[skipped..<count])
        let kept = strip(fresh)
        if skipped > 0, kept > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: fresh[..<kept])) }
        guard kept > 0 else { return nil }
        position += Int64(kept)
        byteCountOfAttempt += Int64(kept)
        if byteCountOfAttempt >= Self.flowByteCount { attemptCount = 0 }
        defer { isBehindGap = false }
        return .bytes(kept, followsGap: isBehindGap)
    }

    private func strip(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
        guard let kept = stripper?.strip(bytes) else { return bytes.count }
        for title in stripper?.takeTitles() ?? [] { events.append(.title(title)) }
        return kept
    }

    /// Handles the end of a transfer, complete or premature. Returns nil if it is to be resumed.
    private func conclude(_ end: HTTPTransfer.End) throws(SongFailure) -> ByteRead? {
        let isWhole = resource?.byteCount.map { position >= $0 } ?? (end.isGood && resource?.isStation != true)
        guard !isWhole else {
            phase = .ended
            return .end
        }
        return try scheduleRetry(end.isGood ? "the server closed the connection" : Self.detail(end))
    }

    private func seek(to offset: Int64) {
        if case .flowing = phase, skipCount == 0, offset > position, offset - position <= Self.skipLimit {
            skipCount = offset - position
            position = offset
            return
        }
        position = offset
        guard let byteCount = resource?.byteCount, offset < byteCount else {
            phase = .ended
            return
        }
        connect()
    }

    /// Whether reading has returned nothing for too long.
    func isSilent() -> Bool {
        let now = HostTime.now()
        let since = silentSince ?? now
        silentSince = since
        return now - since > silenceLimit
    }
}
