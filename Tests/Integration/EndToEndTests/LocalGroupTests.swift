import Glibc
import LANKit
import TestbedKit
import Testing

/// Which users of a broadcaster's machine may command it, by its local sockets.
@Suite(.serialized, .enabled(if: mayMakeHosts, "making hosts needs root"), .timeLimit(.minutes(5)))
struct LocalGroupTests {
    private static let nobody = "65534"

    /// A user of the group commands what root started; one who is not of it finds nothing.
    @Test func usersOfTheGroupMayCommand() throws {
        let lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        let host = lan[0]
        // Wherever the build lies, other users may be kept from it.
        let program = lan.path("tutti")
        #expect(try host.run(["cp", buildDirectory + "/tutti", program]).status == .exited(0))
        chmod(program, 0o755)
        #expect(try host.run(["install", "-d", "-m", "700", "-o", Self.nobody, lan.path("home")]).status == .exited(0))
        let games = try host.run(["getent", "group", "games"]).output.split(separator: ":")
        let group = games.count > 2 ? String(games[2]) : ""
        let broadcast = try host.spawn([program, "broadcast", "--idle", "--no-mdns", "--local-group", "games"])
        try broadcast.waitForLine(containing: "idle", within: 10)

        func ask(_ command: [String], groups: String) throws -> (status: LANKit.ExitStatus, said: String) {
            let home = "XDG_RUNTIME_DIR=" + lan.path("home")
            let process = try host.spawn(
                [
                    "setpriv", "--reuid", Self.nobody, "--regid", Self.nobody, groups, "env", home,
                    "XDG_STATE_HOME=" + lan.path("home"), program,
                ] + command)
            return (try process.wait(within: 10), process.output + process.errors)
        }
        let member = try ask(["volume", "40"], groups: "--groups=" + group)
        #expect(member.status == .exited(0), "\(member.said)")
        let status = try ask(["status"], groups: "--groups=" + group)
        #expect(status.said.contains("40"), "\(status.said)")
        let sockets = try host.run(["stat", "-c", "%a %U %G", "/run/tutti"]).output
        #expect(sockets == "750 root games\n")
        let files = try host.run(["sh", "-c", "stat -c '%a %G' /run/tutti/broadcast-*"]).output
        #expect(files == "660 games\n")
        let stranger = try ask(["volume", "50"], groups: "--clear-groups")
        #expect(stranger.status != .exited(0), "\(stranger.said)")

        broadcast.signal(SIGINT)
        #expect(try broadcast.wait(within: 5) == .exited(130))
        #expect(try host.run(["ls", "/run/tutti"]).output.isEmpty, "the socket is left over")
    }

    @Test func aGroupThatIsNotThereIsRefused() throws {
        let lan = try LAN(hosts: [HostOptions(hasDiscovery: false)])
        let process = try lan[0].spawn([buildDirectory + "/tutti", "broadcast", "--idle", "--local-group", "nobodys"])
        #expect(try process.wait(within: 5) == .exited(64))
        #expect(process.errors.contains("--local-group: there is no group 'nobodys' on this machine"))
    }
}
