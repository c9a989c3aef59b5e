import ALSADevices
import AudioCore
import AudioQueueServices
import HostSystem
import SoundCardKit
import Synchronization

/// A capture in which everything happens that the real-time thread may have to deal with: samples that are to be
/// packed, an xrun a second, and buffers that are away for so long that frames find the ring full.
struct CaptureScenes {
    let directory: String

    func play(seconds: Double) throws {
        var card = SoftwareCard(recording: directory + "/heard.wav", formats: ["S24_LE"])
        card.source = directory + "/air.wav"
        try MicrophoneNoise(.integer24, seconds: 1).write(to: directory + "/air.wav")
        let losses = Mutex<[InputLossCause: Int]>([:])
        let isHolding = Atomic(false)
        let queue = try InputQueue(input: try ALSAInput(deviceName: card.deviceName)) { event in
            if case .framesLost(_, _, let cause) = event { losses.withLock { $0[cause, default: 0] += 1 } }
        } handler: { buffer in
            while isHolding.load(ordering: .acquiring) { sleepThread(for: .milliseconds(10)) }
            return buffer
        }
        for _ in 0..<3 { queue.enqueue(queue.makeBuffer(frameCapacity: 4_800)) }
        try queue.start()
        let end = HostTime.now() + TimeSpan(seconds: seconds)
        // The ring holds up to 2.6 s.
        let release = HostTime.now() + .seconds(3)
        isHolding.store(true, ordering: .releasing)
        while HostTime.now() < end {
            try card.setFaults([.xrunAt(trueNow() + 400_000_000)])
            sleepThread(for: .seconds(1))
            if HostTime.now() > release { isHolding.store(false, ordering: .releasing) }
        }
        isHolding.store(false, ordering: .releasing)
        queue.stop()
        while queue.snapshot.isRunning { sleepThread(for: .milliseconds(10)) }
        losses.withLock { losses in
            for (cause, count) in losses { print("\(cause) \(count)") }
        }
    }
}
