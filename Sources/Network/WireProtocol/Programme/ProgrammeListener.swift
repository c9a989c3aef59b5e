import AudioCore
import NIOCore

/// A listener, as it is shown to whoever follows the programme.
///
/// | field | type | meaning |
/// |---|---|---|
/// | instance | u64 | that of its greeting, or another where two state the same |
/// | name | text, 63 bytes | |
/// | state | u8 | as in ``ListenerReport`` |
/// | present | u8 | which of the following are there: bit 0 settings, bit 1 error and bound; and bit 2, that it is a browser |
/// | settings | ``ListenerSettings`` | |
/// | error, bound | i64 each | nanoseconds |
public struct ProgrammeListener: Hashable, Sendable {
    public var instance: UInt64
    public var name: String
    public var state: ListenerState
    /// Nil for one that has no loudspeakers, and before it said how it is set.
    public var settings: ListenerSettings?
    /// How late its frames leave the loudspeakers, and the bound of that. Nil while it is not known.
    public var timing: Timing?
    /// Whether it is a page in a browser, which is not as exact as other listeners are.
    public var isBrowser: Bool

    public struct Timing: Hashable, Sendable, BitwiseCopyable {
        public var error: TimeSpan
        public var bound: TimeSpan

        public init(error: TimeSpan, bound: TimeSpan) {
            self.error = error
            self.bound = bound
        }
    }

    public init(
        instance: UInt64, name: String, state: ListenerState, settings: ListenerSettings? = nil, timing: Timing? = nil,
        isBrowser: Bool = false
    ) {
        self.instance = instance
        self.name = name
        self.state = state
        self.settings = settings
        self.timing = timing
        self.isBrowser = isBrowser
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(instance)
        buffer.writeText(name, limit: WireLimits.peerNameByteCount)
        buffer.writeInteger(state.code)
        buffer.writeInteger(UInt8(settings == nil ? 0 : 1) | UInt8(timing == nil ? 0 : 2) | UInt8(isBrowser ? 4 : 0))
        settings?.write(to: &buffer)
        if let timing {
            buffer.writeSpan(timing.error)
            buffer.writeSpan(timing.bound)
        }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let instance = buffer.readInteger(as: UInt64.self),
            let name = buffer.readText(limit: WireLimits.peerNameByteCount),
            let state = buffer.readInteger(as: UInt8.self).flatMap(ListenerState.init(code:)),
            let present = buffer.readInteger(as: UInt8.self), present < 8
        else { return nil }
        self.init(instance: instance, name: name, state: state, isBrowser: present & 4 != 0)
        if present & 1 != 0 {
            guard let settings = ListenerSettings(from: &buffer) else { return nil }
            self.settings = settings
        }
        if present & 2 != 0 {
            guard let error = buffer.readSpan(), let bound = buffer.readSpan() else { return nil }
            timing = Timing(error: error, bound: bound)
        }
    }
}
