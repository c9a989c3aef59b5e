import AudioCore
import ProgrammeJSON
import Songs
import Testing
import TuttiRuntime

@testable import tutti

/// What `--json` writes.
@Suite(.timeLimit(.minutes(5))) struct JSONTests {
    private func line(_ event: RuntimeEvent, level: DisplayFlags.Level = .normal) -> String? {
        var view = JSONView(level: level)
        return view.value(for: .runtime(event), unixSeconds: 1_700_000_000.25)?.text
    }

    @Test func notice() {
        #expect(
            line(.notice(.song(.title("it's \"late\""))))
                == #"{"event":"notice","unixSeconds":1700000000.250,"severity":"info","message":"on the air: it's \"late\""}"#
        )
        var view = JSONView(level: .quiet)
        #expect(
            view.value(for: .warning("w"), unixSeconds: 1)?.text
                == #"{"event":"notice","unixSeconds":1.000,"severity":"warning","message":"w"}"#)
    }

    @Test func levelsFilter() {
        #expect(line(.notice(Sample.detail)) == nil)
        #expect(line(.notice(Sample.detail), level: .verbose) != nil)
        #expect(line(.notice(Sample.info), level: .quiet) == nil)
        #expect(line(.notice(Sample.warning), level: .quiet) != nil)
        #expect(line(Sample.broadcast(listeners: []), level: .quiet) == nil)
    }

    private let listener = """
        {"name":"Kitchen","state":"playing","bufferedSeconds":9.840,"lowWaterSeconds":1.940,\
        "timing":{"errorMicroseconds":3.0,"errorBoundMicroseconds":12.0,"asymmetryLimitMicroseconds":50.0,"roundTripMicroseconds":180.0,\
        "clockPPM":12.340,"devicePPM":-34.060,"correctionPPM":46.400},"xruns":2,"underruns":0,"replacements":1,\
        "timelineSteps":0,"deviceClockSteps":0,"deviceRestarts":1,"lostPackets":0,"sentPCM":false,\
        "volume":null,"muted":null,"role":null,"offsetMicroseconds":null,"highestVolume":null,"quietHoursUntil":null}
        """
    private let song = """
        {"title":"Pavane","artist":"Fauré","format":"MP3 44.1 kHz stereo 128 kbit/s","elapsedSeconds":83.000,\
        "totalSeconds":225.000}
        """

    @Test func broadcast() {
        let event = Sample.broadcast(
            .waiting(ready: 1, wanted: 2), listeners: [Sample.listener("Kitchen", counters: Sample.troubled)])
        #expect(
            line(event) == """
                {"event":"broadcast","unixSeconds":1700000000.250,"name":"Den","state":"waiting","readyListeners":1,\
                "wantedListeners":2,"song":\(song),"next":null,"listeners":[\(listener)],"refusedConnections":0,\
                "worstPair":null,"volume":null,"muted":null}
                """)
    }

    @Test func anIdleBroadcastHasNoSong() {
        let text = line(Sample.broadcast(.idle, song: nil, listeners: []))
        #expect(text?.contains(#""state":"idle","readyListeners":null,"wantedListeners":null,"song":null,"#) == true)
    }

    @Test func worstPair() {
        let event = Sample.broadcast(listeners: [Sample.listener("A"), Sample.listener("B")])
        #expect(
            line(event)?.contains(#""worstPair":{"first":"A","second":"B","distanceMicroseconds":24.0},"#) == true)
    }

    @Test func loudspeakers() {
        var listener = Sample.listener("Kitchen")
        listener.loudspeakers = LoudspeakerSettings(
            volume: Volume(percent: 40), isMuted: true, role: .channel(3), offset: .microseconds(-1_500))
        #expect(
            line(.listening(listener, song: nil, broadcaster: nil))?.hasSuffix(
                #""volume":40,"muted":true,"role":"3","offsetMicroseconds":-1500.0,"highestVolume":null,"#
                    + #""quietHoursUntil":null}}"#) == true)
        listener.ceiling = VolumeCeiling(Volume(percent: 50))
        #expect(
            line(.listening(listener, song: nil, broadcaster: nil))?.hasSuffix(
                #""highestVolume":50,"quietHoursUntil":null}}"#) == true)
        listener.ceiling = VolumeCeiling(.silent, hours: .quiet(until: MinuteOfDay(hour: 7, minute: 5)))
        #expect(
            line(.listening(listener, song: nil, broadcaster: nil))?.hasSuffix(
                #""highestVolume":0,"quietHoursUntil":"07:05"}}"#) == true)
        var status = BroadcastStatus(name: "Den", state: .playing, song: Sample.song, listeners: [])
        status.loudspeakers = LoudspeakerSettings(volume: Volume(percent: 5))
        #expect(line(.broadcast(status))?.hasSuffix(#""volume":5,"muted":false}"#) == true)
        let player = PlayStatus(state: .playing, song: Sample.song, volume: Volume(percent: 35), isMuted: true)
        #expect(line(.playing(player))?.contains(#""volume":35,"muted":true,"#) == true)
    }

    @Test func listening() {
        var status = Sample.listener("Kitchen", counters: Sample.troubled)
        status.next = "Vexations"
        #expect(
            line(.listening(status, song: Sample.song, broadcaster: "Den")) == """
                {"event":"listening","unixSeconds":1700000000.250,"broadcaster":"Den","song":\(song),"next":"Vexations",\
                "listener":\(listener)}
                """)
    }

    @Test func waitingListenerHasNulls() {
        let text = line(.listening(Sample.listener("K", .connecting, timing: nil), song: nil, broadcaster: nil))
        #expect(text?.contains(#""broadcaster":null,"song":null"#) == true)
        #expect(text?.contains(#""timing":null"#) == true)
    }

    @Test func aRepeatedStatusIsLeftOut() {
        var view = JSONView(level: .normal)
        let waiting = DisplayEvent.runtime(
            .listening(Sample.listener("K", .connecting), song: nil, broadcaster: nil))
        #expect(view.value(for: waiting, unixSeconds: 1) != nil)
        #expect(view.value(for: waiting, unixSeconds: 2) == nil)
        #expect(view.value(for: .runtime(.notice(Sample.info)), unixSeconds: 3) != nil)
        #expect(view.value(for: waiting, unixSeconds: 4) == nil)
        let other = DisplayEvent.runtime(
            .listening(Sample.listener("K", .preparing), song: nil, broadcaster: "Den"))
        #expect(view.value(for: other, unixSeconds: 5) != nil)
    }

    @Test func end() {
        let failure = SessionResult.failed(RuntimeFailure(SongFailure(.missing, "no such file")))
        #expect(
            JSONView(level: .quiet).end(failure, exitCode: 66, unixSeconds: 1).text
                == #"{"event":"end","unixSeconds":1.000,"outcome":"failed","exitCode":66,"message":"no such file"}"#)
    }
}
