import AudioCore
import HostSystem
import Playout
import Synchronization

/// An output device that may vanish and come back: a USB card that is unplugged, a sound server that restarts.
///
/// When the device is lost, a silent stand-in takes its place at once and goes on taking frames at the host clock's
/// pace, so that playback keeps its place. Several times a second it tries to open the device again; once a second
/// after it has been away for a while. Once that succeeds it takes over, and sound on a timeline is heard in step as
/// soon as the device's clock is known. It may also begin without the device.
///
/// Events: ``Playout/OutputDeviceEvent/vanished(_:)`` and ``Playout/OutputDeviceEvent/returned(_:)``, never `lost`.
public final class ReconnectingOutput: OutputDevice {
    /// Opens the device again; called on a thread of its own.
    public typealias Opener = @Sendable () throws(OutputDeviceError) -> any OutputDevice

    private struct State {
        var device: any OutputDevice
        /// Why the device is gone; nil while it is present.
        var loss: OutputDeviceError?
        /// Whether the device is the stand-in.
        var hasStandIn = false
        var keeper: HostThread?
        var isStopping = false
    }

    private let state: Mutex<State>
    private let reopen: Opener
    private let makeStandIn: Opener
    private let wake: WakeSignal

    /// At first, and once it has been away for longer than ``patience``: to open what is not there costs a
    /// small machine some milliseconds.
    private static let retryInterval = TimeSpan.milliseconds(200)
    private static let patientRetryInterval = TimeSpan.seconds(1)
    private static let patience = TimeSpan.seconds(10)

    /// - Parameters:
    ///   - device: opened and not started.
    ///   - standIn: makes the stand-in, usually a `VirtualOutput` to nowhere.
    ///   - reopen: opens the same device again.
    public convenience init(
        _ device: any OutputDevice, standIn: @escaping Opener, reopen: @escaping Opener
    ) throws(OutputDeviceError) {
        try self.init(State(device: device), standIn, reopen)
    }

    /// Begins without the device: with the stand-in, and ``Playout/OutputDeviceEvent/vanished(_:)`` as the first event.
    /// - Parameters:
    ///   - loss: why the device cannot be opened.
    ///   - standIn: makes the stand-in, usually a `VirtualOutput` to nowhere.
    ///   - open: opens the device.
    public convenience init(
        awaiting loss: OutputDeviceError, standIn: @escaping Opener, open: @escaping Opener
    ) throws(OutputDeviceError) {
        try self.init(State(device: try standIn(), loss: loss, hasStandIn: true), standIn, open)
    }

    private init(
        _ initial: State, _ standIn: @escaping Opener, _ reopen: @escaping Opener
    ) throws(OutputDeviceError) {
        self.reopen = reopen
        makeStandIn = standIn
        state = Mutex(initial)
        do throws(DescriptorError) {
            wake = try WakeSignal()
        } catch {
            throw .failed(
                device: initial.device.description.name, operation: "watch it", code: error.code,
                reason: "no file descriptor left")
        }
    }

    /// The description of what plays now: the device or its stand-in.
    public var description: OutputDeviceDescription { state.withLock { $0.device }.description }

    public func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError) {
        let device = state.withLock { $0.device }
        // Before the keeper, which may put another in its place.
        try device.start(driving: control) { self.pass($0, events) }
        do throws(HostThreadError) {
            let keeper = try HostThread(name: "tutti device") { [self] in keep(control, events) }
            state.withLock { $0.keeper = keeper }
        } catch {
            device.stop()
            throw .failed(
                device: device.description.name, operation: "watch it", code: error.code, reason: "no thread left")
        }
    }

    public func stop() {
        let keeper = state.withLock { state in
            state.isStopping = true
            defer { state.keeper = nil }
            return state.keeper
        }
        wake.signal()
        keeper?.join()
        state.withLock { $0.device }.stop()
    }

    private func pass(_ event: OutputDeviceEvent, _ events: @Sendable (OutputDeviceEvent) -> Void) {
        guard case .lost(let error) = event else { return events(event) }
        state.withLock { $0.loss = error }
        wake.signal()
    }

    // MARK: The keeper's thread

    private func keep(_ control: PlayoutControl, _ events: @escaping @Sendable (OutputDeviceEvent) -> Void) {
        var lostAt: HostTime?
        while true {
            let (loss, hasStandIn, isStopping) = state.withLock { ($0.loss, $0.hasStandIn, $0.isStopping) }
            if isStopping { return }
            if let loss, lostAt == nil {
                events(.vanished(loss))
                lostAt = .now()
                if !hasStandIn, let standIn = try? makeStandIn() { replace(with: standIn, control, events) }
            }
            if lostAt != nil, let device = try? reopen() {
                state.withLock { ($0.loss, $0.hasStandIn) = (nil, false) }
                if replace(with: device, control, events) {
                    lostAt = nil
                    events(.returned(device.description))
                }
            }
            wake.wait(atMost: Self.wait(lostAt: lostAt, .now()))
        }
    }

    private static func wait(lostAt: HostTime?, _ now: HostTime) -> TimeSpan {
        guard let lostAt else { return .seconds(60) }
        return now - lostAt < patience ? retryInterval : patientRetryInterval
    }

    /// - Returns: whether the device runs.
    @discardableResult
    private func replace(
        with device: any OutputDevice, _ control: PlayoutControl,
        _ events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) -> Bool {
        let old = state.withLock { state in
            defer { state.device = device }
            return state.device
        }
        old.stop()
        do throws(OutputDeviceError) {
            try device.start(driving: control) { self.pass($0, events) }
            return true
        } catch {
            state.withLock { $0.loss = error }
            return false
        }
    }
}
