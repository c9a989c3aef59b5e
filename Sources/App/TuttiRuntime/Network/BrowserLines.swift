import NIOCore
import Peering
import SecureChannel

/// The browsers that listen to a broadcast. Confined to its event loop.
///
///     waiting ──the session is there──▶ open ──tear-down──▶ over
///        └──────────────────────────tear-down──────────────▲
///
/// Whoever comes before or after is closed at once.
final class BrowserLines {
    enum Event {
        case opened(ConnectionID, instance: UInt64, address: String)
        case received(ConnectionID, ByteBuffer)
        case wrote(ConnectionID, byteCount: Int)
        case broken(ConnectionID, ConnectionSecurityError)
        case closed(ConnectionID)
    }

    private enum State {
        case waiting
        case open([ConnectionID: BrowserLine])
        case over
    }

    /// Called for what a browser does.
    var handler: (Event) -> Void = { _ in }
    private var state = State.waiting

    /// Lets them in from now on.
    func begin() { if case .waiting = state { state = .open([:]) } }

    /// Closes them all, and lets nobody in any more.
    func end() {
        for line in lines.values { line.close() }
        state = .over
    }

    private var lines: [ConnectionID: BrowserLine] { if case .open(let lines) = state { lines } else { [:] } }

    /// Takes a line out.
    private func remove(_ id: ConnectionID) -> BrowserLine? {
        guard case .open(var lines) = state, let line = lines.removeValue(forKey: id) else { return nil }
        state = .open(lines)
        return line
    }

    // MARK: What browsers do

    func open(_ id: ConnectionID, instance: UInt64, address: String, _ transport: BrowserLine.Transport) {
        guard case .open(var lines) = state else { return transport.close() }
        lines[id] = BrowserLine(transport)
        state = .open(lines)
        handler(.opened(id, instance: instance, address: address))
    }

    func receive(_ bytes: ByteBuffer, from id: ConnectionID) {
        guard let line = lines[id] else { return }
        do throws(ConnectionSecurityError) {
            let messages = try line.receive(bytes)
            if messages.readableBytes > 0 { handler(.received(id, messages)) }
        } catch {
            handler(.broken(id, error))
        }
    }

    func noteWritten(_ byteCount: Int, to id: ConnectionID) {
        guard let count = lines[id]?.messageByteCount(written: byteCount), count > 0 else { return }
        handler(.wrote(id, byteCount: count))
    }

    func lose(_ id: ConnectionID) { if remove(id) != nil { handler(.closed(id)) } }

    // MARK: What the session does

    func contains(_ id: ConnectionID) -> Bool { lines[id] != nil }

    /// - Returns: whether this is a browser.
    func send(_ bytes: ByteBuffer, to id: ConnectionID) -> Bool {
        guard let line = lines[id] else { return false }
        line.send(bytes)
        return true
    }

    /// - Returns: whether this was a browser.
    func close(_ id: ConnectionID) -> Bool {
        guard let line = remove(id) else { return false }
        line.close()
        return true
    }
}
