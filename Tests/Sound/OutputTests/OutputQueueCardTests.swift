import ALSADevices
import AudioCore
import AudioQueueServices
import HeardAnalysis
import HostSystem
import LANKit
import Playout
import SoundCardKit
import Synchronization
import Testing
import VirtualDevices

extension OutputTests {
    // An output queue on the software sound card.
    @Suite(.serialized) struct OutputQueueCardTests {
        private let cardDirectory = CardDirectory()
        private static let format = AudioStreamFormat.linearPCM(
            sampleRate: 48_000, channels: 2, bitsPerChannel: 32, bytesPerSample: 4, layout: [.float, .signedInteger])

        /// Samples that a card of 16 bits takes as they are; none is zero.
        private static let samples: [Float] = (0..<144_000).map { index in
            let step = 1 + (index * 7_919) % 30_000
            return Float(step) / 32_768
        }

        /// Plays the samples with three buffers on a software card, and gives what the card got.
        private func play(
            on card: SoftwareCard, wakeInterval: TimeSpan? = nil
        ) throws -> (sound: [Float], events: [OutputQueueEvent]) {
            cardDirectory.removeRecording()
            let events = try play(
                Self.samples, on: try ALSAOutput(deviceName: card.deviceName, wakeInterval: wakeInterval))
            return (try cardDirectory.heard().samples.filter { $0 != 0 }, events)
        }

        /// Plays samples with three buffers.
        /// - Parameters:
        ///   - instant: of the first frame; nil: from the queue's first moment on.
        ///   - disturb: called when the last buffer is enqueued.
        /// - Returns: all events, in their order.
        private func play(
            _ samples: [Float], on output: any OutputDevice, at instant: HostTime? = nil,
            onEvent: @escaping @Sendable (OutputQueueEvent) -> Void = { _ in },
            disturb: (borrowing OutputQueue) -> Void = { _ in }
        ) throws -> [OutputQueueEvent] {
            let wake = try WakeSignal()
            let pool = OutputBufferPool(wake: wake)
            let events = Mutex<[OutputQueueEvent]>([])
            let queue = try OutputQueue(
                Self.format, output: output, bufferHeard: { pool.put($0) },
                events: { event in
                    onEvent(event)
                    events.withLock { $0.append(event) }
                    wake.signal()
                })
            let size = AudioBufferSize(format: Self.format, packetSizeUpperBound: 8, duration: .milliseconds(250))
            for _ in 0..<3 { pool.put(queue.makeBuffer(size)) }
            queue.start(at: instant)
            var rest = samples[...]
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
            return events.withLock { $0 }
        }

        @Test(arguments: [nil, TimeSpan.milliseconds(75)])
        func aCardGetsTheVerySamples(wakeInterval: TimeSpan?) throws {
            let card = cardDirectory.makeCard {
                $0.ppm = 60
                $0.formats = ["S16_LE"]
            }
            let (sound, events) = try undisturbed(unless: { $0.events.contains { $0 == .underrun || $0 == .xrun } }) {
                try play(on: card, wakeInterval: wakeInterval)
            }
            #expect(sound == Self.samples, "\(sound.count) samples")
            #expect(events.contains(.runningChanged(true)) && events.contains(.runningChanged(false)))
            #expect(!events.contains(.underrun) && !events.contains(.xrun))
        }

