import Glibc
import ListenerLoad
import StreamTestKit
import Testing

/// The real program and real sockets, on the loopback interface, from several addresses.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LoadedBroadcastTests {
    private static let listenerCount = 40

    /// Broadcasts a song of 3 s to 40 listeners that compare it with `reference`.
    /// - Returns: how the load ended, and what it printed.
    private static func play(
        reference: String, in directory: borrowing TemporaryDirectory
    ) throws -> (status: String, output: String) {
        let port = freePort()
        try Tool.run(
            """
            sox -R -n -r 44100 -b 16 -c 2 song.wav synth 3 pinknoise && lame --quiet -b 320 song.wav song.mp3
            if [ ! -e \(reference) ]; then
                cp song.mp3 \(reference)
                printf x | dd of=\(reference) bs=1 seek=60000 conv=notrunc
            fi
            export XDG_STATE_HOME=$PWD
            timeout 40 \(executableDirectory)/tutti broadcast song.mp3 --no-mdns --port \(port) --wait \(listenerCount) \
                > broadcast.log 2>&1 & broadcast=$!
            trap 'kill $broadcast 2> /dev/null; wait' EXIT
            timeout 40 \(executableDirectory)/listener-load --connect 127.0.0.1:\(port) --listeners \(listenerCount) \
                --song \(reference) --from 127.1.0.0/28 --seconds 30 > result.json
            echo $? > status
            """, in: directory)
        func text(_ name: String) throws -> String {
            String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
        }
        return (try text("status"), try text("result.json"))
    }

    private static var executableDirectory: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    @Test func everyListenerGetsEveryPacketInTime() throws {
        let directory = TemporaryDirectory()
        let (status, output) = try Self.play(reference: "song.mp3", in: directory)
        let song = try LoadSong(path: "\(directory.path)/song.mp3")
        #expect(status == "0\n", "\(output)")
        #expect(output.contains("\"joined\":40,\"packets\":\(40 * song.packetCount),\"preroll\":0,\"late\":0,"))
        #expect(output.contains("\"entries\":40,\"anchors\":40,\"ends\":40,"))
        #expect(!output.contains("\"answered\":0,"))
    }

    /// The canary: a comparison that cannot fail finds nothing.
    @Test func anotherSongIsNoticed() throws {
        let directory = TemporaryDirectory()
        let (status, output) = try Self.play(reference: "other.mp3", in: directory)
        #expect(status == "1\n")
        #expect(output.contains("\"late\":0,\"mismatched\":40,\"misplaced\":0,\"missing\":0,"), "\(output)")
    }
}
