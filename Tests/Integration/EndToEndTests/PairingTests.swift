import Cryptography
import Glibc
import Households
import LANKit
import SecureChannel
import TestbedKit
import Testing

/// `tutti pair` on two machines, with the real binary and real daemons.
@Suite(.serialized, .enabled(if: mayMakeHosts, "making hosts needs root"), .timeLimit(.minutes(5)))
struct PairingTests {
    /// The first host is the member of a household, the others are new.
    private struct Scene {
        let lan: LAN
        let program = buildDirectory + "/tutti"
        let home: Household

        init(newcomers: Int = 1) throws {
            lan = try LAN(hosts: 1 + newcomers)
            let keys = PeerKeyPair.random()
            home = try Household(name: "Home", founder: keys, memberName: "Den")
            try state(0).write(keys)
            try state(0).write(home)
        }

        private func state(_ host: Int) -> StateOfHost { StateOfHost(path: lan.path("state\(host)")) }

        /// What a host has stored; nil if nothing.
        func household(_ host: Int) throws -> Household? { try state(host).household() }

        func start(_ words: String..., on host: Int) throws -> LANProcess {
            try lan[host].spawn([program] + words, environment: ["XDG_STATE_HOME": state(host).path])
        }

        /// Waits on a new machine until a code is shown for the so many-th time.
        func code(_ process: LANProcess, number: Int = 1) throws -> String {
            try waitUntil("code \(number)", within: 10) { Self.codes(process).count >= number }
            return Self.codes(process)[number - 1]
        }

        private static func codes(_ process: LANProcess) -> [String] {
            process.lines.filter { $0.hasPrefix("on a machine") || $0.hasPrefix("another code") }
                .map { String($0.filter(\.isNumber)) }
        }

        /// Runs `tutti pair` with these words on the member.
        func pair(_ words: String...) throws -> (status: LANKit.ExitStatus, said: String) {
            let process = try lan[0].spawn([program, "pair"] + words, environment: ["XDG_STATE_HOME": state(0).path])
            return (try process.wait(within: 15), process.output + process.errors)
        }
    }

    @Test func aCodeLetsANewMachineIn() throws {
        let scene = try Scene()
        let newcomer = try scene.start("pair", on: 1)
        let paired = try scene.pair(try scene.code(newcomer))
        #expect(paired.status == .exited(0) && paired.said == "host2 belongs to Home now\n", "\(paired)")
        #expect(try newcomer.wait(within: 5) == .exited(0))
        #expect(newcomer.lines.last == "paired: this machine belongs to Home with Den", "\(newcomer.output)")
        let household = try #require(try scene.household(1))
        #expect(try scene.household(0) == household && household.members.map(\.name).sorted() == ["Den", "host2"])
        // It is new no longer.
        let again = try scene.start("pair", on: 1)
        #expect(try again.wait(within: 5) == .exited(69))
        #expect(again.errors == "tutti: this machine belongs to Home; 'tutti household leave' first\n")
    }

    @Test func anAddressNeedsNoMDNS() throws {
        let scene = try Scene()
        let newcomer = try scene.start("pair", "--no-mdns", "--port", "4711", on: 1)
        let code = try scene.code(newcomer)
        let address = "\(scene.lan[1].address):4711"
        #expect(newcomer.output.contains("\(address)\n"), "\(newcomer.output)")
        let nobody = try scene.pair(code)
        #expect(nobody.status == .exited(68) && nobody.said.contains("no machine was found"), "\(nobody)")
        let paired = try scene.pair(String(code.prefix(4)), String(code.suffix(4)), address)
        #expect(paired.status == .exited(0), "\(paired)")
        #expect(try newcomer.wait(within: 5) == .exited(0))
    }

    @Test func threeWrongCodesEndIt() throws {
        let scene = try Scene()
        let newcomer = try scene.start("pair", on: 1)
        for number in 1...3 {
            let code = try scene.code(newcomer, number: number)
            let paired = try scene.pair(code == "00000000" ? "11111111" : "00000000")
            #expect(paired.status == .exited(77), "\(paired)")
            #expect(paired.said.contains("host2 shows another code than that"), "\(paired)")
        }
        #expect(try newcomer.wait(within: 5) == .exited(77))
        for left in ["2 tries are left", "one try is left", "no try is left"] {
            #expect(
                newcomer.lines.contains("host1 at \(scene.lan[0].address) typed another code; \(left)"),
                "\(newcomer.output)")
        }
        #expect(newcomer.errors.contains("three tries failed"), "\(newcomer.errors)")
        #expect(try scene.household(1) == nil && scene.household(0) == scene.home)
    }

    @Test func ofSeveralMachinesOneIsNamed() throws {
        let scene = try Scene(newcomers: 2)
        let newcomers = try [1, 2].map { try scene.start("pair", on: $0) }
        let codes = try newcomers.map { try scene.code($0) }
        Testbed.letAnnouncementsPass()
        let unclear = try scene.pair(codes[1])
        #expect(unclear.status == .exited(64), "\(unclear)")
        #expect(unclear.said.contains("several machines wait to be paired: host2, host3"), "\(unclear)")
        let paired = try scene.pair(codes[1], "host3")
        #expect(paired.status == .exited(0), "\(paired)")
        #expect(try newcomers[1].wait(within: 5) == .exited(0))
        newcomers[0].signal(SIGINT)
        #expect(try newcomers[0].wait(within: 5) == .exited(128 + SIGINT))
    }

    @Test func withoutAHouseholdNobodyIsLetIn() throws {
        let scene = try Scene()
        let process = try scene.start("pair", "12345678", on: 1)
        #expect(try process.wait(within: 5) == .exited(69))
        #expect(process.errors == "tutti: no household here: 'tutti household create' makes one\n")
        #expect(try scene.household(1) == nil)
    }

    /// Neither a broadcaster nor a listener takes part in it, and `tutti peers` says who waits.
    @Test func othersLeaveANewMachineAlone() throws {
        let scene = try Scene(newcomers: 2)
        let newcomer = try scene.start("pair", on: 1)
        _ = try scene.code(newcomer)
        let listener = try scene.start("join", "--output", "null", "--once", on: 2)
        Testbed.letAnnouncementsPass()
        let peers = try scene.start("peers", "--json", on: 0)
        #expect(try peers.wait(within: 10) == .exited(0))
        let line = try #require(peers.lines.first { $0.contains(#""name":"host2""#) }, "\(peers.output)")
        #expect(line.contains(#""role":"pairing""#), "\(line)")
        let wrong = try scene.pair("12345678", scene.lan[2].address)
        #expect(wrong.status == .exited(69) && wrong.said.contains("host3 does not wait to be paired"), "\(wrong)")
        #expect(newcomer.lines.count == 2 && newcomer.isRunning, "\(newcomer.output)")
        #expect(listener.isRunning)
    }
}
