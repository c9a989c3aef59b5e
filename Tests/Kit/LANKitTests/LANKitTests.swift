import Glibc
import LANKit
import SoundCardKit
import Testing

/// Namespaces need root. Under CI=true the tests run regardless, and fail without it.
let mayMakeHosts = geteuid() == 0 || getenv("CI").map { String(cString: $0) } == "true"

@Suite(.serialized, .enabled(if: mayMakeHosts, "making hosts needs root"), .timeLimit(.minutes(5)))
struct LANKitTests {
    @Test(arguments: [HostLink.cable, .radio(.wiFi(seed: 1))]) func hostsReachEachOtherByAddressAndName(
        link: HostLink
    ) throws {
        let lan = try LAN(hosts: [HostOptions(), HostOptions(link: link)])
        #expect(try lan[0].run(["ping", "-c", "3", "-i", "0.1", "-W", "2", lan[1].address]).status == .exited(0))
        #expect(try lan[0].run(["hostname"]).output == "host1\n")
        // avahi-daemon's own socket protocol: what nss-mdns speaks.
        let ask = """
            import socket, time
            deadline = time.time() + 10
            while True:
                s = socket.socket(socket.AF_UNIX); s.connect('/run/avahi-daemon/socket')
                s.sendall(b'RESOLVE-HOSTNAME-IPV4 host2.local\\n'); answer = s.makefile().readline()
                if answer.startswith('+') or time.time() > deadline: break
            print(answer)
            """
        let answer = try lan[0].run(["python3", "-c", ask], within: 12)
        #expect(answer.output.split(separator: " ").last { $0.contains(".") }?.hasPrefix("10.77.0.2") == true)
    }

    @Test func troublesBeginAndEnd() throws {
        let lan = try LAN(hosts: [HostOptions(hasDiscovery: false), HostOptions(hasDiscovery: false)])
        func answers(_ address: String, size: Int = 56, count: Int = 1) throws -> Int {
            let ping = ["ping", "-s", "\(size)", "-c", "\(count)", "-i", "0.002", "-W", "1", address]
            return try lan[0].run(ping).output.split(separator: "\n").count {
                $0.contains("icmp_seq=") && $0.contains("time=")
            }
        }
        #expect(try answers(lan[1].address) == 1)
        try lan[1].setCable(isIn: false)
        #expect(try answers(lan[1].address) == 0)
        try lan[1].setCable(isIn: true)
        // The kernel tells of a carrier once a second at most, and drops what is sent before.
        #expect(try (0..<5).contains { _ in try answers(lan[1].address) == 1 })

        let old = lan[1].address
        try lan[1].changeAddress(to: "10.77.0.99")
        #expect(try answers("10.77.0.99") == 1)
        #expect(try answers(old) == 0)

        // 200 frames of 1.1 kB want 0.9 Mbit/s for 2 s.
        #expect(try answers("10.77.0.99", size: 1_100, count: 200) > 190)
        try lan[1].limitRate(bitsPerSecond: 100_000)
        #expect(try answers("10.77.0.99", size: 1_100, count: 200) < 100)
        try lan[1].limitRate(bitsPerSecond: nil)
        #expect(try answers("10.77.0.99", size: 1_100, count: 200) > 190)
    }

