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

    private let site: Site
    /// Nil for somebody without a code.
    private let guest: GuestID?
    private let name: String
    private let position: Int?
    private var file: EventLoopFuture<SpooledFile>?
    private var byteCount = 0
    private var isOver = false

    init(site: Site, sentBy guest: GuestID?, name: String, position: Int?) {
        self.site = site
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
        let opened = onThread { () throws(SpooledFile.Failure) in try SpooledFile(name: name) }
        file = opened
        return opened
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SpooledFile.Failure) -> Value
    ) -> EventLoopFuture<Value> {
        NIOThreadPool.singleton.runIfActive(eventLoop: site.loop) { try body() }.flatMapErrorThrowing { error in
            throw WebRefusal(
                .insufficientStorage, (error as? SpooledFile.Failure)?.text ?? "the song cannot be kept here")
        }
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
        let promise = site.loop.makePromise(of: WebResponse.self)
        let (sender, position) = (site.sender, position)
        file.whenComplete { result in
            switch result {
            case .success(let file):
                sender.send(file, position: position) { result in
                    promise.succeed(
                        WebResponse(
                            json: .outcome(isDone: result.isDone, result.text),
                            status: result.isDone ? .ok : .conflict))
                }
            case .failure(let error): promise.fail(error)
            }
        }
        promise.futureResult.whenComplete { _ in self.end() }
        return promise.futureResult
    }

    func abort() { end() }

    private func end() {
        guard !isOver else { return }
        isOver = true
        file = nil
        site.uploadDidEnd()
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
