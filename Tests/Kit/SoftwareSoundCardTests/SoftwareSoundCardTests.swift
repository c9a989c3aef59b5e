import CALSA
import Glibc
import HeardAnalysis
import SoundCardKit
import Testing

/// Stereo frames whose samples tell their place: left counts up, right counts down.
func ramp(from first: Int, count: Int) -> [Int16] {
    (first..<first + count).flatMap {
        [Int16(truncatingIfNeeded: $0 % 30_000), -Int16(truncatingIfNeeded: $0 % 30_000)]
    }
}

/// How many bursts of 5 ms a card fetches or delivers in a span of true time, and those at its ends.
func burstCount(from start: Int64?, to end: Int64?) -> Int { Int(((end ?? 0) - (start ?? 0)) / 5_000_000) + 2 }

func integers(_ recording: HeardRecording) -> [Int16] { recording.samples.map { Int16($0 * 32_768) } }

// The card itself lives in real time, so these wait for sound; what they check is exact and needs no tolerance.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SoftwareSoundCardTests {
    /// The sign test of the whole project: what was written, less the reported delay, is what the recording says was
    /// heard at that instant.
    @Test(arguments: [0, 40, -770.5]) func reportedDelayAgreesWithTheRecording(ppm: Double) throws {
        let test = try TestCard { $0.ppm = ppm }
        let pcm = try test.open()
        try pcm.configure()
        var looks: [(heard: Int, from: Int64, to: Int64)] = []
        var written = 0
        while written < 24_000 {
            // The first are to last until the second are there, whoever takes the processor away.
            written += try pcm.write(ramp(from: written, count: written == 0 ? 9_600 : 4_800))
            try pcm.start()
            for _ in 0..<40 {
                let status = try pcm.status()
                looks.append((written - status.delay, status.from, status.to))
                // Looks all over the time that it plays.
                usleep(700)
            }
        }
        try pcm.drain()
        let recording = try test.recording()
        #expect(integers(recording) == ramp(from: 0, count: written))
        let segment = try #require(recording.segments.first)
        #expect(recording.segments.count == 1)
        #expect(abs(segment.framesPerSecond - 48_000 * (1 + ppm * 1e-6)) < 1e-6)
        for look in looks {
            let times = [look.from, look.to].map { Double($0 - segment.host.nanoseconds) * 1e-9 }
            let bounds = times.map { $0 * segment.framesPerSecond }
            #expect(Double(look.heard) >= bounds[0] - 1.01 && Double(look.heard) <= bounds[1] + 0.01)
        }
    }

    @Test(arguments: [0, 40, -35] as [Double]) func coarseDelayMovesOnceABurstAndNeverRunsAhead(ppm: Double) throws {
        let test = try TestCard {
            $0.isCoarse = true
            $0.ppm = ppm
        }
        let pcm = try test.open()
        try pcm.configure()
        let written = try pcm.write(ramp(from: 0, count: 24_000))
        try pcm.start()
        var looks: [(heard: Int, from: Int64, to: Int64)] = []
        let end = trueNow() + 100_000_000
        while trueNow() < end {
            let status = try pcm.status()
            looks.append((written - status.delay, status.from, status.to))
            // Several looks a burst.
            usleep(700)
        }
        try pcm.drop()
        let segment = try #require(try test.recording().segments.first)
        #expect(Set(looks.map { $0.heard }).count <= burstCount(from: looks.first?.from, to: looks.last?.to))
        for look in looks {
            #expect((look.heard + 48) % 240 == 0)
            let latest = Double(look.to - segment.host.nanoseconds) * 1e-9 * segment.framesPerSecond
            let earliest = Double(look.from - segment.host.nanoseconds) * 1e-9 * segment.framesPerSecond - 240
            #expect(Double(look.heard) <= latest + 0.01 && Double(look.heard) >= earliest - 1.01)
        }
    }

    static let formats: [snd_pcm_format_t] = [
        SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S32_LE,
        SND_PCM_FORMAT_FLOAT_LE,
    ]

    @Test(arguments: formats.indices, [(UInt32(44_100), 1), (48_000, 2), (96_000, 8)])
    func whatIsWrittenIsHeard(formatIndex: Int, layout: (rate: UInt32, channels: Int)) throws {
        let format = Self.formats[formatIndex]
        let width = Int(snd_pcm_format_physical_width(format)) / 8
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure(format, rate: layout.rate, channels: layout.channels)
        let frames = Int(layout.rate) / 20
        var bytes = [UInt8](repeating: 0, count: frames * layout.channels * width)
        var expected: [Float] = []
        for index in 0..<frames * layout.channels {
            // 16-bit values in every format, so that one comparison is exact for all.
            let value = Int32(truncatingIfNeeded: index * 7 % 65_536) - 32_768
            expected.append(Float(value) / 32_768)
            let word: UInt32 =
                switch width {
                case 2: UInt32(bitPattern: value)
                case 3: UInt32(bitPattern: value << 8)
                case _ where format == SND_PCM_FORMAT_S24_LE: UInt32(bitPattern: value << 8)
                case _ where format == SND_PCM_FORMAT_FLOAT_LE: (Float(value) / 32_768).bitPattern
                default: UInt32(bitPattern: value << 16)
                }
            for byte in 0..<width { bytes[index * width + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte)) }
        }
        try pcm.write(bytes: bytes, frameByteCount: width * layout.channels)
        try pcm.drain()
        let recording = try test.recording()
        #expect(recording.samples == expected)
        #expect(recording.sampleRate == Double(layout.rate))
        #expect(recording.channels == layout.channels)
    }

    @Test func whatWasNotFetchedCanBeTakenBack() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        #expect(try pcm.rewind(6_000) == 6_000)
        try pcm.write(ramp(from: 20_000, count: 6_000))
        try pcm.drain()
        #expect(
            integers(try test.recording()) == ramp(from: 0, count: 6_000) + ramp(from: 20_000, count: 6_000))
    }

    /// Nothing tells it but the delay.
    @Test func whatIsKeptIsHeardThoughItWasTakenBack() throws {
        let test = try TestCard { $0.rewinds = .ignored }
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        let before = try pcm.delay()
        #expect(try pcm.rewindable() > 6_000)
        #expect(try pcm.rewind(6_000) == 6_000)
        #expect(try pcm.delay() > before - 3_000)
        try pcm.write(ramp(from: 20_000, count: 6_000))
        try pcm.drain()
        #expect(
            integers(try test.recording()) == ramp(from: 0, count: 12_000) + ramp(from: 20_000, count: 6_000))
    }

    @Test func aCardThatRefusesRewindsPlaysAsOthers() throws {
        let test = try TestCard { $0.rewinds = .refused }
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        #expect(try pcm.rewindable() == 0)
        #expect(try pcm.rewind(6_000) == 0)
        try pcm.write(ramp(from: 12_000, count: 6_000))
        try pcm.drain()
        #expect(integers(try test.recording()).starts(with: ramp(from: 0, count: 18_000)))
    }

    @Test func lackOfDataIsAnXrunAndANewRunIsANewSegment() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 1_000))
        try pcm.start()
        #expect(throws: ALSAError(code: EPIPE)) { while true { _ = try pcm.wait(milliseconds: 100) } }
        #expect(throws: ALSAError(code: EPIPE)) { try pcm.write(ramp(from: 0, count: 10)) }
        try pcm.prepare()
        try pcm.write(ramp(from: 5_000, count: 1_000))
        try pcm.drain()
        let recording = try test.recording()
        #expect(integers(recording) == ramp(from: 0, count: 1_000) + ramp(from: 5_000, count: 1_000))
        #expect(recording.segments.map(\.firstFrame) == [0, 1_000])
        #expect(recording.events.map(\.name) == ["xrun"])
        let silence = recording.segments[1].host.nanoseconds - recording.segments[0].host.nanoseconds
        // However soon the new run was asked for, what was fetched is heard out first.
        #expect(silence >= 1_000_000_000 * 1_000 / 48_000)
    }

    @Test func waitingEndsWhenThereIsRoom() throws {
        let test = try TestCard()
        let pcm = try test.open()
        // Long enough that it does not run dry where this thread has to wait for a processor.
        try pcm.configure(buffer: 400_000)
        try pcm.write(ramp(from: 0, count: try pcm.avail()))
        try pcm.start()
        for _ in 0..<10 {
            #expect(try pcm.wait())
            let room = try pcm.avail()
            #expect(room > 0)
            try pcm.write(ramp(from: 0, count: room))
        }
    }

    @Test func droppingCutsWhatWasNotHeard() throws {
        let test = try TestCard { $0.latencyMicroseconds = 20_000 }
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        while try pcm.delay() > 10_000 { usleep(1_000) }
        let before = trueNow()
        try pcm.drop()
        let after = trueNow()
        let recording = try test.recording()
        let segment = try #require(recording.segments.first)
        let bounds = [before, after].map { Double($0 - segment.host.nanoseconds) * 1e-9 * segment.framesPerSecond }
        #expect(Double(recording.frameCount) >= bounds[0] - 1 && Double(recording.frameCount) <= bounds[1])
        #expect(integers(recording) == ramp(from: 0, count: recording.frameCount))
    }

    @Test func pausingLosesNothing() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        while try pcm.delay() > 9_000 { usleep(1_000) }
        try pcm.pause(true)
        #expect(pcm.state == SND_PCM_STATE_PAUSED)
        // Time passes, and the card does not go on with it.
        usleep(30_000)
        let delay = try pcm.delay()
        usleep(10_000)
        #expect(try pcm.delay() == delay)
        try pcm.pause(false)
        try pcm.drain()
        let recording = try test.recording()
        #expect(integers(recording) == ramp(from: 0, count: 12_000))
        #expect(recording.segments.count == 2)
        #expect(Int(recording.segments[1].firstFrame) == 12_000 - delay)
    }

    @Test func aCardIsOpenedByOne() throws {
        let test = try TestCard()
        let pcm = try test.open()
        #expect(throws: ALSAError(code: EBUSY)) { _ = try test.open() }
        _ = pcm
    }

    @Test func aBusyCardIsRefused() throws {
        let test = try TestCard()
        try test.card.setFaults([.busy])
        #expect(throws: ALSAError(code: EBUSY)) { _ = try test.open() }
        try test.card.setFaults([])
        _ = try test.open()
    }

    @Test func anUnpluggedCardIsGone() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 24_000))
        try pcm.start()
        try test.card.setFaults([.goneAt(trueNow() + 50_000_000)])
        #expect(throws: ALSAError(code: ENODEV)) {
            while true { try pcm.write(ramp(from: 0, count: 480)) }
        }
        #expect(throws: ALSAError(code: ENODEV)) { try pcm.prepare() }
        #expect(pcm.state == SND_PCM_STATE_DISCONNECTED)
        #expect(throws: ALSAError.self) { _ = try test.open() }
        #expect(try test.recording().events.map(\.name) == ["vanished"])
    }

    @Test func anXrunCanBeAskedFor() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        let at = trueNow() + 60_000_000
        try test.card.setFaults([.xrunAt(at)])
        try pcm.write(ramp(from: 0, count: 24_000))
        try pcm.start()
        #expect(throws: ALSAError(code: EPIPE)) { while true { try pcm.write(ramp(from: 0, count: 480)) } }
        try pcm.prepare()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.drain()
        let recording = try test.recording()
        #expect(recording.events.map(\.name) == ["xrun"])
        #expect(recording.events.first?.host.nanoseconds == at)
        #expect(recording.segments.count == 2)
    }

    @Test func aCardThatStandsStillSaysThatItRuns() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        let at = trueNow() + 60_000_000
        try test.card.setFaults([.stallAt(at)])
        try pcm.write(ramp(from: 0, count: 24_000))
        try pcm.start()
        while trueNow() < at + 20_000_000 { usleep(1_000) }
        let delay = try pcm.delay()
        #expect(delay > 12_000)
        let room = try pcm.avail()
        if room > 0 { try pcm.write(ramp(from: 0, count: room)) }
        #expect(try !pcm.wait(milliseconds: 50))
        #expect(try pcm.delay() == delay + room)
        #expect(pcm.state == SND_PCM_STATE_RUNNING)
        try pcm.drop()
        let silent = try test.recording()
        #expect(integers(silent) == ramp(from: 0, count: silent.frameCount))
        // Of a frame that goes by, the delay counts all or nothing.
        #expect(abs(silent.frameCount - (24_000 - delay)) <= 1)
        // Prepared anew it goes on.
        try pcm.prepare()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.drain()
        let recording = try test.recording()
        #expect(recording.frameCount == silent.frameCount + 12_000)
        #expect(recording.events.map(\.name) == ["stalled"])
    }

    @Test func aRecordingIsReadableWhileItGrows() throws {
        let test = try TestCard()
        let pcm = try test.open()
        try pcm.configure()
        try pcm.write(ramp(from: 0, count: 12_000))
        try pcm.start()
        while try pcm.delay() > 6_000 { usleep(1_000) }
        // The header of an unfinished file claims the largest length there is; a killed writer leaves the same.
        let recording = try test.recording()
        #expect(recording.frameCount > 5_000)
        #expect(integers(recording) == ramp(from: 0, count: recording.frameCount))
    }
}