    @Test(arguments: [HostLink.cable, .radio(.wiFi(seed: 1))]) func aQueueBeforeASlowLinkIsBounded(
        link: HostLink
    ) throws {
        let lan = try LAN(hosts: [
            HostOptions(hasDiscovery: false), HostOptions(hasDiscovery: false, link: link),
        ])
        try lan[1].limitRate(bitsPerSecond: 500_000, queueByteCount: 32_768)
        // Unanswered, ping sends a frame of 1.1 kB every 10 ms, nearly twice what passes; the first come back at once.
        let ping = ["ping", "-s", "1100", "-c", "200", "-i", "0.002", "-W", "2", lan[1].address]
        let times = try lan[0].run(ping).output.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("time=") }.flatMap { Double($0.dropFirst(5)) }
        }
        #expect((90...180).contains(times.count), "\(times.count) came through")
        // Behind a full queue: 0.52 s, in milliseconds.
        let longest = try #require(times.max())
        #expect((450...650).contains(longest))
    }

    @Test func nothingIsLeftBehind() throws {
        var pids: [pid_t] = []
        var directory = ""
        do {
            let lan = try LAN(hosts: [HostOptions(), HostOptions(link: .radio(.wiFi(seed: 1)))])
            directory = lan.directory
            let sleepers = try (0..<2).map { try lan[$0].spawn(["sleep", "1000"]) }
            pids = sleepers.map(\.pid) + lan.hosts.compactMap { $0.avahi?.pid }
            pids += lan.hosts.compactMap { $0.dbus?.pid }
            pids += lan.hosts.compactMap { $0.radio?.pid }
            #expect(pids.count == 7)
            withExtendedLifetime((lan, sleepers)) { #expect(pids.allSatisfy { kill($0, 0) == 0 }) }
        }
        #expect(pids.allSatisfy { kill($0, 0) != 0 })
        #expect(access(directory, F_OK) != 0)
    }

    @Test func aHostHasAClockOfItsOwn() throws {
        let clock = HostClock(offsetSeconds: 7_200, ppm: 1_000, realtimeOffsetNanoseconds: -3_000_000_000)
        let lan = try LAN(hosts: [HostOptions(clock: clock, hasDiscovery: false), HostOptions(hasDiscovery: false)])
        let read = "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW), time.time_ns())"
        func clocks(_ host: LANHost) throws -> [Int64] {
            try host.run(["python3", "-c", read]).output.split(whereSeparator: \.isWhitespace).compactMap { Int64($0) }
        }
        let true1 = trueNow()
        let first = try clocks(lan[0])
        let second = try clocks(lan[1])
        let true2 = trueNow()
        #expect(first[0] - true1 >= 7_200_000_000_000)
        #expect(first[0] - true2 <= 7_200_000_000_000 + 100_000_000)
        #expect(second[0] >= true1 && second[0] <= true2)
        #expect(abs(first[1] + 3_000_000_000 - second[1]) < true2 - true1)

        // A thousandth more than true time passes on the first; the raw system call is past the interposer. Of a
        // hundred pairs of readings the tightest counts: a processor may be taken away between the two of any pair.
        let interval = """
            import ctypes, time
            c = ctypes.CDLL(None)
            class T(ctypes.Structure): _fields_ = [('s', ctypes.c_long), ('n', ctypes.c_long)]
            def raw():
                t = T(); c.syscall(228, time.CLOCK_MONOTONIC_RAW, ctypes.byref(t)); return t.s * 10**9 + t.n
            def hosts(): return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
            def pair():
                before, true, after = hosts(), raw(), hosts()
                return after - before, (before + after) // 2, true
            def both(): return min(pair() for _ in range(100))[1:]
            a = both(); time.sleep(0.5); b = both()
            print(b[0] - a[0], b[1] - a[1])
            """
        let passed = try lan[0].run(["python3", "-c", interval]).output.split(whereSeparator: \.isWhitespace)
            .compactMap { Int64($0) }
        #expect(passed[0] >= 500_000_000)
        #expect(abs(passed[0] - passed[1] - passed[1] / 1_000) < 100_000)
    }

    @Test func absoluteDeadlinesAreTheHostsOwn() throws {
        let clock = HostClock(ppm: 50, realtimeOffsetNanoseconds: 3_600_000_000_000)
        let lan = try LAN(hosts: [HostOptions(clock: clock, hasDiscovery: false)])
        // Of sem_timedwait, with a deadline on the wall clock; an hour's error would outlast the limit or return early.
        let wait = """
            import ctypes, time
            c = ctypes.CDLL(None, use_errno=True)
            class T(ctypes.Structure): _fields_ = [('s', ctypes.c_long), ('n', ctypes.c_long)]
            sem = ctypes.create_string_buffer(64); c.sem_init(sem, 0, 0)
            start = time.monotonic(); at = time.time() + 0.3
            c.sem_timedwait(sem, ctypes.byref(T(int(at), int(at % 1 * 1e9))))
            print('ok' if 0.29 < time.monotonic() - start else 'early')
            """
        let result = try lan[0].run(["python3", "-c", wait], within: 5)
        #expect(result.output == "ok\n")
    }

    @Test func processesAreHeardAndEnded() throws {
        let lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        let process = try lan[0].spawn([
            "sh", "-c", "trap 'echo bye; exit 3' INT; echo hello; while :; do sleep 0.05; done",
        ])
        try process.waitForLine(containing: "hello", within: 5)
        #expect(process.isRunning)
        process.signal(SIGINT)
        #expect(try process.wait(within: 5) == .exited(3))
        #expect(process.lines == ["hello", "bye"])
        let other = try lan[0].spawn(["sleep", "1000"])
        other.signal(SIGKILL)
        #expect(try other.wait(within: 5) == .signaled(SIGKILL))
        #expect(throws: LANError.self) { try lan[0].spawn(["sleep", "1000"]).wait(within: 0.1) }
    }

    @Test func aCommandHasTheCardAndNoOtherHostsDo() throws {
        let lan = try LAN(hosts: [HostOptions(clock: HostClock(offsetSeconds: 100), hasDiscovery: false)])
        let card = SoftwareCard(ppm: 40, recording: lan.path("heard.wav"))
        let before = trueNow()
        let play = "head -c 96000 /dev/zero | aplay -q -f cd -D default"
        let process = try lan[0].spawn(["sh", "-c", play], card: card)
        #expect(try process.wait(within: 10) == .exited(0), "\(process.errors)")
        // The recording's time is true time, in whatever time namespace the player lives.
        let segment = try waitForSegment(of: card.recording)
        #expect(segment >= before && segment <= trueNow())
    }

    private func waitForSegment(of recording: String) throws -> Int64 {
        let text = try #require(readLines(recording + ".timing").first { $0.hasPrefix("segment") })
        return try #require(Int64(text.split(separator: " ")[2]))
    }

    private func readLines(_ path: String) -> [Substring] {
        guard let file = fopen(path, "re") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    }
}
