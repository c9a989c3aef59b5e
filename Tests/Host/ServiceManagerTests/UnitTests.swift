import StreamTestKit
import Testing

/// The units, as systemd judges them.
@Suite(.timeLimit(.minutes(5))) struct UnitTests {
    private static let units =
        #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined() + "/Scripts/lib/units"

    private func text(_ name: String) throws -> String {
        String(decoding: try Tool.readFile("\(Self.units)/\(name)"), as: UTF8.self)
    }

    /// Neither a key nor a value that systemd does not know, as it stands in the file but for the program.
    @Test(arguments: [("tutti.service", "system"), ("user/tutti.service", "user")])
    func systemdUnderstandsAUnit(name: String, manager: String) throws {
        let directory = TemporaryDirectory()
        let unit = try text(name)
        #expect(unit.contains("ExecStart=/usr/bin/tutti join --service\n"))
        try Tool.writeFile(
            directory.path + "/tutti.service", Array(unit.replacing("/usr/bin/tutti", with: "/bin/true").utf8))
        try Tool.run(
            """
            systemd-analyze --version > /dev/null && mkdir -m 700 run && export XDG_RUNTIME_DIR="$PWD/run" && \
            { systemd-analyze --\(manager) --man=no verify ./tutti.service 2> said; cat said; test ! -s said; }
            """, in: directory)
    }

    /// 5.0 would still be "OK"; what is lost to a careless line is noticed.
    @Test func theSystemsUnitIsHardened() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "systemd-analyze security --offline=true --threshold=25 '\(Self.units)/tutti.service'", in: directory)
    }

    /// What the program calls beyond what every service calls, and what the process that decodes calls to give its
    /// rights away: see Sandbox.c, ChildProcess.c and Realtime.c.
    @Test(arguments: ["tutti.service", "user/tutti.service"])
    func theFilterLeavesTheCallsThatAreNeeded(name: String) throws {
        let directory = TemporaryDirectory()
        let filters = try text(name).split(separator: "\n").filter { $0.hasPrefix("SystemCallFilter=") }
            .map { String($0.dropFirst("SystemCallFilter=".count)) }
        let allowed = filters.filter { !$0.hasPrefix("~") }.joined(separator: " ")
        let denied = filters.filter { $0.hasPrefix("~") }.map { String($0.dropFirst()) }.joined(separator: " ")
        let needed = """
            seccomp prctl execve clone3 vfork setrlimit prlimit64 setpriority setpgid kill wait4 memfd_create \
            sched_setscheduler mlock mlockall capget shmget semget recvmsg sendto eventfd2 inotify_init1 flock chown
            """
        try Tool.run(
            """
            systemd-analyze --version > /dev/null
            expand() {
                for word in "$@"; do
                    case $word in
                    @*) expand $(systemd-analyze syscall-filter "$word" | sed '1d; s/^ *//; /^#/d') ;;
                    *) echo "$word" ;;
                    esac
                done
            }
            expand \(allowed) > allowed; expand \(denied) > denied
            for call in \(needed); do
                grep -qx "$call" allowed && ! grep -qx "$call" denied || { echo "$call is not allowed"; exit 1; }
            done
            """, in: directory)
    }

    /// A unit says for whom it is before anything else.
    @Test(arguments: ["tutti.service", "user/tutti.service", "sysusers.conf"])
    func threeLinesSayForWhomItIs(name: String) throws {
        let comment = try text(name).split(separator: "\n").prefix { $0.hasPrefix("# ") }
        #expect(comment.count == 3 && comment.first?.hasPrefix("# For ") == true)
    }

    @Test func theSystemsUserCanBeMade() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "mkdir etc && systemd-sysusers --dry-run --root=\"$PWD\" '\(Self.units)/sysusers.conf' > out 2>&1 && "
                + "grep \"Creating user 'tutti'\" out", in: directory)
    }
}
