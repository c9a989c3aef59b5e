import CALSA
import Glibc
import HeardAnalysis
import SoundCardKit
import Testing

extension SoftwareSoundCardTests {
    // The card's capture side. It lives in real time, as the other one; what is checked is exact.
    @Suite(.serialized) struct CaptureTests {
        private static let air = MicrophoneNoise(seconds: 2)
        private var air: MicrophoneNoise { Self.air }

        private func open(_ test: TestCard, buffer: UInt32 = 500_000) throws -> PCM {
            let pcm = try test.open(SND_PCM_STREAM_CAPTURE)
            try pcm.configure(buffer: buffer)
            return pcm
        }

        /// Where captured bytes differ from what they should be; nobody reads a list of all of them.
        private func difference(_ bytes: [UInt8], _ expected: [UInt8]) -> Int? {
            bytes == expected ? nil : zip(bytes, expected).prefix { $0 == $1 }.count
        }

        private func read(_ frames: Int, from pcm: PCM) throws -> [UInt8] {
            try pcm.read(frames, frameByteCount: air.frameByteCount)
        }

        /// True times of these events, as the sidecar tells them.
        private func times(_ name: String, _ test: TestCard) throws -> [Int64] {
            try test.air().events.filter { $0.name == name }.map(\.host.nanoseconds)
        }

        /// The frame of the source that was in the air at a true time.
        private func frame(at time: Int64, _ test: TestCard) throws -> Double {
            let segment = try #require(try test.air().segments.first)
            return Double(time - segment.host.nanoseconds) * 1e-9 * segment.framesPerSecond
        }

        /// The sign test: what was read, with the reported delay, is what was in the air at that instant.
        @Test(arguments: [0, 40, -770.5]) func reportedDelayAgreesWithTheAir(ppm: Double) throws {
            let test = try TestCard(air: air) { $0.ppm = ppm }
            let pcm = try open(test)
            try pcm.start()
            var looks: [(frame: Int, from: Int64, to: Int64)] = []
            var bytes: [UInt8] = []
            for _ in 0..<12 {
                bytes += try read(1_000, from: pcm)
                for _ in 0..<20 {
                    let status = try pcm.status()
                    looks.append((bytes.count / air.frameByteCount + status.delay, status.from, status.to))
                    // Looks all over the time that it captures.
                    usleep(300)
                }
            }
            try pcm.drop()
            #expect(difference(bytes, air.frames(0..<12_000)) == nil)
            let segment = try #require(try test.air().segments.first)
            #expect(abs(segment.framesPerSecond - 48_000 * (1 + ppm * 1e-6)) < 1e-6)
            #expect(try times("started", test) == [segment.host.nanoseconds])
            for look in looks {
                #expect(try Double(look.frame) >= frame(at: look.from, test) - 1.01)
                #expect(try Double(look.frame) <= frame(at: look.to, test) + 0.01)
            }
        }

        @Test(arguments: [0, 40, -35] as [Double])
        func coarseDelayMovesOnceABurstAndNeverRunsAhead(ppm: Double) throws {
            let test = try TestCard(air: air) {
                $0.isCoarse = true
                $0.ppm = ppm
            }
            let pcm = try open(test)
            try pcm.start()
            var looks: [(frame: Int, from: Int64, to: Int64)] = []
            let end = trueNow() + 100_000_000
            while trueNow() < end {
                let status = try pcm.status()
                looks.append((status.delay, status.from, status.to))
                usleep(700)
            }
            #expect(Set(looks.map { $0.frame }).count <= burstCount(from: looks.first?.from, to: looks.last?.to))
            for look in looks {
                // 1 ms of latency is 48 frames.
                #expect(look.frame == 0 || (look.frame - 48) % 240 == 0)
                #expect(try Double(look.frame) <= frame(at: look.to, test) + 0.01)
                #expect(try Double(look.frame) >= frame(at: look.from, test) - 288 - 1.01)
            }
        }

