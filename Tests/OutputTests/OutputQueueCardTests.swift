import ALSAOutput
import AudioCore
import AudioQueue
import HeardAnalysis
import HostSystem
import Playout
import SoundCardKit
import Synchronization
import Testing

extension OutputTests {
    // An output queue on the software sound card.
    @Suite(.serialized) struct OutputQueueCardTests {
        private let workshop = Workshop()
        private static let format = AudioStreamFormat.linearPCM(
            sampleRate: 48_000, channels: 2, bitsPerChannel: 32, bytesPerSample: 4, layout: [.float, .signedInteger])

        /// Samples that a card of 16 bits takes as they are; none is zero.
        private static let samples: [Float] = (0..<144_000).map { index in
            let step = 1 + (index * 7_919) % 30_000
            return Float(step) / 32_768
        }

        /// Plays the samples with three buffers, from the queue's first moment on, and gives what the card got.
        private func play(
            on card: SoftwareCard, wakeInterval: TimeSpan? = nil, _ disturb: (borrowing OutputQueue) -> Void = { _ in }
        ) throws -> (sound: [Float], events: [OutputQueueEvent]) {
            let wake = try WakeSignal()
            let pool = OutputBufferPool(wake: wake)
            let events = Mutex<[OutputQueueEvent]>([])
            let queue = try OutputQueue(
                Self.format, output: try ALSAOutput(deviceName: card.deviceName, wakeInterval: wakeInterval),
                bufferHeard: { pool.put($0) },
                events: { event in
                    events.withLock { $0.append(event) }
                    wake.signal()
                })
            let size = AudioBufferSize(format: Self.format, packetSizeUpperBound: 8, duration: .milliseconds(250))
            for _ in 0..<3 { pool.put(queue.makeBuffer(size)) }
            queue.start()
            var rest = Self.samples[...]
            let deadline = HostTime.now() + .seconds(30)
            while !rest.isEmpty, HostTime.now() < deadline {
                guard var buffer = pool.take() else {
                    wake.wait(atMost: .milliseconds(100))
                    continue
                }
                let count = Array(rest.prefix(buffer.byteCapacity / 4)).withUnsafeBytes {
                    buffer.append(bytes: RawSpan(_unsafeBytes: $0))
                }
                rest = rest.dropFirst(count / 4)
                queue.enqueue(buffer)
            }
            disturb(queue)
            queue.stop(immediately: false)
            while !events.withLock({ $0.contains(.runningChanged(false)) }), HostTime.now() < deadline {
                wake.wait(atMost: .milliseconds(100))
            }
            queue.dispose()
            return (try workshop.heard().samples.filter { $0 != 0 }, events.withLock { $0 })
        }

        @Test(arguments: [nil, TimeSpan.milliseconds(75)])
        func aCardGetsTheVerySamples(wakeInterval: TimeSpan?) throws {
            let card = workshop.makeCard {
                $0.ppm = 60
                $0.formats = ["S16_LE"]
            }
            let (sound, events) = try play(on: card, wakeInterval: wakeInterval)
            #expect(sound == Self.samples, "\(sound.count) samples")
            #expect(events.contains(.runningChanged(true)) && !events.contains(.underrun) && !events.contains(.xrun))
        }

        /// What lies in the card's buffer when the card breaks off is lost with it; nothing else is.
        @Test func anXrunLosesNoMoreThanTheCardDoes() throws {
            let card = workshop.makeCard { $0.formats = ["S16_LE"] }
            try card.setFaults([.xrunAt(trueNow() + 700_000_000)])
            let (sound, events) = try play(on: card)
            #expect(events.contains(.xrun))
            let lost = Self.samples.count - sound.count
            // And the first frames of the fade in, which sixteen bits round to zero.
            #expect((0...2 * (7_200 + 10)).contains(lost), "\(lost) samples")
            let same = zip(sound, Self.samples).prefix { $0 == $1 }.count
            #expect(same > 10_000)
            // All but the fade in behind it.
            let rest = sound.count - same - 2 * 250
            #expect(sound.suffix(rest).elementsEqual(Self.samples.suffix(rest)))
        }
    }
}
