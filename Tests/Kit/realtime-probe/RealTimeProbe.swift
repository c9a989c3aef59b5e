import ALSADevices
import AudioCore
import AudioDecoding
import AudioQueueServices
import Glibc
import HostSystem
import Playout
import SoundCardKit

/// A process that plays on a software sound card as eventfully as it can, to be watched by ThreadWatch.
///
///     realtime-probe DIRECTORY SECONDS [--plant allocation|retain]
///     realtime-probe DIRECTORY SECONDS --capture
///
/// Scenes of some seconds follow each other, each an epoch of its own, until the time is up; see ``Scene``. Behind each
/// of them comes a ``Succession`` of epochs. At the end it says how often everything happened, a line each. With
/// `--plant` the real-time thread is made to sin once. With `--capture` it captures instead; see ``CaptureScenes``.
@main
enum RealTimeProbe {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let seconds = Double(arguments[2]) else { exit(EX_USAGE) }
        let directory = arguments[1]
        if arguments.count == 5 { try PlantedViolation(arguments[4]).install() }

        let configuration = directory + "/asound.conf"
        try SoftwareCard.writeConfiguration(to: configuration, default: nil)
        setenv("ALSA_CONFIG_PATH", configuration, 1)
        if arguments.last == "--capture" { return try CaptureScenes(directory: directory).play(seconds: seconds) }
        let card = SoftwareCard(recording: directory + "/heard.wav")
        let tally = Tally()
        let queue = try TimelineQueue(output: try ALSAOutput(deviceName: card.deviceName), decoders: .builtIn) {
            tally.note($0)
        }
        let end = HostTime.now() + TimeSpan(seconds: seconds)
        var number: UInt32 = 0
        while HostTime.now() < end {
            number += 1
            try Scene(number: number, queue: queue, card: card).play()
            Succession(number: number, queue: queue).play()
        }
        queue.close()
        print("scenes \(number)")
        print("starts \(Int(number) * (1 + Succession.startCount))")
        for line in tally.lines { print(line) }
    }
}
