import AudioCore
import NIOCore

/// The listeners of a broadcast and the state of each: sent to an observer about once a second.
///
/// | field | type | meaning |
/// |---|---|---|
/// | state | u8 | 0 waiting for listeners, 1 playing, 2 everything is sent |
/// | title | text, 256 bytes | the song's |
/// | count | u16, at most 1,024 | listeners that follow; one that left is still listed, as finished, for 5 s |
/// | *for each:* instance | u64 | that of its greeting, or another where two state the same |
/// | name | text, 63 bytes | |
/// | report length | u16 | bytes of the report; 0: none received yet |
/// | report | ``ListenerReport`` | the newest; bytes after the known fields are ignored |
/// | *after all:* browser | u8 for each | 1: it is a page in a browser; a roster may end before these |
public struct Roster: Hashable, Sendable {
    public enum State: UInt8, Hashable, Sendable {
        case waiting = 0
        case playing = 1
        case finishing = 2
    }

    public struct Entry: Hashable, Sendable {
        public var instance: UInt64
        public var name: String
        /// Nil until the first report.
        public var report: ListenerReport?
        /// Whether it is a page in a browser.
        public var isBrowser: Bool

        public init(instance: UInt64, name: String, report: ListenerReport?, isBrowser: Bool = false) {
            self.instance = instance
            self.name = name
            self.report = report
            self.isBrowser = isBrowser
        }
    }

    public var state: State
    public var title: String
    public var entries: [Entry]

    public init(state: State, title: String, entries: [Entry]) {
        self.state = state
        self.title = title
        self.entries = entries
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(state.rawValue)
        buffer.writeText(title, limit: Limits.titleByteCount)
        buffer.writeInteger(UInt16(min(entries.count, WireLimits.rosterEntryCount)))
        for entry in entries.prefix(WireLimits.rosterEntryCount) {
            buffer.writeInteger(entry.instance)
            buffer.writeText(entry.name, limit: WireLimits.peerNameByteCount)
            let lengthIndex = buffer.writerIndex
            buffer.writeInteger(UInt16(0))
            entry.report?.write(to: &buffer)
            buffer.setInteger(UInt16(buffer.writerIndex - lengthIndex - 2), at: lengthIndex)
        }
        for entry in entries.prefix(WireLimits.rosterEntryCount) { buffer.writeInteger(UInt8(entry.isBrowser ? 1 : 0)) }
    }

    init?(from buffer: inout ByteBuffer) {
        guard let state = buffer.readInteger(as: UInt8.self).flatMap(State.init),
            let title = buffer.readText(limit: Limits.titleByteCount),
            let count = buffer.readInteger(as: UInt16.self), count <= WireLimits.rosterEntryCount
        else { return nil }
        var entries: [Entry] = []
        for _ in 0..<count {
            guard let entry = Entry(from: &buffer) else { return nil }
            entries.append(entry)
        }
        for index in entries.indices { entries[index].isBrowser = buffer.readInteger(as: UInt8.self) == 1 }
        self.init(state: state, title: title, entries: entries)
    }
}

extension Roster.Entry {
    fileprivate init?(from buffer: inout ByteBuffer) {
        guard let instance = buffer.readInteger(as: UInt64.self),
            let name = buffer.readText(limit: WireLimits.peerNameByteCount),
            let length = buffer.readInteger(as: UInt16.self), var bytes = buffer.readSlice(length: Int(length))
        else { return nil }
        guard length > 0 else {
            self.init(instance: instance, name: name, report: nil)
            return
        }
        guard let report = ListenerReport(from: &bytes) else { return nil }
        self.init(instance: instance, name: name, report: report)
    }
}
