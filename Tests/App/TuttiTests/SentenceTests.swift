import AudioCore
import AudioDecoding
import AudioFileWriting
import Peering
import Playout
import Songs
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// What people read: one line for each notice, word for word.
@Suite(.timeLimit(.minutes(5))) struct SentenceTests {
    private static let theNetwork: [(notice: NetworkNotice, sentence: String)] = [
        (.listening(tcpPort: 7_447, clockPort: nil), "listening on TCP port 7447"),
        (.listening(tcpPort: 7_447, clockPort: 7_448), "listening on TCP port 7447, clock on UDP port 7448"),
        (.portInUse(7_447, instead: 40_001), "port 7447 is in use by another program; this listens on port 40001"),
        (.nameTaken("Den", instead: "Den #2"), "the name 'Den' is taken on this network: using 'Den #2'"),
        (.mDNSAvailable, "mDNS is available"),
        (
            .mDNSUnavailable(.noDaemon),
            "no mDNS: avahi-daemon is not running; install and start it, or connect by address"
        ),
        (.notAdvertised(reason: "too long"), "mDNS rejected our name: too long"),
        (
            .pageNotAdvertised(reason: "too many"),
            "mDNS rejected the page for browsers: too many; browsers reach it by its address"
        ),
    ]

    @Test(arguments: theNetwork.indices) func ofTheNetwork(index: Int) {
        let (notice, sentence) = Self.theNetwork[index]
        #expect(RuntimeNotice.network(notice).sentence == sentence)
    }

    private static let theDevice: [(notice: DeviceNotice, sentence: String)] = [
        (.xrun(isPlacedAnew: true), "the sound card ran out of frames (xrun): placing the sound again"),
        (.xrun(isPlacedAnew: false), "the sound card ran out of frames (xrun)"),
        (
            .placedAnew(.deviceClockStep, error: .microseconds(-812)),
            "placed again (the sound card's clock moved): was -812 us off"
        ),
        (.placedAnew(.timelineStep, error: .zero), "placed again (the timeline moved): was 0 us off"),
        (.placedAnew(.deviceRestart, error: .zero), "placed again (the sound card restarted): was 0 us off"),
        (.placedAnew(.underrun, error: .zero), "placed again (packets were late): was 0 us off"),
        (.packetsLate, "packets are late: silent until there are enough again"),
        (
            .vanished(.lost(device: "hw:1")),
            "sound device 'hw:1' is gone; connect it again, or choose another (`tutti devices`)"
        ),
        (.returned(name: "hw:1"), "sound device 'hw:1' is there: playing on it"),
        (.framesLost(count: 480, .overrun), "the device lost 480 frames: replaced by silence"),
        (.framesLost(count: 480, .noBuffer), "this machine is too slow: 480 frames are silence"),
        (.remark("no time stamps"), "no time stamps"),
    ]

    @Test(arguments: theDevice.indices) func ofTheDevice(index: Int) {
        let (notice, sentence) = Self.theDevice[index]
        #expect(RuntimeNotice.device(notice).sentence == sentence)
    }

    private static let volumeLimits: [(notice: VolumeLimitNotice, sentence: String)] = [
        (
            .quietHours(until: MinuteOfDay(hour: 7, minute: 0), highest: Volume(percent: 20)),
            "quiet hours until 07:00: at most 20 %"
        ),
        (.quietHours(until: nil, highest: .silent), "quiet hours: silent"),
        (.quietHoursOver(highest: .full), "quiet hours are over"),
        (.quietHoursOver(highest: Volume(percent: 60)), "quiet hours are over: at most 60 %"),
    ]

    @Test(arguments: volumeLimits.indices) func ofVolumeLimits(index: Int) {
        let (notice, sentence) = Self.volumeLimits[index]
        #expect(RuntimeNotice.volumeLimit(notice).sentence == sentence)
    }

    private static let songs: [(notice: SongNotice, sentence: String)] = [
        (.title("Pavane"), "on the air: Pavane"),
        (.listProblem("'a.m3u' names itself"), "'a.m3u' names itself"),
        (.cutShort(SongFailure(.lost, "'a.mp3' broke off")), "'a.mp3' broke off"),
        (.notSeekable(SongFailure(.unusable, "a pipe cannot go back")), "a pipe cannot go back"),
        (.tooSlow(name: "-"), "standard input is too slow: silent until enough is buffered"),
        (
            .tooSlow(name: "http://me:secret@host/a"),
            "'http://host/a' is too slow: silent until enough is buffered"
        ),
        (.tooSlow(name: "a.mp3"), "'a.mp3' is too slow: silent until enough is buffered"),
        (
            .undecodable(.unsupportedFormat("5 channels")),
            "this song cannot be played here: cannot be decoded: 5 channels"
        ),
        (
            .decodingFailed(.formatChanged),
            "the rest of this song cannot be played: the stream changed its format on the way"
        ),
        (.remark(.info, "waiting for a writer of 'pipe'"), "waiting for a writer of 'pipe'"),
    ]

    @Test(arguments: songs.indices) func ofSongs(index: Int) {
        let (notice, sentence) = Self.songs[index]
        #expect(RuntimeNotice.song(notice).sentence == sentence)
    }

    private static let memory: [(notice: MemoryNotice, sentence: String)] = [
        (.clockRate(PartsPerMillion(12.54)), "the broadcaster's clock ran at 12.5 ppm last time"),
        (.cardRate(PartsPerMillion(-34), device: "hw:1"), "'hw:1' ran at -34.0 ppm last time"),
        (
            .offset(.microseconds(-35_000), device: "hw:1"),
            "offset -35000 us, remembered for 'hw:1'; --offset 0 forgets it"
        ),
        (.offsetForgotten(device: "hw:1"), "the offset of 'hw:1' is forgotten"),
        (.notKept(MemoryFailure("cannot write")), "cannot write: nothing is remembered for the next time"),
        (
            .damaged(MemoryDamage(path: "/s/memory")),
            "/s/memory is damaged: the volume, role and offset of a device may have to be set again"
        ),
        (
            .damaged(MemoryDamage(path: "/s/memory", keptAs: "/s/memory.damaged")),
            "/s/memory was damaged and is now /s/memory.damaged: the volume, role and offset of a device may have to "
                + "be set again"
        ),
        (
            .unreadable(MemoryFailure("cannot read /s/memory")),
            "cannot read /s/memory: what was remembered of volumes, roles and offsets is not used this time"
        ),
        (.pins(MemoryFailure("cannot read")), "cannot read"),
    ]

    @Test(arguments: memory.indices) func ofMemory(index: Int) {
        let (notice, sentence) = Self.memory[index]
        #expect(RuntimeNotice.memory(notice).sentence == sentence)
    }

    private static let capture = AudioStreamFormat.linearPCM(
        sampleRate: 48_000, channels: 2, bitsPerChannel: 24, bytesPerSample: 3, layout: .signedInteger)

    private static let recordings: [(notice: RecordingNotice, sentence: String)] = [
        (.began(device: "hw:1", capture), "recording 'hw:1', 48000 Hz, 2 channels, 24-bit; Ctrl-C ends"),
        (
            .framesLost(at: 96_000, count: 480, .overrun),
            "the device lost 480 frames from frame 96000 on: replaced by silence"
        ),
        (
            .framesLost(at: 96_000, count: 480, .noBuffer),
            "the disk is too slow: 480 frames from frame 96000 on are silence"
        ),
        (.nothingRecorded, "nothing was recorded"),
        (
            .recorded(.milliseconds(12_340), frameCount: 592_320, paths: ["a.wav"], firstFrame: .zero),
            "recorded 12.3 s (592320 frames) into 'a.wav'"
        ),
        (
            .recorded(.seconds(2), frameCount: 96_000, paths: ["a.wav", "a-2.wav"], firstFrame: FramePosition(4_800)),
            "recorded 2.0 s (96000 frames) into 'a.wav', 'a-2.wav', from frame 4800 of the song on"
        ),
        (.framesMissing(count: 7), "7 frames are missing: replaced by silence"),
        (.packetsDamaged(count: 1), "1 damaged packet is silence"),
        (.packetsDamaged(count: 2), "2 damaged packets are silence"),
    ]

    @Test(arguments: recordings.indices) func ofRecordings(index: Int) {
        let (notice, sentence) = Self.recordings[index]
        #expect(RuntimeNotice.recording(notice).sentence == sentence)
    }

    private static let failures: [(reason: RuntimeFailure.Reason, sentence: String)] = [
        (.song(SongFailure(.missing, "'a' does not exist; check the path")), "'a' does not exist; check the path"),
        (
            .song(SongFailure(.noInput, "standard input is a terminal")),
            "standard input is a terminal; feed it a song: tutti broadcast - < song.mp3"
        ),
        (.noAudio(name: "-"), "standard input holds no audio"),
        (
            .undecodable(name: "a.mp3", .unsupportedFormat("it has 5 channels")),
            "'a.mp3' cannot be decoded: it has 5 channels"
        ),
        (
            .control(.notFound(others: ["Attic", "Den"]), .named("Attik")),
            "no broadcast named 'Attik' was found, and none at a host of that name; did you mean 'Attic'?"
        ),
        (
            .control(.notFound(others: []), .named("Living Room")),
            "no broadcast named 'Living Room' was found; there is none"
        ),
        (
            .control(.cannotSearch("avahi-daemon is not running"), .any),
            "nothing is broadcast or heard on this machine, and others cannot be looked for: avahi-daemon is not running; "
                + "--at HOST reaches one by its address"
        ),
        (.songsFailed(count: 2, of: 4), "2 of 4 songs could not be played"),
        (.sentSongGone, "a song that was sent is not kept any more: it was played, and made room for others"),
        (.output(.noDevice), "no sound card found; use --output null or --output file:OUT.wav, or see `tutti devices`"),
        (.output(.unknownDevice(name: "x")), "no sound device is called 'x'; see `tutti devices`"),
        (
            .queue(.device(.busy(device: "x"))),
            "sound device 'x' is in use by another program; stop that, or choose another (`tutti devices`)"
        ),
        (
            .output(.unsupportedConfiguration(device: "x", reason: "no 2 channels")),
            "sound device 'x' cannot be used: no 2 channels; try 'plug:x', or see `tutti devices`"
        ),
        (
            .output(.failed(device: "x", operation: "open", code: 5, reason: "I/O error")),
            "sound device 'x': cannot open: I/O error (5); see `tutti devices`"
        ),
        (.output(.cannotWrite(path: "a.wav", reason: "No space")), "cannot write 'a.wav': No space"),
        (.input(InputDeviceError(.noDevice)), "no sound card found that records; see `tutti devices`"),
        (
            .input(InputDeviceError(.unknownDevice(name: "x"))),
            "no sound device that records is called 'x'; see `tutti devices`"
        ),
        (
            .input(InputDeviceError(.standsStill(device: "x"))),
            "sound device 'x' stands still: it gives no more sound; connect it again, or choose another "
                + "(`tutti devices`)"
        ),
        (.inputAway, "the device was away for too long"),
        (.file(.exists(path: "a.wav")), "'a.wav' exists; --force replaces it"),
        (.recording(.skips(seconds: 90)), "the broadcast skips 90 s: the recording ends there"),
        (.portInUse(7), "port 7 is in use by another program; choose another with --port, or leave it out"),
        (.clockPortInUse(7), "UDP port 7 is in use; choose another with --port, or leave it out"),
        (.notListening(port: 7, "Permission denied"), "cannot listen on port 7: Permission denied"),
        (
            .noListener(names: ["A", "B"]),
            "nobody called A or B was found in 10 s; `tutti peers` lists who is there"
        ),
        (.listening(.broadcastFailed("Den", reason: "disk on fire")), "Den failed: disk on fire"),
        (.listening(.lost("Den")), "lost Den"),
        (.checkRefused(.broadcastsNothing("Den")), "Den broadcasts nothing"),
        (
            .checkRefused(.cannotBeObserved("Den")),
            "Den runs a Tutti that cannot be checked; install a newer one there"
        ),
        (.checkRefused(.refused(by: "Den", reason: "it is full")), "Den refuses: it is full"),
        (.checkRefused(.brokenProtocol("Den", .security(.preamble(.notTutti)))), "Den: \(PreambleError.notTutti)"),
        (.checkRefused(.brokenProtocol(nil, .security(.preamble(.notTutti)))), "it: \(PreambleError.notTutti)"),
        (.nobodyPlays(broadcaster: "Den"), "no listener plays Den's broadcast; start a listener with `tutti join`"),
        (.endedUnchecked, "the broadcast ended before anybody played: nothing was checked"),
        (.lostInCheck(broadcaster: "Den"), "lost Den in the middle of the check"),
        (
            .noAnswer(NetworkAddress(host: "10.0.0.1", port: 7)),
            "no broadcaster answered at 10.0.0.1:7 in 5 s; is `tutti broadcast` running there?"
        ),
        (
            .noBroadcast(names: []),
            "no broadcast was found in 5 s; `tutti peers` lists who is there, and `tutti check HOST` needs no mDNS"
        ),
        (
            .noBroadcast(names: ["A", "B"]),
            "no broadcast named A or B was found in 5 s; `tutti peers` lists who is there, and `tutti check HOST` "
                + "needs no mDNS"
        ),
        (.outOfResources(code: 11), "this machine has no thread or file descriptor left (11); end some programs"),
    ]

    @Test(arguments: failures.indices) func ofFailures(index: Int) {
        let (reason, sentence) = Self.failures[index]
        #expect(RuntimeFailure(.general, reason).sentence == sentence)
    }

    @Test func ofTheBroadcaster() {
        #expect(
            RuntimeNotice.slept(.milliseconds(61_290)).sentence
                == "this machine slept for 61.3 s: the song goes on where it was")
        let xrun = RuntimeNotice.ownLoudspeakers(name: "Den (here)", .device(.xrun(isPlacedAnew: true)))
        #expect(
            xrun.sentence == "Den (here): the sound card ran out of frames (xrun): placing the sound again"
                && xrun.level == .warning)
        let gone = RuntimeFailure(.unavailable, .output(.standsStill(device: "hw:1")))
        #expect(
            RuntimeNotice.ownLoudspeakersLost(gone).sentence
                == "sound device 'hw:1' stands still: it takes no more sound; connect it again, or choose another "
                + "(`tutti devices`); the listeners play on")
    }
}