        /// What lies in the card's buffer when the card breaks off is lost with it; nothing else is.
        @Test func anXrunLosesNoMoreThanTheCardDoes() throws {
            let (sound, events) = try undisturbed(unless: { $0.events.contains(.underrun) }) {
                try playOnBreakingCard()
            }
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

        /// Plays the samples on a card that breaks off 0.7 s on.
        private func playOnBreakingCard() throws -> (sound: [Float], events: [OutputQueueEvent]) {
            let card = cardDirectory.makeCard { $0.formats = ["S16_LE"] }
            try card.setFaults([.xrunAt(trueNow() + 700_000_000)])
            return try play(on: card)
        }

        /// Between two frames of the card, as a rule: a tenth of a frame is 2 us. In the median of five, as a busy
        /// machine may wake the loop late while the card's clock is learned.
        @Test func aStartAtAnInstantIsThatInstant() throws {
            let errors = try (0..<5).map { _ in try undisturbed(startError) }.sorted()
            #expect(errors[2] < 0.1, "\(errors) frames")
        }

        /// Of a start at an instant, in frames; infinite where not all is heard.
        private func startError() throws -> Double {
            let song = TestSong(duration: 1.2)
            let card = cardDirectory.makeCard { $0.formats = ["FLOAT_LE"] }
            let start = HostTime.now() + .milliseconds(1_500)
            _ = try play(
                song.recording(sampleRate: 48_000).samples, on: try ALSAOutput(deviceName: card.deviceName), at: start)
            var options = SkewOptions()
            (options.window, options.hop) = (0.1, 0.1)
            let report = skew(between: song.heard(from: start), and: try cardDirectory.heard(), options: options)
            guard report.unlikeWindows.isEmpty, report.windows.count >= 9 else { return .infinity }
            return try #require(report.percentile(0.5)) * 48_000
        }

        /// What is heard after it is told is no more than the device held, and most of that is taken back.
        @Test func anImmediateStopIsHeardWithinWhatTheQueueReports() throws {
            let card = cardDirectory.makeCard()
            var asked = HostTime(nanoseconds: 0)
            var held = TimeSpan.zero
            let events = try play(
                Self.samples, on: try ALSAOutput(deviceName: card.deviceName),
                disturb: { queue in
                    asked = .now()
                    held = queue.snapshot.playout.newestHost - asked
                    queue.stop(immediately: true)
                })
            #expect(events.last == .runningChanged(false))
            let heard = try cardDirectory.heard()
            let last = try #require(heard.lastAudibleFrame().flatMap { heard.time(ofFrame: Double($0)) })
            let delay = TimeSpan(nanoseconds: Int64(last) - asked.nanoseconds)
            #expect(held > .milliseconds(50) && delay < held, "\(delay) of \(held)")
        }

        /// While the device is away frames go by; what comes then comes as it was enqueued, to the last frame.
        @Test func aDeviceThatComesBackGoesOn() throws {
            let samples = Self.samples + Self.samples
            let (name, events) = try undisturbed(unless: { $0.events.contains(.underrun) }) {
                try playOnReturningCard(samples)
            }
            try #require(events.count == 4, "\(events)")
            #expect(events[0] == .runningChanged(true) && events[3] == .runningChanged(false))
            #expect(events[1] == .deviceVanished(.lost(device: name)))
            if case .deviceReturned(let device) = events[2] {
                #expect(device.name == name)
            } else {
                Issue.record("\(events)")
            }
            // What was heard before; a fade; what comes after, to the end.
            let sound = try cardDirectory.heard().samples.filter { $0 != 0 }
            let before = zip(sound, samples).prefix { $0 == $1 }.count
            let after = zip(sound.reversed(), samples.reversed()).prefix { $0 == $1 }.count
            #expect(before > 20_000 && after > 48_000, "\(before) and \(after)")
            // What went by since the device's clock was read last may come twice, for 20 ms at most.
            #expect(before + after < samples.count + 2 * 960, "\(before) and \(after)")
            #expect(sound.count - before - after <= 2 * 500, "\(sound.count - before - after) samples")
        }

        /// Plays samples on a card that goes away half a second on, and comes back when that is told.
        /// - Returns: the card's name, and what was told but for notices.
        private func playOnReturningCard(_ samples: [Float]) throws -> (name: String, events: [OutputQueueEvent]) {
            let card = cardDirectory.makeCard { $0.formats = ["S16_LE"] }
            let name = card.deviceName
            let output = try ReconnectingOutput(
                try ALSAOutput(deviceName: name),
                standIn: { () throws(OutputDeviceError) in try VirtualOutput.null() },
                reopen: { () throws(OutputDeviceError) in try ALSAOutput(deviceName: name) })
            try card.setFaults([.goneAt(trueNow() + 500_000_000)])
            let events = try play(
                samples, on: output,
                onEvent: { event in
                    if case .deviceVanished = event { try? card.setFaults([]) }
                })
            return (name, events.filter { if case .notice = $0 { false } else { true } })
        }
    }
}
