import NIOCore
import TuttiRuntime

/// By a broadcaster of this process.
struct BroadcasterConnector: BrowserConnector {
    let broadcaster: Broadcaster

    func connect(
        instance: UInt64, address: String, send: @escaping @Sendable (ByteBuffer) -> Void,
        close: @escaping @Sendable () -> Void
    ) -> (any BrowserPassage)? {
        broadcaster.connectBrowser(instance: instance, address: address, send: send, close: close)
    }
}

extension BrowserConnection: BrowserPassage {}
