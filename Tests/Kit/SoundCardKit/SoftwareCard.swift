import Glibc

/// A software sound card as a test wants it: how it runs, and where it records what was heard.
///
/// ``writeConfiguration(to:default:)`` makes the asoundrc under which `default` is this card and `card:...` any other
/// (see ``deviceName``). What the fields mean in detail is said in `SoftwareSoundCard.h`.
public struct SoftwareCard: Sendable {
    /// How much faster than nominal the card runs, in true time.
    public var ppm: Double
    /// The WAVE file of what was heard; its sidecar lies beside it. Also the card's identity: one recording, one card.
    public var recording: String
    /// Frames are fetched, and the hardware pointer moves, once a burst.
    public var burstMicroseconds: Int
    /// From the fetch of a burst to its first frame at the loudspeaker; part of the delay that is reported.
    public var latencyMicroseconds: Int
    /// The delay that is reported moves with the hardware pointer only.
    public var isCoarse: Bool
    /// A file of faults, which may be rewritten at any time: see ``Fault``.
    public var control: String
    /// Sample formats by their ALSA names, most wanted first.
    public var formats: [String]
    public var rates: [Int]
    public var channels: ClosedRange<Int>
    public var maximumBufferByteCount: Int
    /// The card's own thread asks for real-time priority.
    public var isRealTime: Bool
    public var stamps = Stamps.raw
    public var rewinds = Rewinds.given
    /// A WAVE file: what is in the air, for captures, which have its layout. Without it the card has no capture side.
    /// Its sidecar, beside it, says when its first frame was in the air, and tells of runs.
    public var source: String?
    /// The true time at which the source's first frame is in the air; nil: when a capture first starts.
    public var sourceTime: Int64?

    /// On which clocks a card stamps its status. An application that asks for another is refused.
    public enum Stamps: String, CaseIterable, Sendable {
        /// Any.
        case raw
        /// Not the raw monotonic one.
        case monotonic
        /// Real time alone.
        case real
    }

    /// What becomes of written frames that an application wants back.
    public enum Rewinds: String, Sendable {
        case given
        /// They are heard all the same, without a word.
        case ignored
        /// None can be taken back, as where libasound converts rates; the card then plays at 48 kHz.
        case refused
    }

    public init(
        ppm: Double = 0, recording: String, burstMicroseconds: Int = 5_000, latencyMicroseconds: Int = 1_000,
        isCoarse: Bool = false, control: String? = nil,
        formats: [String] = ["S16_LE", "S24_LE", "S24_3LE", "S32_LE", "FLOAT_LE"],
        rates: [Int] = [44_100, 48_000, 96_000],
        channels: ClosedRange<Int> = 1...8, maximumBufferByteCount: Int = 1 << 20, isRealTime: Bool = true
    ) {
        self.ppm = ppm
        self.recording = recording
        self.burstMicroseconds = burstMicroseconds
        self.latencyMicroseconds = latencyMicroseconds
        self.isCoarse = isCoarse
        self.control = control ?? recording + ".control"
        self.formats = formats
        self.rates = rates
        self.channels = channels
        self.maximumBufferByteCount = maximumBufferByteCount
        self.isRealTime = isRealTime
    }

    /// What can be done to a card.
    public enum Fault: Sendable {
        /// Opening fails with `EBUSY`.
        case busy
        /// Opening prints a line to standard output and one to standard error, as libraries of sound servers do.
        case chatter
        /// Unplugged: an open device is disconnected, opening fails with `ENODEV`.
        case gone
        /// The same from this true time on, in nanoseconds of ``trueNow()``.
        case goneAt(Int64)
        /// The run that goes on at this true time breaks off in an xrun, once.
        case xrunAt(Int64)
        /// The run that goes on at this true time stands still without a word, once, until it is prepared anew.
        case stallAt(Int64)
    }

    /// Puts these faults, and no others, in force; the card looks every 20 ms, and whenever it is opened.
    public func setFaults(_ faults: [Fault]) throws {
        let lines = faults.map { fault in
            switch fault {
            case .busy: "busy\n"
            case .chatter: "chatter\n"
            case .gone: "gone\n"
            case .goneAt(let time): "gone-at \(time)\n"
            case .xrunAt(let time): "xrun-at \(time)\n"
            case .stallAt(let time): "stall-at \(time)\n"
            }
        }
        try writeWhole(lines.joined(), to: control)
    }
}

/// Nanoseconds of true time, the clock of all recordings, for a process of the initial time namespace whose clock is
/// not interposed.
public func trueNow() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC_RAW, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// A file operation of the test kit that failed.
public struct FileError: Error, CustomStringConvertible {
    public var operation: String
    public var path: String
    public var code: Int32

    public var description: String { "\(operation) \(path): \(String(cString: strerror(code)))" }
}

/// Replaces a file in one step, so that no reader sees half of it.
func writeWhole(_ text: String, to path: String) throws {
    let temporary = path + ".new"
    guard let file = fopen(temporary, "we") else { throw FileError(operation: "create", path: temporary, code: errno) }
    let bytes = Array(text.utf8)
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count, rename(temporary, path) == 0 else {
        throw FileError(operation: "write", path: path, code: errno)
    }
}
