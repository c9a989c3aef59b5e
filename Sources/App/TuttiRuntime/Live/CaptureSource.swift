import ALSADevices
import AudioCore
import AudioQueueServices
import Broadcasting
import HostSystem
import Playout
import RealtimeKitClient
import Synchronization

/// What a sound device captures, as the source of a broadcast.
final class CaptureSource: Sendable {
    private let queue: InputQueue
    private let shared: Shared

    /// State of the queue's thread.
    fileprivate final class Shared: Sendable {
        let packets: Mutex<CapturePackets>
        let failure = Mutex<RuntimeFailure?>(nil)
        let handler: @Sendable (SourceEvent) -> Void
        let notify: @Sendable (DeviceNotice) -> Void

        init(
            _ packets: CapturePackets, _ handler: @escaping @Sendable (SourceEvent) -> Void,
            _ notify: @escaping @Sendable (DeviceNotice) -> Void
        ) {
            self.packets = Mutex(packets)
            self.handler = handler
            self.notify = notify
        }
    }

    /// Enough for two seconds in which nobody takes any.
    private static let bufferCount = 100
    private static let buffersPerSecond = 50.0

    /// Opens the device; it does not run yet.
    /// - Parameters:
    ///   - handler: called on the source's own thread. It must not call back.
    ///   - notify: the same for what the user may want to know.
    init(
        _ options: CaptureOptions, handler: @escaping @Sendable (SourceEvent) -> Void,
        notify: @escaping @Sendable (DeviceNotice) -> Void
    ) throws(RuntimeFailure) {
        let input: ALSAInput
        do throws(InputDeviceError) {
            input = try ALSAInput(deviceName: options.deviceName, realTimeSystem: .withRealtimeKit)
        } catch {
            throw RuntimeFailure(.unavailable, .input(error))
        }
        let format = input.description.format
        let shared = Shared(CapturePackets(format: format, title: "live from \(options.deviceName)"), handler, notify)
        let queue = try Self.makeQueue(input, shared)
        let frames = Int(format.sampleRate / Self.buffersPerSecond)
        for _ in 0..<Self.bufferCount { queue.enqueue(queue.makeBuffer(frameCapacity: frames)) }
        self.queue = queue
        self.shared = shared
    }

    /// Why it could not go on; set before the event that reports it. Any thread may read it.
    var failure: RuntimeFailure? { shared.failure.withLock { $0 } }

    func start() throws(RuntimeFailure) {
        do throws(InputDeviceError) {
            try queue.start()
        } catch {
            throw RuntimeFailure(.unavailable, .input(error))
        }
    }

    /// Ends it at once.
    func stop() { queue.stop(.immediate) }

    private static func makeQueue(_ input: ALSAInput, _ shared: Shared) throws(RuntimeFailure) -> InputQueue {
        do throws(TimelineQueueError) {
            return try InputQueue(input: input) { event in
                shared.note(event)
            } handler: { buffer in
                shared.take(buffer)
                return buffer
            }
        } catch {
            throw RuntimeFailure(.unavailable, .queue(error))
        }
    }
}

extension CaptureSource.Shared {
    fileprivate func take(_ buffer: borrowing InputBuffer) {
        guard failure.withLock({ $0 == nil }) else { return }
        let events = packets.withLock { packets in packets.events(for: buffer) }
        guard let events else { return fail(.inputAway, "the device was away for too long") }
        for event in events { handler(event) }
    }

    fileprivate func note(_ event: InputQueueEvent) {
        switch event {
        case .runningChanged: break
        case .framesLost(_, let count, let cause): notify(.framesLost(count: count, cause))
        case .deviceLost(let error): fail(.input(error), "\(error)")
        case .notice(let text): notify(.remark(text))
        }
    }

    /// - Parameter text: the reason as listeners are told it.
    private func fail(_ reason: RuntimeFailure.Reason, _ text: String) {
        failure.withLock { $0 = $0 ?? RuntimeFailure(.lost, reason) }
        handler(.failed(text, .nothing))
    }
}
