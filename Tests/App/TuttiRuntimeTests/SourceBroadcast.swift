import AudioCore
import Glibc
import HostSystem
import Songs
import StreamTestKit
import Testing
import TuttiRuntime

/// A broadcast of whatever is named, to one listener that keeps what it is sent.
struct SourceBroadcast {
    var result: Result<RuntimeOutcome, RuntimeFailure>
    /// Details left out.
    var notices: [RuntimeNotice]
    /// The titles that were shown, each once.
    var titles: [String]
    var heard: RecordingPeer.Recording?

    /// - Parameters:
    ///   - hasListener: whether there is one; else the broadcast begins at once.
    ///   - stop: once this holds of the notices and titles so far, and half a second has passed since, it is stopped;
    ///     nil lets it end by itself.
    init(
        _ name: String, raw: String? = nil, hasListener: Bool = true,
        stop: (@Sendable (_ notices: [RuntimeNotice], _ titles: [String]) -> Bool)? = nil,
        codecs: [Codec] = [.linearPCM, .mpegLayer3, .aac]
    ) throws {
        var options = BroadcastOptions()
        options.name = "study"
        options.raw = try raw.map { try RawPCMFormat(parsing: $0) }
        options.start = hasListener ? .whenReady(listeners: 1) : .now
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let told = try Monitor((notices: [RuntimeNotice](), titles: [String]()))
        let broadcaster = Broadcaster(songs: [name], options: options, identity: .test("study"))
        let peer =
            hasListener
            ? try RecordingPeer(port: options.network.port ?? 0, name: "kitchen", codecs: codecs) : nil
        let stopper = try stop.map { isDue in
            try HostThread(name: "stopper") {
                _ = told.wait(atMost: .seconds(30)) { isDue($0.notices, $0.titles) }
                sleepThread(for: .milliseconds(500))
                broadcaster.stop()
            }
        }
        result = Result { () throws(RuntimeFailure) in
            try broadcaster.run { event in
                told.change { told in
                    switch event {
                    case .notice(let notice) where notice.concernsThisBroadcast: told.notices.append(notice)
                    case .broadcast(let status):
                        if let title = status.song?.title, told.titles.last != title { told.titles.append(title) }
                    default: break
                    }
                }
            }
        }
        stopper?.join()
        (notices, titles) = told.value
        heard = if case .success = result { peer?.end() } else { nil }
    }

    /// The frames that the listener decodes.
    func decoded() throws -> [Float] {
        _ = try result.get()
        return try #require(heard).decoded().samples
    }
}

extension RuntimeNotice {
    /// Whether it is more than a detail, and not the line that the machine is open.
    var concernsThisBroadcast: Bool { level != .detail && self != .household(.open) }
}

/// Songs for these tests, made by the usual programs.
struct SourceFiles: ~Copyable {
    let directory = TemporaryDirectory()

    func path(_ name: String) -> String { directory.path + "/" + name }

    /// Chords and noise as an MP3 of 128 kbit/s, 16,000 bytes a second.
    func makeMP3(_ name: String = "song.mp3", seconds: Double) throws -> String {
        try Tool.run(
            "sox -R -r 44100 -n -b 16 \(name).wav synth \(seconds) sine 220 sine 331 whitenoise "
                + "remix 1,3v0.3 2,3v0.3 tremolo 3 80 gain -6 && lame --quiet -b 128 \(name).wav \(name)",
            in: directory)
        return path(name)
    }

    func fifo(_ name: String) -> String {
        mkfifo(path(name), 0o600)
        return path(name)
    }

    /// Writes into a FIFO as somebody else, `pause` after each piece.
    func feed(
        _ bytes: [UInt8], into fifo: String, pieceByteCount: Int = 1_000, pause: TimeSpan = .zero
    ) throws -> HostThread {
        try HostThread(name: "writer") {
            let file = open(fifo, O_WRONLY | O_CLOEXEC)
            defer { close(file) }
            for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                let piece = bytes[start..<min(bytes.count, start + pieceByteCount)]
                guard piece.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == piece.count else { return }
                if pause > .zero { sleepThread(for: pause) }
            }
        }
    }
}
