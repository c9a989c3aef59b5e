import Glibc
import HeardAnalysis
import LANKit

/// A PulseAudio of its own, with one sink of four channels that has no loudspeaker: `left` and `right` are ALSA's names
/// for its two pairs, by ALSA's plugin for PulseAudio, and what both emitted is recorded from the sink's monitor, on
/// one clock.
///
/// Each name is a stream of four channels of its own, of which an ALSA `route` fills two: the server adds them up. (Two
/// sinks that the server maps onto pairs of a third were tried: a mapped sink tells latencies that leap.) `route` wants
/// memory that it can write into, which the plugin lacks, so `mmap_emul` stands between.
final class SoundServer {
    /// Where `Scripts/test` unpacked the server.
    static let unpacked = getenv("TUTTI_SOUND_SERVER").map { String(cString: $0) }
    static let rate = 48_000.0

    /// What programs on the host need to reach it, and only it.
    let environment: [String: String]
    private let host: LANHost
    private let process: LANProcess
    private let socket: String
    private let root: String

    init(on host: LANHost, of lan: LAN) throws {
        guard let root = Self.unpacked else { throw LANError.commandFailed("there is no sound server") }
        (self.host, self.root) = (host, root)
        socket = lan.path("pulse.socket")
        let configuration = lan.path("alsa.conf")
        try Self.alsaConfiguration(root: root, socket: socket).write(to: configuration)
        let libraries = ["/libraries", "/libraries/pulseaudio", "/modules"].map { root + $0 }
        environment = [
            "ALSA_CONFIG_PATH": configuration, "LD_LIBRARY_PATH": libraries.joined(separator: ":"),
            "PULSE_SERVER": "unix:" + socket,
        ]
        let script = lan.path("server.pa")
        let channels = "channels=4 channel_map=front-left,front-right,rear-left,rear-right"
        try """
        load-module module-native-protocol-unix auth-anonymous=1 socket=\(socket)
        load-module module-null-sink sink_name=house format=float32le rate=48000 \(channels)

        """.write(to: script)
        process = try host.spawn(
            [
                root + "/usr/bin/pulseaudio", "-n", "-F", script, "-p", root + "/modules", "--daemonize=no",
                "--use-pid-file=no", "--exit-idle-time=-1", "--disable-shm=yes", "--log-level=info",
            ], environment: environment)
        try waitUntil("the sound server", within: 10) {
            guard process.isRunning else { throw LANError.commandFailed(process.errors) }
            return access(socket, F_OK) == 0
        }
    }

    /// Records the sink from now on.
    func record() throws -> LANProcess {
        let recorder = try host.spawn(
            [
                root + "/usr/bin/parec", "--device=house.monitor", "--raw", "--format=float32le", "--rate=48000",
                "--channels=4", "--channel-map=front-left,front-right,rear-left,rear-right",
            ], environment: environment)
        try waitUntil("a recording of the sound server", within: 10) {
            var status = stat()
            guard recorder.isRunning else { throw LANError.commandFailed(recorder.errors) }
            return stat(recorder.outputPath, &status) == 0 && status.st_size > 0
        }
        return recorder
    }

    /// What was heard of either pair.
    static func heard(by recorder: LANProcess) throws -> [HeardRecording] {
        recorder.signal(SIGTERM)
        try recorder.wait(within: 10)
        guard let file = fopen(recorder.outputPath, "re") else { throw LANError.system("open", errno) }
        defer { fclose(file) }
        var pairs: [[Float]] = [[], []]
        var block = [Float](repeating: 0, count: 4_096)
        while case let count = fread(&block, 16, block.count / 4, file), count > 0 {
            for frame in 0..<count { for pair in 0..<2 { pairs[pair] += block[(4 * frame + 2 * pair)...].prefix(2) } }
        }
        return pairs.map { HeardRecording(sampleRate: rate, channels: 2, samples: $0) }
    }

    /// What was wanted of it for each stream, in its words: the length of its buffer, and what it asks for at a time.
    var wantedLatencies: [Substring] {
        process.errors.split(separator: "\n").compactMap { line in
            line.firstRange(of: "Requested ").map { line[$0.upperBound...] }
        }
    }

    func stop() throws {
        process.signal(SIGTERM)
        try process.wait(within: 10)
    }

    private static func alsaConfiguration(root: String, socket: String) -> String {
        """
        </usr/share/alsa/alsa.conf>
        pcm_type.pulse { lib "\(root)/plugins/libasound_module_pcm_pulse.so" }
        pcm.house { type pulse server "unix:\(socket)" device house }
        pcm.writable { type mmap_emul slave.pcm house }
        pcm.left { type route slave { pcm writable channels 4 format S32_LE } ttable.0.0 1 ttable.1.1 1 }
        pcm.right { type route slave { pcm writable channels 4 format S32_LE } ttable.0.2 1 ttable.1.3 1 }
        pcm.impossible { type route slave { pcm house channels 4 format S32_LE } ttable.0.0 1 ttable.1.1 1 }

        """
    }
}

extension String {
    fileprivate func write(to path: String) throws { try writeText(self, to: path) }
}