        @Test func framesComeInBurstsAfterTheyWereInTheAir() throws {
            let test = try TestCard(air: air) { $0.latencyMicroseconds = 3_000 }
            let pcm = try open(test)
            try pcm.start()
            var looks: [(available: Int, from: Int64, to: Int64)] = []
            // Nobody reads: the buffer takes half a second. So the sidecar is looked at later.
            for _ in 0..<100 {
                let from = trueNow()
                looks.append((try pcm.avail(), from, trueNow()))
                usleep(500)
            }
            try pcm.drop()
            for look in looks {
                #expect(look.available % 240 == 0)
                // 3 ms are 144 frames.
                #expect(try Double(look.available) <= max(0, frame(at: look.to, test) - 144 + 1))
                #expect(try Double(look.available) >= frame(at: look.from, test) - 144 - 240 - 1)
            }
            #expect(Set(looks.map { $0.available }).count > 5)
        }

        private static let formats: [(MicrophoneNoise.SampleFormat, snd_pcm_format_t)] = [
            (.integer16, SND_PCM_FORMAT_S16_LE), (.integer24, SND_PCM_FORMAT_S24_3LE),
            (.integer24, SND_PCM_FORMAT_S24_LE), (.integer32, SND_PCM_FORMAT_S32_LE),
            (.float32, SND_PCM_FORMAT_FLOAT_LE),
        ]

        @Test(arguments: formats.indices, [(44_100, 1), (48_000, 2), (96_000, 8)])
        func whatIsInTheAirIsCaptured(index: Int, layout: (rate: Int, channels: Int)) throws {
            let (kind, format) = Self.formats[index]
            let air = MicrophoneNoise(kind, rate: layout.rate, channels: layout.channels, seconds: 0.05)
            let test = try TestCard(air: air)
            let pcm = try test.open(SND_PCM_STREAM_CAPTURE)
            try pcm.configure(format, rate: UInt32(layout.rate), channels: layout.channels)
            try pcm.start()
            let width = Int(snd_pcm_format_physical_width(format)) / 8
            let bytes = try pcm.read(air.frameCount + 10, frameByteCount: width * layout.channels)
            var expected = air.frames(0..<air.frameCount + 10)
            if width > kind.byteCount {
                let packed = expected
                expected = stride(from: 0, to: packed.count, by: 3).flatMap {
                    packed[$0..<$0 + 3] + [packed[$0 + 2] & 0x80 == 0 ? 0 : 0xFF]
                }
            }
            #expect(difference(bytes, expected) == nil)
        }

        @Test func theSourceGoesOnWhetherItIsCapturedOrNot() throws {
            let at = trueNow() + 100_000_000
            let test = try TestCard(air: air) {
                $0.sourceTime = at
                $0.ppm = 100
            }
            let early = try open(test)
            try early.start()
            #expect(try read(4_800, from: early).prefix(960).allSatisfy { $0 == 0 })
            _ = try read(4_800, from: early)
            try early.drop()
            try early.prepare()
            usleep(50_000)
            try early.start()
            let bytes = try read(2_000, from: early)
            try early.drop()
            #expect(try test.air().segments.first?.host.nanoseconds == at)
            let started = try times("started", test)
            #expect(started.count == 2)
            let first = try frame(at: started[1], test)
            #expect(abs(first - first.rounded()) < 1e-3)
            #expect(difference(bytes, air.frames(Int(first.rounded())..<Int(first.rounded()) + 2_000)) == nil)
        }

        @Test func anOpeningKeepsToTheTimeOfTheOneBefore() throws {
            let test = try TestCard(air: air)
            try {
                let pcm = try open(test)
                try pcm.start()
                _ = try read(1_000, from: pcm)
            }()
            let pcm = try open(test)
            try pcm.start()
            let bytes = try read(1_000, from: pcm)
            let first = try Int(frame(at: times("started", test)[1], test).rounded())
            #expect(first >= 1_000)
            #expect(difference(bytes, air.frames(first..<first + 1_000)) == nil)
            #expect(try test.air().segments.count == 1)
        }

