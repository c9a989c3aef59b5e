import NIOCore

/// Why a WebSocket ends: the contents of a close frame (RFC 6455 section 5.5.1 and 7.4).
struct CloseReason: Error, Equatable {
    /// Nil if none is said.
    let code: UInt16?
    let reason: String

    /// - Parameter reason: what is longer than 123 bytes is cut off, since a control frame has 125 at most.
    init(_ code: UInt16?, _ reason: String = "") {
        self.code = code
        var kept = reason
        while kept.utf8.count > 123 { kept.removeLast() }
        self.reason = kept
    }

    static func tooLarge(_ limit: Int) -> CloseReason { CloseReason(1009, "A message has at most \(limit) bytes.") }

    /// Reads what a client has sent.
    init(payload: ByteBuffer) throws(CloseReason) {
        var payload = payload
        if payload.readableBytes == 0 {
            self.init(nil)
            return
        }
        guard let code = payload.readInteger(as: UInt16.self), Self.mayBeSent(code) else {
            throw CloseReason(1002, "There is no such code.")
        }
        guard let reason = String(validating: payload.readableBytesView, as: UTF8.self) else {
            throw CloseReason(1007, "A reason is UTF-8.")
        }
        self.init(code, reason)
    }

    var payload: ByteBuffer {
        var payload = ByteBuffer()
        if let code {
            payload.writeInteger(code)
            payload.writeString(reason)
        }
        return payload
    }

    /// Those of RFC 6455 section 7.4.1 and of the registry (1012 to 1014) that may stand in a frame; of libraries,
    /// and private ones.
    private static func mayBeSent(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
