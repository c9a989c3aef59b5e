import NIOCore
import NIOPosix
import ProgrammeJSON
import WebServer

/// A song that a page sends: to disk, and from there to the broadcast. Confined to the site's loop; disks are written
/// on other threads.
final class SongUpload: WebUpload {
    /// As of a song that another machine sends (BroadcastLimits).
    static let byteLimit = 1 << 30
    /// Songs that are sent at once.
    static let countLimit = 4
    /// Of one address.
    static let countLimitOfAddress = 2

    /// The sender's.
    let address: String
    private let site: Site
    /// Nil for somebody without a code.
    private let guest: GuestID?
    private let name: String
    private let position: Int?
    private var file: EventLoopFuture<SpooledFile>?
    private var byteCount = 0
    private var isOver = false
    /// Fails what is waited for on another thread.
    private var giveUp: (WebRefusal) -> Void = { _ in }

    init(site: Site, of address: String, sentBy guest: GuestID?, name: String, position: Int?) {
        self.site = site
        self.address = address
        self.guest = guest
        self.name = name
        self.position = position
    }

    func take(_ part: ByteBuffer) -> EventLoopFuture<Void> {
        if let refusal { return site.loop.makeFailedFuture(refusal) }
        byteCount += part.readableBytes
        guard byteCount <= Self.byteLimit else {
            return site.loop.makeFailedFuture(
                WebRefusal(.contentTooLarge, "a song that is sent may have 1 GiB at most"))
        }
        return openedFile().flatMap { file in
            self.onThread { () throws(SpooledFile.Failure) in try file.append(part) }
        }
    }

    private func openedFile() -> EventLoopFuture<SpooledFile> {
        if let file { return file }
        let name = name
        let opened = site.presence().flatMap {
            self.onThread { () throws(SpooledFile.Failure) in try SpooledFile(name: name) }
        }
        file = opened
        return opened
    }

    /// Does something that may wait for a disk.
    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SpooledFile.Failure) -> Value
    ) -> EventLoopFuture<Value> {
        elsewhere { running, promise in
            NIOThreadPool.singleton.submit { _ in
                do throws(SpooledFile.Failure) {
                    let value = try body()
                    running.execute { promise.succeed(value) }
                } catch {
                    let refusal = WebRefusal(.insufficientStorage, error.text)
                    running.execute { promise.fail(refusal) }
                }
            }
        }
    }

    /// Waits for another thread, as long as the site is there.
    private func elsewhere<Value: Sendable>(
        _ begin: (RunningLoop, EventLoopPromise<Value>) -> Void
    ) -> EventLoopFuture<Value> {
        let promise = site.loop.makePromise(of: Value.self)
        giveUp = { promise.fail($0) }
        promise.futureResult.assumeIsolated().whenComplete { _ in self.giveUp = { _ in } }
        begin(site.running, promise)
        return promise.futureResult
    }

    /// Why it is not taken any more: while it came a code was withdrawn, or a household was made.
    private var refusal: WebRefusal? {
        site.rights(of: guest).contains(.add) ? nil : WebRefusal(.forbidden, PageRequest.missing(.add))
    }

    func finish() -> EventLoopFuture<WebResponse> {
        if let refusal {
            end()
            return site.loop.makeFailedFuture(refusal)
        }
        guard let file, byteCount > 0 else {
            end()
            return site.loop.makeFailedFuture(WebRefusal(.badRequest, "the song is empty"))
        }
        let sent = file.flatMap { self.handOver($0) }
        sent.whenComplete { _ in self.end() }
        return sent
    }

    private func handOver(_ file: SpooledFile) -> EventLoopFuture<WebResponse> {
        let (sender, position) = (site.sender, position)
        return elsewhere { running, promise in
            sender.send(file, position: position) { result in
                let response = WebResponse(
                    json: .outcome(isDone: result.isDone, result.text), status: result.isDone ? .ok : .conflict)
                running.execute { promise.succeed(response) }
            }
        }
    }

    func abort() { end() }

    /// The site is over; what is done for it on another thread is not waited for.
    func shutDown() {
        giveUp(WebRefusal(.unavailable, "the page for browsers ends"))
        end()
    }

    private func end() {
        guard !isOver else { return }
        isOver = true
        file = nil
        site.end(self)
    }
}

// Confined to the site's loop.
extension SongUpload: @unchecked Sendable {}

extension WebResponse {
    init(json: JSONValue, status: WebStatus = .ok) {
        self.init(json: json.text, status: status)
    }

    /// - Parameter text: of JSON.
    init(json text: String, status: WebStatus = .ok) {
        self.init(status: status, mediaType: "application/json", body: ByteBuffer(string: text + "\n"))
    }
}
