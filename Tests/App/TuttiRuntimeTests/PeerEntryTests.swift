import AudioCore
import Controlling
import Discovery
import Households
import Peering
import SecureChannel
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What is made of the answers of broadcasts.
@Suite(.timeLimit(.minutes(5))) struct PeerEntryTests {
    private func peer(
        _ instance: UInt64, _ name: String, _ roles: PeerRoles, key: UInt64 = 1
    ) -> DiscoveredPeer {
        let record = PeerRecord(
            id: UUIDBytes(high: key, low: instance), instance: instance, name: name, roles: roles,
            protocolVersion: 2)
        let service = PeerService(
            instance: instance, peer: record.id, name: name, domain: "local", hostName: "\(name).local", port: 7)
        return DiscoveredPeer(record: record, service: service, addresses: [.v4(0x0A00_0001)], interface: 1)
    }

    private func state(_ transport: TransportState, _ title: String?, _ listeners: [ProgrammeListener] = [])
        -> SurveyAnswer
    {
        let item = title.map { QueueItem(id: ItemID(1), title: $0) }
        let position = PlaybackPosition(
            frame: .zero, session: SessionTime(nanoseconds: 0), sampleRate: 48_000, framesPerSecond: 48_000)
        let status = TransportStatus(
            transport, current: item, position: transport == .playing && title != "late" ? position : nil)
        return .state(
            ProgrammeState(
                sequence: 0, sent: SessionTime(nanoseconds: 0), status: status, listeners: listeners))
    }

    private func listener(_ instance: UInt64, _ state: ListenerState) -> ProgrammeListener {
        ProgrammeListener(instance: instance, name: "any", state: state)
    }

    /// What is said of each peer.
    private func doings(_ peers: [DiscoveredPeer], _ answers: [SurveyAnswer]) -> [String] {
        let broadcasts = peers.filter { $0.record.roles == .broadcaster }.map { PeerContact($0).key }
        let survey = Survey(answers: Dictionary(uniqueKeysWithValues: zip(broadcasts, answers)))
        let entries = PeerList.entries(of: peers, survey, KnownPeers(own: PeerKeyPair.random().key))
        #expect(entries.map(\.name) == peers.map(\.serviceName))
        return entries.map { "\($0.activity) \($0.playing ?? "-")" }
    }

    @Test(
        arguments: [
            (.idle, nil, "idle -"), (.playing, "Song", "playing Song"), (.playing, "late", "waiting late"),
            (.paused, "Song", "paused Song"), (.stopped, "Song", "stopped Song"), (.playing, "", "playing -"),
        ] as [(TransportState, String?, String)])
    func aBroadcasterIsShownAsItSays(transport: TransportState, title: String?, doing: String) {
        #expect(doings([peer(1, "Attic", .broadcaster)], [state(transport, title)]) == [doing])
    }

    @Test func whoTellsNothingIsShownAsSuch() {
        let peers = [peer(1, "Attic", .broadcaster), peer(2, "Den", .broadcaster)]
        #expect(doings(peers, [.silent, .refused]) == ["unanswered -", "refused -"])
    }

    @Test(
        arguments: [
            (.playing, "playing Song"), (.paused, "paused Song"), (.connecting, "waiting Song"),
            (.preparing, "waiting Song"), (.ready, "waiting Song"), (.starving, "waiting Song"), (.finished, "idle -"),
        ] as [(ListenerState, String)])
    func aListenerIsShownAsItsBroadcastSays(state: ListenerState, doing: String) {
        let peers = [peer(1, "Attic", .broadcaster), peer(2, "Kitchen", .listener)]
        #expect(doings(peers, [self.state(.playing, "Song", [listener(2, state)])]).last == doing)
    }

    @Test func aListenerThatNobodyNamesIsIdleIfAllBroadcastsTell() {
        let peers = [peer(1, "Attic", .broadcaster), peer(2, "Den", .broadcaster), peer(3, "Kitchen", .listener)]
        #expect(doings(peers, [state(.playing, "Song"), state(.idle, nil)]).last == "idle -")
        #expect(doings(peers, [state(.playing, "Song"), .silent]).last == "unknown -")
        #expect(doings(peers, [.refused, state(.playing, "Song")]).last == "unknown -")
        #expect(doings([peers[2]], []) == ["idle -"])
        let others = (0..<WireLimits.listenerSettingsCount).map { listener(UInt64($0) + 10, .playing) }
        #expect(doings(peers, [state(.playing, "Song", others), state(.idle, nil)]).last == "unknown -")
    }

    @Test func whereSeveralNameAListenerTheOneThatItPlaysCounts() {
        let peers = [peer(1, "Attic", .broadcaster), peer(2, "Den", .broadcaster), peer(3, "Kitchen", .listener)]
        let left = state(.playing, "Old", [listener(3, .starving)])
        let heard = state(.playing, "New", [listener(3, .playing)])
        #expect(doings(peers, [left, heard]).last == "playing New")
        #expect(doings(peers, [heard, left]).last == "playing New")
    }

    @Test func ofTwoThatAnnounceOneNumberNothingIsKnown() {
        let answer = state(.playing, "Song", [listener(2, .playing)])
        let one = [peer(1, "Attic", .broadcaster), peer(2, "Bath", .listener)]
        let two = one + [peer(2, "Kitchen", .listener, key: 2)]
        #expect(doings(two, [answer]) == ["playing Song", "unknown -", "unknown -"])
        // One process that mDNS knows by two names.
        let renamed = one + [peer(2, "Bath #2", .listener)]
        #expect(doings(renamed, [answer]) == ["playing Song", "playing Song", "playing Song"])
    }

    // MARK: As what it is known

    @Test func aKeyTellsWhoItIsToThisMachine() throws {
        let keys = (0..<5).map { _ in PeerKeyPair.random() }
        var household = try Household(name: "Home", founder: keys[0], memberName: "Den")
        for other in keys[1...2] { try household.admit(other.signingKey, name: "Attic", by: keys[0]) }
        try household.remove(keys[2].signingKey, by: keys[0])
        var acquaintances = KnownPeers(own: keys[0].key, household: household)
        for other in [keys[1], keys[3]] {
            acquaintances.pins.note(MetPeer(try #require(PeerName("Attic")), other.key, isNamed: false), at: 1)
        }
        let name = try #require(PeerName("Kitchen"))
        acquaintances.pins.note(MetPeer(name, keys[3].key, isNamed: false), at: 1)
        let expected: [PeerRelation] = [.thisMachine, .member, .removed, .known, .new]
        #expect(keys.map { acquaintances.relation(of: $0.key) } == expected)
        #expect(
            keys.map { acquaintances.relation(ofClaimed: $0.key.uuid) } == [.thisMachine, .member, .new, .known, .new])
    }

    /// Anybody can announce another's UUID.
    @Test func aProvedKeyCountsMoreThanWhatIsAnnounced() throws {
        let (own, claimed, proved) = (PeerKeyPair.random(), PeerKeyPair.random(), PeerKeyPair.random())
        var household = try Household(name: "Home", founder: own, memberName: "Den")
        try household.admit(claimed.signingKey, name: "Attic", by: own)
        let record = PeerRecord(
            id: claimed.key.uuid, instance: 1, name: "Attic", roles: .broadcaster, protocolVersion: 2)
        let service = PeerService(
            instance: 1, peer: record.id, name: "Attic", domain: "local", hostName: "attic.local", port: 7)
        let peer = DiscoveredPeer(record: record, service: service, addresses: [.v4(0x0A00_0001)], interface: 1)
        let acquaintances = KnownPeers(own: own.key, household: household)
        var survey = Survey(answers: [PeerContact(peer).key: .silent])
        #expect(PeerList.entries(of: [peer], survey, acquaintances).map(\.relation) == [.member])
        survey.keys[PeerContact(peer).key] = proved.key
        #expect(PeerList.entries(of: [peer], survey, acquaintances).map(\.relation) == [.new])
    }
}
