import Glibc
import SoundCardKit
import StreamTestKit
import Testing

/// `tutti devices`, by a real process with an ALSA of its own.
@Suite(.timeLimit(.minutes(5))) struct DeviceListTests {
    /// Formats and rates of a card, which prints when it is opened, and of a plugin in front of it; one that is in use;
    /// one that never opens. One that is not there, and one whose server does not run, are not listed; nothing else is
    /// printed.
    @Test func devicesAreListedWithWhatTheyTake() throws {
        let directory = TemporaryDirectory()
        var card = SoftwareCard(recording: directory.path + "/heard.wav")
        card.formats = ["S16_LE", "S32_LE"]
        card.rates = [44_100, 96_000]
        card.channels = 1...4
        try card.setFaults([.chatter])
        let busy = SoftwareCard(recording: directory.path + "/busy.wav")
        try busy.setFaults([.busy])
        let path = directory.path + "/asound.conf"
        try SoftwareCard.writeConfiguration(to: path, default: card)
        let more = """
            pcm.converted { type plug slave.pcm card hint { show on } }
            pcm.used { type plug slave.pcm "\(busy.deviceName)" hint { show on } }
            pcm.absent { type hw card 97 hint { show on description "Not here" } }
            pcm.served { type shm server nobody slave.pcm card hint { show on } }
            server.nobody { host localhost socket "\(directory.path)/socket" }
            pcm.stuck { type file slave.pcm null file /dev/null infile "\(directory.path)/fifo" hint { show on } }

            """
        try Tool.writeFile(path, try Tool.readFile(path) + Array(more.utf8))
        mkfifo(directory.path + "/fifo", 0o600)
        try TuttiProcess.run(
            "export ALSA_CONFIG_PATH=\"$PWD/asound.conf\"; tutti devices --json > list; tutti devices > table 2> errors",
            in: directory)

        let text = String(decoding: try Tool.readFile(directory.path + "/list"), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        func line(_ name: String, _ direction: String) -> String {
            lines.first { $0.hasPrefix("{\"name\":\"\(name)\",\"direction\":\"\(direction)\"") } ?? ""
        }
        let takes = """
            "sampleFormats":["32-bit","16-bit"],"lowestRateHertz":44100,"highestRateHertz":96000,"fewestChannels":1,\
            "mostChannels":4,"trouble":null}
            """
        #expect(line("card", "playback").hasSuffix(takes), "\(text)")
        let rates = "\"lowestRateHertz\":44100,\"highestRateHertz\":96000"
        #expect(line("converted", "playback").contains(rates), "\(text)")
        #expect(line("used", "playback").hasSuffix("\"trouble\":\"in use by another program\"}"), "\(text)")
        for name in ["absent", "served"] {
            #expect(line(name, "playback") == "" && line(name, "capture") == "", "\(text)")
        }
        #expect(line("card", "capture") == "", "\(text)")
        #expect(line("stuck", "playback").hasSuffix("\"trouble\":null}"), "\(text)")
        #expect(line("stuck", "capture").contains("it does not answer"), "\(text)")

        #expect(lines.allSatisfy { $0.hasPrefix("{\"name\":") }, "\(text)")

        let table = String(decoding: try Tool.readFile(directory.path + "/table"), as: UTF8.self)
        #expect(table.contains("plays    32-bit/16-bit, 44.1-96.0 kHz, 4 channels"), "\(table)")
        #expect(table.split(separator: "\n").count == lines.count + 1, "\(table)")
        #expect(try Tool.readFile(directory.path + "/errors").isEmpty)
    }
}
