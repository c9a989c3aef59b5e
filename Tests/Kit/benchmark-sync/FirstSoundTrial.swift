import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A broadcast that runs, beside which a second listener is started again and again; and broadcasts that begin where a
/// listener waits.
struct FirstSoundTrial {
    let song: SongFile
    let program: String
    /// How often for each way of finding the broadcaster.
    let count: Int

    /// How long each listener is listened to, in seconds.
    static let patience = 2.0
    /// What a trial takes of the song, in seconds, at most.
    static let secondsPerTrial = 2.8

    func run(by type: any MeasuredPlayer.Type) throws -> FirstSounds {
        let testbed = try Testbed(program: program)
        let player = try type.init(testbed: testbed, song: song)
        do {
            let steady = try player.listen(on: 1, findsByName: true, card: nil)
            Testbed.letAnnouncementsPass()
            try player.play(to: 1)
            // The trials come into a song that has long been under way.
            usleep(4_000_000)
            let result = FirstSounds(
                player: type.name,
                ways: [
                    .init(
                        name: "a listener, by address", limit: 0.15,
                        times: try (0..<count).map { try time(player, at: testbed, findsByName: false, trial: $0) }),
                    .init(
                        name: "a listener, by mDNS", limit: 0.25,
                        times: try (0..<count).map {
                            try time(player, at: testbed, findsByName: true, trial: count + $0)
                        }
                    ),
                ])
            guard steady.isRunning else { throw LANError.commandFailed("the song is too short") }
            return result
        } catch {
            complain("\(error)\n\(player.account)")
            throw error
        }
    }

    /// Of Tutti: where a listener waits, a broadcast is started.
    func begin() throws -> [FirstSounds.Way] {
        let testbed = try Testbed(program: program)
        return [
            FirstSounds.Way(
                name: "a broadcast, by address", limit: 0.3,
                times: try (0..<count).map { try begin(at: testbed, findsByName: false, trial: $0) }),
            FirstSounds.Way(
                name: "a broadcast, by mDNS", limit: 0.4,
                times: try (0..<count).map { try begin(at: testbed, findsByName: true, trial: count + $0) }),
        ]
    }

    private func begin(at testbed: Testbed, findsByName: Bool, trial: Int) throws -> Double {
        var card = testbed.cards[1]
        card.recording = testbed.lan.path("begin\(trial).wav")
        let listener = try testbed.lan[1].spawn([program, "join", "--once"], card: card)
        Testbed.letAnnouncementsPass()
        let began = trueNow()
        let place = findsByName ? [] : ["--listener", testbed.lan[1].address]
        let broadcast = try testbed.lan[0].spawn([program, "broadcast", song.path] + place)
        usleep(UInt32(Self.patience * 1e6))
        for process in [broadcast, listener] {
            process.signal(SIGINT)
            try process.wait(within: 5)
        }
        return try secondsUntilSound(card.recording, since: began)
    }

    private func secondsUntilSound(_ path: String, since began: Int64) throws -> Double {
        guard let first = try HeardRecording(path: path).firstAudibleTime() else {
            throw LANError.timedOut("first sound in \(path)")
        }
        return (first - Double(began)) * 1e-9
    }

    private func time(
        _ player: any MeasuredPlayer, at testbed: Testbed, findsByName: Bool, trial: Int
    ) throws -> Double {
        var card = testbed.cards[2]
        card.recording = testbed.lan.path("trial\(trial).wav")
        let began = trueNow()
        let listener = try player.listen(on: 2, findsByName: findsByName, card: card)
        // Each trial takes as long, whoever is tried: its recording tells when it began to sound.
        usleep(UInt32(Self.patience * 1e6))
        listener.signal(SIGINT)
        try listener.wait(within: 5)
        return try secondsUntilSound(card.recording, since: began)
    }
}
