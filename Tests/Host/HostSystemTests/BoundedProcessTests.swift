import AudioCore
import Glibc
import HostSystem
import Testing

/// Programs that end by themselves, and such that must be ended.
@Suite(.timeLimit(.minutes(5))) struct BoundedProcessTests {
    private let process: BoundedProcess
    private let limits = ProcessLimits(time: .seconds(60), outputByteCount: 1 << 20)

    init() throws { process = try BoundedProcess() }

    /// What a shell script writes, or why it does not.
    private func run(
        _ script: String, environment: [String] = ["PATH=/usr/bin:/bin"], input: [UInt8] = [],
        _ limits: ProcessLimits? = nil
    ) -> Result<String, ProcessError> {
        do throws(ProcessError) {
            let bytes = try process.run(
                ["/bin/sh", "-c", script], environment: environment, input: input, limits: limits ?? self.limits)
            return .success(String(decoding: bytes, as: UTF8.self))
        } catch {
            return .failure(error)
        }
    }

    @Test func whatItWritesComesWhole() throws {
        let input = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        #expect(try process.run(["/bin/cat"], input: input, limits: limits) == input)
        #expect(try process.run(["/bin/echo", "a b", "$HOME"], limits: limits) == Array("a b $HOME\n".utf8))
        #expect(try process.run(["/bin/cat"], limits: limits).isEmpty)
    }

    /// Input that nobody reads ends neither of the two.
    @Test func inputMayBeLeft() {
        #expect(run("echo done", input: [UInt8](repeating: 65, count: 1 << 20)) == .success("done\n"))
        // Nor can it be changed.
        var limits = limits
        limits.fileByteCount = 100
        #expect(run("cat; echo x >&0 || echo sealed", input: [65], limits) == .success("Asealed\n"))
    }

    @Test func howItEndedIsSaid() {
        #expect(run("echo lost; exit 3") == .failure(.failed(status: 3)))
        #expect(run("kill -TERM $$") == .failure(.killed(signal: SIGTERM)))
        let missing = Result { () throws(ProcessError) in try process.run(["/nonexistent"], limits: limits) }
        #expect(missing == .failure(.cannotStart(operation: "execve", code: ENOENT)))
        let none = Result { () throws(ProcessError) in try process.run([], limits: limits) }
        #expect(none == .failure(.cannotStart(operation: "execve", code: ENOENT)))
    }

    @Test func itHasNothingOfOurs() throws {
        let before = signal(SIGUSR1, SIG_IGN)
        defer { signal(SIGUSR1, before) }
        #expect(try process.run(["/usr/bin/env"], environment: ["A=1"], limits: limits) == Array("A=1\n".utf8))
        // The listing itself opens one.
        #expect(run("exec ls /proc/self/fd") == .success("0\n1\n2\n3\n"))
        #expect(run("readlink /proc/self/fd/2") == .success("/dev/null\n"))
        #expect(
            run("grep -E 'Sig(Ign|Blk)|NoNewPrivs' /proc/self/status | tr -d '\\t0\\n'")
                == .success(
                    "SigBlk:SigIgn:NoNewPrivs:1"))
        #expect(run("[ $(cut -d' ' -f5 /proc/$$/stat) = $$ ] && echo own") == .success("own\n"))
    }

    @Test func timeEndsIt() {
        var limits = limits
        limits.time = .milliseconds(200)
        #expect(run("while :; do :; done", limits) == .failure(.late))
        // Its output has ended; it has not.
        #expect(run("exec >&-; sleep 1000", limits) == .failure(.late))
        // It has ended; one that it started has not.
        #expect(run("sleep 1000 & echo $!", limits) == .failure(.late))
    }

    /// Nothing of the group outlives the call, and nobody waits to be waited for.
    @Test func whatItStartedEndsToo() throws {
        let file = "/tmp/tutti-process-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(file) }
        var limits = limits
        limits.fileByteCount = 100
        #expect(run("sleep 1000 > /dev/null & echo $! > \(file); echo started", limits) == .success("started\n"))
        let text = try process.run(["/bin/cat", file], limits: self.limits)
        let grandchild = try #require(pid_t(String(decoding: text.dropLast(), as: UTF8.self)))
        // Whoever takes it over may not have waited for it yet.
        let isOver = run(
            "for i in $(seq 1000); do case $(cut -d' ' -f3 /proc/\(grandchild)/stat) in ''|Z|X) echo over; exit;; esac;"
                + " sleep 0.01; done")
        #expect(isOver == .success("over\n"))
        let own = try #require(pid_t(run("echo $$").get().dropLast()))
        #expect(kill(own, 0) == -1)
    }

    @Test func muchOutputEndsIt() {
        #expect(run("yes") == .failure(.tooMuchOutput))
        var limits = limits
        limits.outputByteCount = 5
        #expect(run("printf 12345", limits) == .success("12345"))
        #expect(run("printf 123456", limits) == .failure(.tooMuchOutput))
    }

    @Test func itsLimitsAreSet() {
        let limits = ProcessLimits(
            time: .seconds(60), outputByteCount: 1 << 20, memoryByteCount: 256 << 20, processorSeconds: 7,
            descriptorCount: 20, fileByteCount: 512)
        #expect(
            run("ulimit -v; ulimit -t; ulimit -n; ulimit -f; ulimit -c", limits)
                == .success("262144\n7\n20\n1\n0\n"))
    }

    @Test func memoryIsBounded() {
        var limits = limits
        limits.memoryByteCount = 64 << 20
        // The tail of a file without lines is all of it.
        guard case .failure(.failed) = run("tail -n 1 < /dev/zero", limits) else {
            Issue.record("it had more")
            return
        }
        #expect(run("head -c 1000000 /dev/zero | tail -n 1 | wc -c", limits) == .success("1000000\n"))
    }

    @Test func processorTimeIsBounded() {
        var limits = limits
        limits.processorSeconds = 1
        #expect(run("while :; do :; done", limits) == .failure(.killed(signal: SIGKILL)))
    }

    @Test func filesAreBounded() {
        let file = "/tmp/tutti-process-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(file) }
        #expect(run("exec head -c 1 /dev/zero > \(file)") == .failure(.killed(signal: SIGXFSZ)))
    }

    @Test func anotherThreadCancelsIt() throws {
        let thread = try HostThread(name: "test") { [process] in
            sleepThread(for: .milliseconds(50))
            process.cancel()
        }
        defer { thread.join() }
        #expect(run("sleep 1000") == .failure(.cancelled))
        #expect(run("echo never") == .failure(.cancelled))
    }

    @Test func severalRunAtOnce() throws {
        let threads = try (0..<8).map { number in
            try HostThread(name: "test") { [process, limits] in
                for round in 0..<20 {
                    let text = "\(number) \(round)"
                    let output = try? process.run(["/bin/echo", text], limits: limits)
                    #expect(output == Array("\(text)\n".utf8))
                }
            }
        }
        for thread in threads { thread.join() }
    }

    @Test func programsAreFoundInThePath() {
        #expect(BoundedProcess.path(of: "sh")?.hasSuffix("/sh") == true)
        #expect(BoundedProcess.path(of: "no-program-of-this-name") == nil)
        #expect(BoundedProcess.path(of: "") == nil)
    }
}