        @Test func framesThatAreNotReadAreAnXrunAndTheAirGoesOn() throws {
            let test = try TestCard(air: air)
            let pcm = try open(test, buffer: 40_000)
            try pcm.start()
            _ = try read(480, from: pcm)
            while pcm.state == SND_PCM_STATE_RUNNING {
                _ = try? pcm.avail()
                usleep(1_000)
            }
            #expect(throws: ALSAError(code: EPIPE)) { try read(10, from: pcm) }
            let broken = try frame(at: try #require(try times("xrun", test).first), test)
            // 40 ms hold 1920 frames, and the last burst comes 1 ms late.
            #expect(broken >= 480 + 1_920 && broken <= 480 + 1_920 + 240 + 49)
            try pcm.prepare()
            try pcm.start()
            let bytes = try read(480, from: pcm)
            let first = try Int(frame(at: times("started", test)[1], test).rounded())
            #expect(Double(first) >= broken - 1)
            #expect(difference(bytes, air.frames(first..<first + 480)) == nil)
        }

        @Test func anXrunCanBeAskedFor() throws {
            let test = try TestCard(air: air)
            let pcm = try open(test)
            let at = trueNow() + 60_000_000
            try test.card.setFaults([.xrunAt(at)])
            try pcm.start()
            #expect(throws: ALSAError(code: EPIPE)) {
                while true { _ = try read(480, from: pcm) }
            }
            #expect(try times("xrun", test) == [at])
            try pcm.prepare()
            try pcm.start()
            #expect(try read(480, from: pcm).count == 480 * air.frameByteCount)
        }

        @Test func anUnpluggedCardIsGone() throws {
            let test = try TestCard(air: air)
            let pcm = try open(test)
            try pcm.start()
            try test.card.setFaults([.goneAt(trueNow() + 50_000_000)])
            #expect(throws: ALSAError(code: ENODEV)) {
                while true { _ = try read(480, from: pcm) }
            }
            #expect(throws: ALSAError(code: ENODEV)) { try pcm.prepare() }
            #expect(pcm.state == SND_PCM_STATE_DISCONNECTED)
            #expect(throws: ALSAError.self) { _ = try test.open(SND_PCM_STREAM_CAPTURE) }
            #expect(try test.air().events.map(\.name) == ["started", "vanished"])
        }

        @Test func aCardThatStandsStillSaysThatItRuns() throws {
            let test = try TestCard(air: air)
            let pcm = try open(test)
            let at = trueNow() + 60_000_000
            try test.card.setFaults([.stallAt(at)])
            try pcm.start()
            while trueNow() < at + 20_000_000 { usleep(1_000) }
            let count = try pcm.avail()
            #expect(try difference(read(count, from: pcm), air.frames(0..<count)) == nil)
            let delay = try pcm.delay()
            #expect(try !pcm.wait(milliseconds: 30))
            #expect(try pcm.delay() == delay)
            #expect(pcm.state == SND_PCM_STATE_RUNNING)
            try pcm.drop()
            try pcm.prepare()
            try pcm.start()
            #expect(try read(480, from: pcm).count == 480 * air.frameByteCount)
        }

        @Test func pausingLeavesOutWhatIsInTheAirMeanwhile() throws {
            let test = try TestCard(air: air)
            let pcm = try open(test)
            try pcm.start()
            _ = try read(480, from: pcm)
            try pcm.pause(true)
            let count = try pcm.avail()
            usleep(20_000)
            #expect(try pcm.avail() == count)
            #expect(try pcm.delay() == count)
            try pcm.pause(false)
            let bytes = try read(count + 480, from: pcm)
            let first = try Int(frame(at: times("started", test)[1], test).rounded())
            #expect(first > 480 + count)
            #expect(difference(bytes, air.frames(480..<480 + count) + air.frames(first..<first + 480)) == nil)
        }

        @Test func bothSidesAreOpenAtOnceAndEachToOne() throws {
            let test = try TestCard(air: air)
            let capture = try open(test)
            let playback = try test.open()
            try playback.configure()
            try playback.write(ramp(from: 0, count: 4_800))
            try capture.start()
            try playback.drain()
            #expect(try difference(read(4_800, from: capture), air.frames(0..<4_800)) == nil)
            #expect(integers(try test.recording()) == ramp(from: 0, count: 4_800))
            #expect(throws: ALSAError(code: EBUSY)) { _ = try test.open(SND_PCM_STREAM_CAPTURE) }
        }

        @Test func aCardWithoutSourceHasNoCaptureSide() throws {
            let test = try TestCard()
            #expect(throws: ALSAError(code: ENOENT)) { _ = try test.open(SND_PCM_STREAM_CAPTURE) }
        }
    }
}
