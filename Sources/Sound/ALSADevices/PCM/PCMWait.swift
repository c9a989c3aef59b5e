import AudioCore
import CALSA
import Glibc
import HostSystem

/// What ended a wait for a PCM.
package enum PCMWake: Equatable, BitwiseCopyable, Sendable {
    /// The device: so many frames are writable, or readable, as it was asked to wake us at.
    case device
    /// The time for another reading, or too long a time without anything.
    case reading
    /// Another thread, which has a command.
    case command
    /// A negative error number.
    case failed(Int32)
}

/// Waits for a running PCM: until it wakes the loop, until a command does, or, while its clock is being learned, until
/// the next reading.
///
/// As real-time safe as libasound, except for `init` and `deinit`.
package struct PCMWait: ~Copyable {
    /// A device that is filled far ahead wakes us after 400 ms.
    private static let longest = TimeSpan.milliseconds(700)
    /// A running device that does not wake us for so long has stopped.
    private static let vainLimit = TimeSpan.seconds(3)
    /// After the PCM's descriptor was ready for another reason: it may stay so.
    private static let pause = TimeSpan.microseconds(250)
    private static let descriptorLimit = 63

    private let pcm: OpaquePointer
    private let command: WakePoll?
    /// Those of the PCM, and one for the command.
    private let requests: UnsafeMutableBufferPointer<pollfd>
    private var idle = TimeSpan.zero

    package init(_ pcm: OpaquePointer, orCommand command: WakePoll? = nil) {
        self.pcm = pcm
        self.command = command
        let count = min(max(0, Int(snd_pcm_poll_descriptors_count(pcm))), Self.descriptorLimit)
        requests = .allocate(capacity: count + 1)
        requests.initialize(repeating: pollfd())
    }

    deinit { requests.deallocate() }

    /// - Parameter interval: how often readings are worthwhile; nil if only those of wakes are.
    package mutating func wait(readingEvery interval: TimeSpan?) -> PCMWake {
        let begin = HostTime.now()
        // What a plugin's descriptor still says of the last wake is taken with that.
        var ready = interval == nil ? snd_pcm_wait(pcm, 0) : 0
        var isCommanded = false
        while ready == 0 && !isCommanded {
            let left = (interval ?? Self.longest) - (HostTime.now() - begin)
            guard left > .zero else { break }
            let woken = poll(atMost: left)
            isCommanded = woken.isCommanded
            ready = snd_pcm_wait(pcm, 0)
            guard ready == 0, woken.isReady else { continue }
            sleepThread(for: Self.pause)
        }
        if ready < 0 { return .failed(ready) }
        // If we stood still, that is not the device's.
        idle = ready > 0 ? .zero : idle + min(HostTime.now() - begin, interval ?? Self.longest)
        if ready > 0 { return .device }
        if isCommanded { return .command }
        return idle < Self.vainLimit ? .reading : .failed(ALSACall.standstill)
    }

    /// Polls once, and forgets the commands so far.
    /// - Returns: whether a descriptor of the PCM is ready, which may have many reasons; whether there is a command.
    private func poll(atMost span: TimeSpan) -> (isReady: Bool, isCommanded: Bool) {
        var count = max(0, Int(snd_pcm_poll_descriptors(pcm, requests.baseAddress, UInt32(requests.count - 1))))
        if let command {
            requests[count] = command.request
            count += 1
        }
        var time = span.timespec
        let ready = ppoll(requests.baseAddress, nfds_t(count), &time, nil)
        guard ready > 0 else { return (false, false) }
        guard let command, requests[count - 1].revents != 0 else { return (true, false) }
        command.clear()
        return (ready > 1, true)
    }
}
