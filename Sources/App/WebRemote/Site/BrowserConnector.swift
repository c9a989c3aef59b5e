import NIOCore

/// Connects browsers that listen with the broadcast; or a test's stand-in.
protocol BrowserConnector: Sendable {
    /// Lets one in. The closures are called on the broadcast's own loop.
    /// - Parameter instance: with which alone it may greet.
    /// - Returns: nil while nothing is broadcast.
    func connect(
        instance: UInt64, address: String, send: @escaping @Sendable (ByteBuffer) -> Void,
        close: @escaping @Sendable () -> Void
    ) -> (any BrowserPassage)?
}

/// One browser that listens, as the broadcast has it. Its methods may be called from any thread.
protocol BrowserPassage: Sendable {
    /// Takes bytes of the wire protocol from the browser.
    func receive(_ bytes: ByteBuffer)
    /// Takes note that the kernel took so many of those that were sent.
    func noteWritten(byteCount: Int)
    /// The browser is gone.
    func close()
}
