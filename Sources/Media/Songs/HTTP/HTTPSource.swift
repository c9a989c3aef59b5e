import AudioCore
import AudioFileStreamServices
import CCurl
import Glibc
import HostSystem

// How bytes come, and go on coming
//
//     connecting ──answered──▶ flowing ──all came──▶ ended
//         ▲                      │ broke off, brings nothing, other bytes are wanted
//         └───── pausing ◀───────┘
//
// The first request asks for bytes from 0 on. A server that answers with a part of known length has all of the file at
// hand for us: the parser may ask for bytes from anywhere, which is another request. What broke off goes on
//
// - at the next byte, where the server knows ranges;
// - from the beginning, with what is known already left out, where it does not and the length is known;
// - with what comes now, behind a gap, where it has no end: that is a station.
//
// Attempts follow each other ever more slowly, and are counted anew once bytes flow.

/// A song or a station behind an `http:` or `https:` URL, by libcurl.
///
/// Nothing is fetched that is not asked for, but for ``HTTPTransfer/bufferByteCount``: a server that is faster than the
/// song waits.
public final class HTTPSource: ByteSource {
    /// Connected, and nothing comes for so long: broken off.
    var silenceLimit = TimeSpan.seconds(10)
    /// Before the attempts to go on.
    var pauses: [TimeSpan] = [.zero, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
    /// Half a second of most stations.
    private static let stationPieceByteCount = 8 * 1024
    /// So many new bytes make an attempt a success.
    static let flowByteCount = 32 * 1024
    /// Up to here bytes that the parser passes over are fetched all the same: quicker than another request.
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
    private let certificateFile: String?
    var phase = Phase.idle
    /// What the first answer said of the whole; nil before it came.
    var resource: HTTPResource?
    /// The next byte that is wanted.
    var position: Int64 = 0
    /// Bytes that come before it.
    var skipCount: Int64 = 0
    /// Bytes were lost before the next one.
    var isBehindGap = false
    var stripper: ICYStripper?
    var attemptCount = 0
    private var byteCountOfAttempt: Int64 = 0
    /// Since when the transfer was asked in vain.
    var silentSince: HostTime?
    /// The bytes of a playlist.
    private var list: [UInt8] = []
    var news: [SourceNews] = []

    /// - Parameter certificateFile: certificates that are trusted; by default those of the environment variable
    ///   `SSL_CERT_FILE`, or else the system's.
    /// - Throws: where there is no libcurl.
    public init(
        url: String, certificateFile: String? = getenv("SSL_CERT_FILE").map { String(cString: $0) }
    ) throws(SongFailure) {
        name = "'\(url.withoutCredentials)'"
        guard ccurl_load() else {
            throw SongFailure(.unavailable, "\(name) cannot be fetched: install libcurl4 to play URLs")
        }
        self.url = HTTPAddress.encoded(url)
        self.certificateFile = certificateFile
    }

    public func takeNews() -> [SourceNews] {
        defer { news = [] }
        return news
    }

    public func wait(atMost span: TimeSpan, wake: WakeSignal) {
        switch phase {
        case .connecting(let transfer), .flowing(let transfer):
            // In between it is seen whether the server has been silent for too long.
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

    /// Reads a list of songs whole, and throws what it names.
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
                url: url, from: resource?.hasRanges ?? true ? position : 0, certificateFile: certificateFile))
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
                guard try goesOn(transfer) else { return .notYet }
            case .flowing(let transfer):
                if let read = try take(from: transfer, into: buffer) { return read }
            }
        }
    }

    /// Nil where something else is to be tried now.
    private func take(
        from transfer: HTTPTransfer, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongFailure) -> ByteRead? {
        // A title goes with the bytes before it.
        let room = stripper == nil ? buffer.count : min(buffer.count, Self.stationPieceByteCount)
        let count = transfer.take(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
        guard count > 0 else {
            if let end = transfer.end { return try conclude(end) }
            guard isSilent() else { return .notYet }
            return try breakOff("it brings nothing for \(Int(silenceLimit.seconds)) s")
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
        for title in stripper?.takeTitles() ?? [] { news.append(.title(title)) }
        return kept
    }

    /// The transfer is over: at the end, or too early. Nil where it goes on.
    private func conclude(_ end: HTTPTransfer.End) throws(SongFailure) -> ByteRead? {
        let isWhole = resource?.byteCount.map { position >= $0 } ?? (end.isGood && resource?.isStation != true)
        guard !isWhole else {
            phase = .ended
            return .end
        }
        return try breakOff(end.isGood ? "the server closed the connection" : Self.detail(end))
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

    /// Whether it was asked in vain for too long by now.
    func isSilent() -> Bool {
        let now = HostTime.now()
        let since = silentSince ?? now
        silentSince = since
        return now - since > silenceLimit
    }
}
