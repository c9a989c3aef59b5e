import Cryptography
import Glibc
import Households
import LANKit
import SecureChannel
import SoundCardKit
import TestbedKit
import Testing

/// What somebody can read who hears all that a broadcast puts on the network.
@Suite(.serialized, .enabled(if: mayMakeHosts, "making hosts needs root"), .timeLimit(.minutes(5)))
struct WireCaptureTests {
    private static let title = "Zanzibar Nocturne"
    private static let fileName = "quixotic-lullaby.mp3"

    /// The first two hosts are members of a household, which the second does not know whole; the third is a stranger.
    @Test func nothingOfASongAndNoKeyIsInClear() throws {
        let lan = try LAN(hosts: 3)
        let home = try foundHousehold(on: lan)
        let song = lan.path(Self.fileName)
        let wave = try SongFile(.wave, seconds: 5, in: lan).wavePath
        let lame = ["lame", "--silent", "--cbr", "-b", "128", "--tt", Self.title, wave, song]
        #expect(try lan[0].run(lame, within: 30).status == .exited(0))
        let capture = try Capture(on: lan[0], into: lan.path("frames"))

        let tutti = buildDirectory + "/tutti"
        let listener = try lan[1].spawn([tutti, "join", "--once", "--output", "null"])
        let broadcast = try lan[0].spawn([tutti, "broadcast", "--allow-listen", "anyone", song])
        try listener.waitForLine(containing: "playing", within: 20)
        let secrets = try Secrets(ofListenerOn: lan[2], to: lan[0])
        // The title does travel.
        let status = try lan[1].run([tutti, "status"], within: 5).output
        #expect(status.contains(Self.title))
        let peers = try lan[1].run([tutti, "peers"], within: 10).output
        #expect(peers.contains("host1"), "\(peers)")
        #expect(try listener.wait(within: 20) == .exited(0))
        #expect(try broadcast.wait(within: 10) == .exited(0))
        let frames = try capture.end()

        // All was there to be read: mDNS, connections, and as many bytes as the song has.
        let packets = try bytes(of: song)
        let contents = Contents(frames)
        #expect(contents.has("_tutti") && contents.has("TUTTI\n"))
        #expect(frames.count > packets.count)
        for text in [Self.title, "Nocturne", "quixotic"] { #expect(!contents.has(text), "'\(text)' is in clear") }
        #expect(!contents.hasAny(of: packets), "bytes of the song are in clear")
        for host in 0...1 {
            let file = try lan[host].run(["sh", "-c", "cat $XDG_STATE_HOME/tutti/key"], within: 5).output
            let seed = try #require(Self.seed(in: file), "\(file)")
            let keys = PeerKeyPair(seed: SecretBytes(copying: seed))
            for key in [seed, keys.key.bytes.bytes, keys.signingKey.bytes.bytes] {
                #expect(!contents.has(key), "a key of host \(host + 1) is in clear")
            }
        }
        // Keys that do travel in clear are found where they are.
        #expect(contents.has(secrets.ephemeralKey) && contents.has(secrets.clockKeyIdentifier))
        for half in secrets.clockKeyHalves { #expect(!contents.has(half), "a clock's key is in clear") }
        // The household's document has travelled, with its secret.
        #expect(try state(of: 1, on: lan).household() == home)
        let secret = try #require(home.secret?.bytes.withBytes { Array($0) })
        #expect(secret.count == HouseholdLimits.secretByteCount && !contents.has(secret), "the secret is in clear")
        #expect(!contents.hasAny(of: home.encoded().withBytes { Array($0) }), "the household's document is in clear")
    }

    /// - Returns: the household as the first host knows it.
    private func foundHousehold(on lan: LAN) throws -> Household {
        let keys = (0..<3).map { _ in PeerKeyPair.random() }
        var home = try Household(name: "Zanzibar", founder: keys[0], memberName: "host1")
        try home.admit(keys[1].signingKey, name: "host2", by: keys[0])
        try state(of: 1, on: lan).write(keys[1])
        try state(of: 1, on: lan).write(home)
        try home.admit(keys[2].signingKey, name: "elsewhere", by: keys[0])
        try state(of: 0, on: lan).write(keys[0])
        try state(of: 0, on: lan).write(home)
        return home
    }

    private func state(of host: Int, on lan: LAN) -> StateOfHost {
        StateOfHost(path: lan.path("host\(host + 1)/state"))
    }

    /// What a listener of this test's own knows, that tells.
    private struct Secrets {
        let ephemeralKey: [UInt8]
        private let clockKey: [UInt8]

        /// Of the clock's key: what names it in every datagram, and the two halves of what must not be known.
        var clockKeyIdentifier: [UInt8] { Array(clockKey[..<8]) }
        var clockKeyHalves: [[UInt8]] { [Array(clockKey[8..<16]), Array(clockKey[16..<24])] }

        init(ofListenerOn host: LANHost, to broadcaster: LANHost) throws {
            let program = buildDirectory + "/welcomed-listener"
            let told = try host.run([program, broadcaster.address + ":28884"], within: 10)
            #expect(told.status == .exited(0) && told.output.contains("CLOCK-ANSWERED"), "\(told)")
            func bytes(after word: String, count: Int) throws -> [UInt8] {
                let line = try #require(told.output.split(separator: "\n").first { $0.hasPrefix(word) }, "\(told)")
                let bytes = WireCaptureTests.bytes(inHex: line.dropFirst(word.count + 1))
                try #require(bytes.count == count, "\(told)")
                return bytes
            }
            ephemeralKey = try bytes(after: "EPHEMERAL", count: 32)
            clockKey = try bytes(after: "CLOCK-KEY", count: 24)
        }
    }

    /// The 32 bytes in hexadecimal digits in the second line of a key file.
    private static func seed(in file: String) -> [UInt8]? {
        let lines = file.split(separator: "\n")
        return lines.count == 3 && lines[1].count == 64 ? bytes(inHex: lines[1]) : nil
    }

    private static func bytes(inHex text: Substring) -> [UInt8] {
        let digits = Array(text)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }

    private func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while case let count = read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return try #require(bytes.isEmpty ? nil : bytes)
    }

    /// All frames that pass a host's interfaces, one after the other in a file.
    private struct Capture {
        private static let last = "the last datagram"
        private let host: LANHost
        private let process: LANProcess
        private let path: String

        init(on host: LANHost, into path: String) throws {
            self.host = host
            self.path = path
            process = try host.spawn(["sh", "-c", "exec \"$0\" > \"$1\"", buildDirectory + "/wire-capture", path])
            try process.waitForLine(containing: "CAPTURING", within: 10)
        }

        func end() throws -> [UInt8] {
            // Frames are read in their order: when this one is there, all before it are.
            let script = """
                echo "$0" > /dev/udp/10.77.0.2/9
                until grep -aq "$0" "$1"; do sleep 0.02; done
                """
            #expect(try host.run(["bash", "-c", script, Self.last, path], within: 5).status == .exited(0))
            process.signal(SIGTERM)
            _ = try process.wait(within: 5)
            return try WireCaptureTests().bytes(of: path)
        }
    }

    /// What was captured, and what can be found in it.
    private struct Contents {
        private static let windowByteCount = 16
        private let bytes: [UInt8]
        private let windows: Set<ArraySlice<UInt8>>

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            let last = max(0, bytes.count - Self.windowByteCount)
            windows = Set((0..<last).map { bytes[$0..<$0 + Self.windowByteCount] })
        }

        func has(_ text: String) -> Bool { has(Array(text.utf8)) }

        func has(_ part: [UInt8]) -> Bool {
            guard bytes.count >= part.count else { return false }
            return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
        }

        /// Whether any stretch of another file is there; stretches of one value prove nothing.
        func hasAny(of other: [UInt8]) -> Bool {
            stride(from: 0, to: other.count - Self.windowByteCount, by: Self.windowByteCount).contains { start in
                let window = other[start..<start + Self.windowByteCount]
                return Set(window).count > 4 && windows.contains(window)
            }
        }
    }
}
