import AudioCore
import CCurl
import HostSystem

/// One GET request, until it ends or is abandoned.
///
/// Buffers ``bufferByteCount`` bytes at most, plus some in libcurl: the rest stays with the server. Used from one
/// thread at a time.
final class HTTPTransfer {
    static let bufferByteCount = 256 * 1024
    private static let connectTimeout = TimeSpan.seconds(10)
    static let redirectLimit = 10

    /// How it ended; the text is libcurl's.
    struct End: Hashable {
        var code: Int32
        var text: String

        var isGood: Bool { code == 0 }
    }

    private(set) var head = HTTPResponseHead()
    private(set) var end: End?
    private var handle: OpaquePointer?
    private var body: [UInt8] = []
    private var bodyOffset = 0
    private var isPaused = false
    /// Whether an https server redirects to http. By itself, libcurl would refuse that only if the first address is
    /// https.
    private var leavesSecurity = false

    /// - Parameters:
    ///   - start: the first wanted byte; a server without range support begins at 0.
    ///   - certificateFile: trusted certificates; nil for the system's.
    init(url: String, from start: Int64, certificateFile: String?, reach: HTTPReach) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        var request = ccurl_request()
        request.connect_timeout_milliseconds = Int(Self.connectTimeout.milliseconds)
        request.redirect_limit = Self.redirectLimit
        request.context = context
        request.take_header = { context, bytes, count in
            HTTPTransfer.of(context).takeHeader(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        request.take_body = { context, bytes, count in
            HTTPTransfer.of(context).takeBody(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        request.stays_secure = Self.isSecure(url)
        request.avoids_this_machine = reach == .otherMachines
        var refusedOption: Int32 = 0
        handle = url.withCString { url in
            "\(start)-".withCString { range in
                "Tutti/1".withCString { agent in
                    "Icy-MetaData: 1".withCString { header in
                        request.url = url
                        request.range = range
                        request.user_agent = agent
                        request.header = header
                        guard let certificateFile else { return ccurl_start(&request, &refusedOption) }
                        return certificateFile.withCString { file in
                            request.certificate_file = file
                            return ccurl_start(&request, &refusedOption)
                        }
                    }
                }
            }
        }
        guard handle == nil else { return }
        end =
            refusedOption == 0
            ? End(code: Self.outOfMemory, text: "out of memory")
            : End(
                code: Self.refusedOption,
                text: "this libcurl does not know option \(refusedOption); install a newer libcurl4")
    }

    /// CURL_WRITEFUNC_PAUSE: what was given is given again once the transfer goes on.
    private static let pausesTransfer = 0x1000_0001
    /// CURLE_OUT_OF_MEMORY.
    private static let outOfMemory: Int32 = 27
    /// CURLE_UNKNOWN_OPTION.
    static let refusedOption: Int32 = 48
    private static let refusedRedirection = "it is redirected from https to http, which is not safe: refused"

    private static func isSecure(_ url: String) -> Bool { url.prefix(6).lowercased() == "https:" }

    deinit { if let handle { ccurl_end(handle) } }

    /// Bytes received but not taken.
    var heldByteCount: Int { body.count - bodyOffset }

    /// Whether the response is known.
    var isAnswered: Bool { head.isFinal || end != nil }

    var effectiveURL: String { handle.map { String(cString: ccurl_effective_url($0)) } ?? "" }

    /// Does everything that can be done without waiting.
    func perform() {
        guard let handle, end == nil else { return }
        var code: Int32 = 0
        guard ccurl_perform(handle, &code) else { return }
        let text = leavesSecurity ? Self.refusedRedirection : String(cString: ccurl_error(handle, code))
        end = End(code: code, text: code == 0 ? "" : text)
    }

    /// Takes received bytes; none if more are to come, or if the transfer is over (``end``).
    func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if bodyOffset == body.count { fetch() }
        let count = min(buffer.count, body.count - bodyOffset)
        buffer.copyBytes(from: body[bodyOffset..<bodyOffset + count])
        bodyOffset += count
        return count
    }

    private func fetch() {
        body.removeAll(keepingCapacity: true)
        bodyOffset = 0
        if isPaused, let handle {
            isPaused = false
            ccurl_resume(handle)
        }
        perform()
    }

    /// Waits until there may be more bytes, until a signal, or for `span`.
    func wait(atMost span: TimeSpan, wake: WakeSignal) {
        guard let handle, end == nil, bodyOffset == body.count, !isPaused else { return }
        wake.wait { ccurl_wait(handle, $0, Int32(clamping: Int64(span.milliseconds.rounded(.up)))) }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPTransfer {
        guard let context else { preconditionFailure("libcurl passed no context") }
        return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        head.take(bytes)
        leavesSecurity = head.isComplete && head.leadsToHTTP && Self.isSecure(effectiveURL)
        return leavesSecurity ? 0 : bytes.count
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= Self.bufferByteCount else {
            isPaused = true
            return Self.pausesTransfer
        }
        body += bytes
        return bytes.count
    }
}
