import WireProtocol
import AudioCore

/// A thing of which a listener remembers one number from one run to the next.
public enum MemorySubject: Hashable, Sendable {
    /// The rate of a peer's clock against this machine's, in ppm.
    case clock(UUIDBytes)
    /// The rate of a sound card against this machine's clock, in ppm. Named by
    /// ``Playout/OutputDeviceDescription/identity``, with its nominal rate.
    case card(String)
    /// What the user gave as `--offset` for a sound device, in microseconds.
    case offset(String)
}

/// One remembered number.
public struct MemoryRecord: Hashable, Sendable {
    public var value: Double
    /// When it was last measured or used, by the wall clock.
    public var unixSeconds: Int64

    public init(value: Double, unixSeconds: Int64) {
        self.value = value
        self.unixSeconds = unixSeconds
    }
}

/// Where listeners keep what they will want to know the next time. May be used by several processes at once.
public protocol ListenerMemory: Sendable {
    /// Everything that is remembered; nothing where it cannot be read.
    func load() -> [MemorySubject: MemoryRecord]

    /// Keeps a record, or with nil forgets it. May wait for a disk, so never on a thread that must not.
    func keep(_ record: MemoryRecord?, of subject: MemorySubject) throws(MemoryFailure)
}

/// Nothing can be kept: one sentence for people.
public struct MemoryFailure: Error, Hashable, Sendable {
    public var message: String

    public init(_ message: String) { self.message = message }
}
