import AudioCore
import Cryptography
import NIOCore
import SecureChannel
import Testing

@testable import Households

/// Processes of several machines, and channels between them that carry what each asks for.
struct MeetingNetwork {
    var processes: [HouseholdMeetings<Int>]
    var now = HostTime(nanoseconds: 1_000_000_000)
    private var ends: [(process: Int, other: Int)] = []
    private var standings: [[Int: PeerStanding]]
    private(set) var stored: [Household?]
    private(set) var changeCounts: [Int]
    private var onTheWay: [(channel: Int, SecretBytes)] = []

    init(_ processes: [HouseholdMeetings<Int>]) {
        self.processes = processes
        standings = processes.map { _ in [:] }
        stored = processes.map(\.household)
        changeCounts = processes.map { _ in 0 }
    }

    /// Two processes connect. Channels are numbered from 0: two numbers a connection, the caller's first.
    mutating func connect(_ one: Int, _ other: Int, keys: [PeerKeyPair]) throws {
        let (binding, channel) = (ChannelBinding(RandomNumbers.bytes32()), ends.count)
        ends += [(one, channel + 1), (other, channel)]
        let shown = [
            processes[one].open(channel, remoteKey: keys[other].key, binding: binding),
            processes[other].open(channel + 1, remoteKey: keys[one].key, binding: binding),
        ]
        let introductions = shown.map { ByteBuffer(bytes: $0) }
        perform(processes[one].receive(introduction: introductions[1], from: channel, at: 0, now: now), of: one)
        perform(processes[other].receive(introduction: introductions[0], from: channel + 1, at: 0, now: now), of: other)
        try settle()
    }

    mutating func adopt(_ household: Household?, _ process: Int) throws {
        stored[process] = household
        perform(try processes[process].adopt(household, now: now), of: process)
        try settle()
    }

    /// What the process was told of the other end of a channel.
    func standing(_ channel: Int) -> PeerStanding? { standings[ends[channel].process][channel] }

    private mutating func perform(_ actions: [HouseholdMeetings<Int>.Action], of process: Int) {
        for action in actions {
            switch action {
            case .standing(let channel, let standing): standings[process][channel] = standing
            case .send(let channel, let document): onTheWay.append((ends[channel].other, document))
            case .store(let household): stored[process] = household
            case .changed: changeCounts[process] += 1
            case .admitted, .full: Issue.record("nobody shows an invitation")
            }
        }
    }

    private mutating func settle() throws {
        for _ in 0..<100 where !onTheWay.isEmpty {
            let (channel, document) = onTheWay.removeFirst()
            let process = ends[channel].process
            do throws(HouseholdError) {
                let actions = try processes[process].receive(document: document, from: channel, now: now)
                perform(actions, of: process)
            } catch {
                // The connection is refused.
                try #require(error == .notMember)
            }
        }
        try #require(onTheWay.isEmpty, "it does not end")
    }
}
