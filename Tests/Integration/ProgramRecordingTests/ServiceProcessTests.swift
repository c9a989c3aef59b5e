import StreamTestKit
import Testing

/// `tutti join --service` as a service manager runs it: signals, and what it tells at its socket.
@Suite(.timeLimit(.minutes(5))) struct ServiceProcessTests {
    /// What `told` holds is one datagram a line; `await FILE TEXT [COUNT]` waits until so many lines have it.
    private static let manager = """
        await() {
            for _ in $(seq 400); do
                [ "$(grep -c -- "$2" "$1" 2> /dev/null)" -ge "${3:-1}" ] && return
                sleep 0.05
            done
            echo "no '$2' in $1" > out; cat "$1" >> out; exit 3
        }
        milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }
        touch told
        python3 -c '
        import socket
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind("notify")
        while True: print(manager.recv(4096).decode().replace("\\n", " "), flush=True)' > told &
        for _ in $(seq 400); do [ -S notify ] && break; sleep 0.05; done
        export NOTIFY_SOCKET="$PWD/notify" WATCHDOG_USEC=1000000

        """

    private func run(_ lines: String, in directory: borrowing TemporaryDirectory) throws {
        try TuttiProcess.run(Self.manager + lines, in: directory)
    }

    private func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
    }

    private func milliseconds(_ name: String, in directory: borrowing TemporaryDirectory) throws -> Int {
        let text = try text(name, in: directory)
        return try #require(Int(text.prefix { $0.isNumber }))
    }

    /// No card, no mDNS, no broadcast: it is there, says what it waits for, takes a reload, and ends when told.
    @Test func itIsReadyWithoutACardAndEndsWithinTwoSeconds() throws {
        let directory = TemporaryDirectory()
        try run(
            """
            before=$(milliseconds)
            tutti join --service --device nonsense --no-mdns --port \(freePort()) > service.log 2>&1 &
            service=$!
            await told READY=1
            echo $(($(milliseconds) - before)) > ready
            await told 'STATUS=waiting for a sound device: no sound device is called .nonsense.'
            await told WATCHDOG=1 2
            kill -HUP $service
            await told 'RELOADING=1 MONOTONIC_USEC='
            await told READY=1 2
            await service.log 'read the configuration: nothing changed'
            before=$(milliseconds)
            kill -TERM $service
            wait $service; echo $? > code
            echo $(($(milliseconds) - before)) > stopped
            await told STOPPING=1
            """, in: directory)
        #expect(try text("code", in: directory) == "0\n")
        #expect(try milliseconds("ready", in: directory) < 2_000)
        #expect(try milliseconds("stopped", in: directory) < 2_000)
        let log = try text("service.log", in: directory)
        #expect(log.split(separator: "\n").filter { $0.contains("no sound device is called") }.count == 1, "\(log)")
    }

    /// What a session leaves behind when another one takes its place, the service would have for the rest of its life:
    /// no thread of it has, or has asked for, a higher priority than all others.
    @Test func itBeginsAnewWithWhatChanged() throws {
        let directory = TemporaryDirectory()
        try run(
            """
            unset TUTTI_NO_CONFIGURATION
            # Where Dispatch tells that it may not have a priority.
            export XDG_CONFIG_HOME="$PWD/config" LIBDISPATCH_LOG=stderr
            mkdir -p config/tutti; echo 'volume = 40' > config/tutti/tutti.toml
            tutti join --service --output null --no-mdns --port \(freePort()) > service.log 2>&1 &
            service=$!
            await told READY=1
            await told 'STATUS=waiting for a broadcast'
            echo 'volume = 50' > config/tutti/tutti.toml
            kill -HUP $service
            await service.log 'beginning anew with what changed'
            await told READY=1 2
            for thread in /proc/$service/task/*/stat; do
                sed 's/.*) //' $thread | cut -d ' ' -f 17
            done > niceness
            kill -TERM $service
            wait $service; echo $? > code
            """, in: directory)
        #expect(try text("code", in: directory) == "0\n")
        let niceness = try text("niceness", in: directory).split(separator: "\n").compactMap { Int($0) }
        #expect(niceness.count > 2 && niceness.allSatisfy { $0 >= 0 }, "\(niceness)")
        let log = try text("service.log", in: directory)
        #expect(!log.contains("thread priority"), "\(log)")
    }

    /// A port that another program has is waited for; the cause is told once.
    @Test func itWaitsForItsPort() throws {
        let directory = TemporaryDirectory()
        let port = freePort()
        try run(
            """
            python3 -c '
            import socket, time
            other = socket.create_server(("::", \(port)), family=socket.AF_INET6, dualstack_ipv6=True)
            open("taken", "w").close()
            time.sleep(60)' &
            other=$!
            for _ in $(seq 400); do [ -e taken ] && break; sleep 0.05; done
            tutti join --service --output null --no-mdns --port \(port) > service.log 2>&1 &
            service=$!
            await told 'STATUS=waiting: port \(port) is in use'
            await told READY=1
            kill $other; wait $other
            await service.log 'what was waited for is there'
            await told 'STATUS=waiting for a broadcast'
            kill -TERM $service
            wait $service; echo $? > code
            """, in: directory)
        #expect(try text("code", in: directory) == "0\n")
        let log = try text("service.log", in: directory)
        #expect(log.split(separator: "\n").filter { $0.contains("is in use") }.count == 1, "\(log)")
    }

    /// What will not pass by itself is no reason to wait: the manager is told by the exit code.
    @Test func whatDoesNotPassEndsIt() throws {
        let directory = TemporaryDirectory()
        try run(
            """
            mkdir -p state/tutti; echo nonsense > state/tutti/key; chmod 644 state/tutti/key
            tutti join --service --output null --no-mdns --port \(freePort()) > service.log 2>&1; echo $? > code
            """, in: directory)
        #expect(try text("code", in: directory) == "77\n")
        #expect(try text("service.log", in: directory).contains("chmod 600"))
    }

    /// A state directory that cannot be written is a warning, and it plays.
    @Test func itPlaysWithoutAStateDirectory() throws {
        let directory = TemporaryDirectory()
        try run(
            """
            touch state
            tutti join --service --output null --no-mdns --port \(freePort()) > service.log 2>&1 &
            service=$!
            await told 'STATUS=waiting for a broadcast'
            await service.log 'this run has a key of its own'
            kill -TERM $service
            wait $service; echo $? > code
            """, in: directory)
        #expect(try text("code", in: directory) == "0\n")
    }
}
