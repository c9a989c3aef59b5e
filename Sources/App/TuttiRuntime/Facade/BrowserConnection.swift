import NIOCore
import Peering

/// A browser that listens to a broadcast of this process: the bytes of the wire protocol, in the clear. It may listen
/// and nothing else. From any thread. See ``Broadcaster/connectBrowser(instance:address:send:close:)``.
public final class BrowserConnection: Sendable {
    let id: ConnectionID
    private let perform: @Sendable (@escaping @Sendable (BroadcastRunner) -> Void) -> Void

    init(
        _ id: ConnectionID, perform: @escaping @Sendable (@escaping @Sendable (BroadcastRunner) -> Void) -> Void
    ) {
        self.id = id
        self.perform = perform
    }

    /// Takes bytes that the browser sent, cut anywhere.
    public func receive(_ bytes: ByteBuffer) { perform { [id] in $0.browsers.receive(bytes, from: id) } }

    /// Takes note that so many of the bytes that it was sent have left the program. What has not counts as unsent: a
    /// browser that reads too slowly loses packets, as any listener does.
    public func noteWritten(byteCount: Int) { perform { [id] in $0.browsers.noteWritten(byteCount, to: id) } }

    /// Takes note that the browser is gone.
    public func close() { perform { [id] in $0.browsers.lose(id) } }
}
