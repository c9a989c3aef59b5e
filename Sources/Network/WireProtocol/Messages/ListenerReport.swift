import AudioCore
import NIOCore

/// A listener's report to its broadcaster, sent twice a second unless it is asked for another interval
/// (``ControlMessage/reportInterval(_:)``), and whenever its state changes.
///
/// | field | type | meaning |
/// |---|---|---|
/// | state | u8 | 0 connecting, 1 preparing, 2 ready, 3 playing, 4 starving, 5 finished, 6 paused |
/// | epoch | u32 | the newest epoch: the one whose packets come |
/// | received | i64 | frame after the last one received of it |
/// | buffered | i64 | nanoseconds of song held ahead of what is heard |
/// | xruns, underruns, re-placements, lost packets | u32 each | since the listener joined |
/// | timing | u8 | 1 if the following fields are known, else 0 and they are absent |
/// | error, bound, asymmetry limit, round trip | i64 each | nanoseconds |
/// | clock skew, device skew, correction | f64 each | ppm |
/// | low water | i64 | least decoded song that was ready since the song began to sound, nanoseconds; -1 unknown |
/// | timeline steps, device clock steps, device restarts | u32 each | causes of re-placements; the rest are underruns |
/// | irrevocable | i64, 0 to 10 s | nanoseconds of sound that the device holds and does not give back |
///
/// A report may end before any of the fields after the timing, which are then unknown, or 0.
public struct ListenerReport: Hashable, Sendable {
    public var state: ListenerState
    public var epoch: Epoch
    public var received: FramePosition
    public var buffered: TimeSpan
    public var counters: ListenerCounters
    public var timing: ListenerTiming?
    /// The low-water mark: the least decoded song that was ready since the song began to sound.
    public var lowWater: TimeSpan?
    /// How much sound the device holds and does not give back: a command that is to be heard sooner is heard late.
    public var irrevocable: TimeSpan

    public init(
        state: ListenerState, epoch: Epoch, received: FramePosition, buffered: TimeSpan,
        counters: ListenerCounters = ListenerCounters(), timing: ListenerTiming? = nil, lowWater: TimeSpan? = nil,
        irrevocable: TimeSpan = .zero
    ) {
        self.state = state
        self.epoch = epoch
        self.received = received
        self.buffered = buffered
        self.counters = counters
        self.timing = timing
        self.lowWater = lowWater
        self.irrevocable = irrevocable
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(state.code)
        buffer.writeEpoch(epoch)
        buffer.writePosition(received)
        buffer.writeSpan(buffered)
        for count in [counters.xruns, counters.underruns, counters.replacements, counters.lostPackets] {
            buffer.writeInteger(count)
        }
        buffer.writeInteger(UInt8(timing == nil ? 0 : 1))
        timing?.write(to: &buffer)
        buffer.writeSpan(lowWater ?? .nanoseconds(-1))
        for count in [counters.timelineSteps, counters.deviceClockSteps, counters.deviceRestarts] {
            buffer.writeInteger(count)
        }
        buffer.writeSpan(min(max(.zero, irrevocable), WireLimits.irrevocableSpan))
    }

    init?(from buffer: inout ByteBuffer) {
        guard let state = buffer.readInteger(as: UInt8.self).flatMap(ListenerState.init(code:)),
            let epoch = buffer.readEpoch(), let received = buffer.readPosition(), let buffered = buffer.readSpan(),
            let xruns = buffer.readInteger(as: UInt32.self), let underruns = buffer.readInteger(as: UInt32.self),
            let replacements = buffer.readInteger(as: UInt32.self), let lost = buffer.readInteger(as: UInt32.self),
            let hasTiming = buffer.readInteger(as: UInt8.self), hasTiming <= 1
        else { return nil }
        var counters = ListenerCounters()
        counters.xruns = xruns
        counters.underruns = underruns
        counters.replacements = replacements
        counters.lostPackets = lost
        var timing: ListenerTiming?
        if hasTiming == 1 {
            guard let fields = ListenerTiming(from: &buffer) else { return nil }
            timing = fields
        }
        let lowWater = buffer.readSpan().flatMap { $0 >= .zero ? $0 : nil }
        counters.timelineSteps = buffer.readInteger(as: UInt32.self) ?? 0
        counters.deviceClockSteps = buffer.readInteger(as: UInt32.self) ?? 0
        counters.deviceRestarts = buffer.readInteger(as: UInt32.self) ?? 0
        let irrevocable = buffer.readSpan() ?? .zero
        guard (.zero...WireLimits.irrevocableSpan).contains(irrevocable) else { return nil }
        self.init(
            state: state, epoch: epoch, received: received, buffered: buffered, counters: counters,
            timing: timing, lowWater: lowWater, irrevocable: irrevocable)
    }
}

extension ListenerTiming {
    fileprivate func write(to buffer: inout ByteBuffer) {
        for span in [error, errorBound, asymmetryLimit, roundTrip] { buffer.writeSpan(span) }
        for skew in [clockSkew, deviceSkew, correction] { buffer.writeDouble(skew.value) }
    }

    fileprivate init?(from buffer: inout ByteBuffer) {
        guard let error = buffer.readSpan(), let bound = buffer.readSpan(), let limit = buffer.readSpan(),
            let roundTrip = buffer.readSpan(), let clockSkew = buffer.readDouble(),
            let deviceSkew = buffer.readDouble(), let correction = buffer.readDouble()
        else { return nil }
        self.init(
            error: error, errorBound: bound, asymmetryLimit: limit, roundTrip: roundTrip,
            clockSkew: PartsPerMillion(clockSkew), deviceSkew: PartsPerMillion(deviceSkew),
            correction: PartsPerMillion(correction))
    }
}
