import AudioCore
import Cryptography
import NIOCore
import ProgrammeJSON
import Testing
import WireProtocol

@testable import WebRemote

/// A page, played by the test.
private struct PageScene {
    static let nonce = String(repeating: "ab", count: 16)
    static let ownNonce = String(repeating: "cd", count: 16)

    var now = HostTime(nanoseconds: 5_000_000_000)
    var house = RemoteSession.House(
        name: "Den", access: PageAccess(open: [.listen, .command]), listeners: [], milliseconds: 1_000_000)
    var guests = GuestBook()
    var tickets = Tickets()
    var session: RemoteSession
    var key: SecretBytes?

    init() { session = RemoteSession(nonce: Self.nonce, now: HostTime(nanoseconds: 5_000_000_000)) }

    mutating func say(_ text: String) -> [RemoteSession.Action] {
        session.receive(text, house, guests, &tickets, now: now)
    }

    /// Of a guest: with number and proof.
    mutating func say(_ text: String, number: UInt64) -> [RemoteSession.Action] {
        guard let key else { return [] }
        return say(wrapped(text, number, GuestProof.request(key, number: number, text: text).hex))
    }

    func wrapped(_ text: String, _ number: UInt64, _ mac: String) -> String {
        JSONValue.object([
            "n": .integer(Int64(number)), "mac": .string(mac), "text": .string(text),
        ]).text
    }

    mutating func join(_ guest: Guest, mac: String? = nil) -> [RemoteSession.Action] {
        let nonces = GuestProof.Nonces(server: Self.nonce, client: Self.ownNonce)
        key = GuestProof.sessionKey(guest.key, nonces)
        let mac = mac ?? GuestProof.join(guest.key, nonces).hex
        return say(
            #"{"join":{"name":"Anna","guest":"\#(guest.id.hex)","nonce":"\#(Self.ownNonce)","mac":"\#(mac)"}}"#)
    }

    static func joinedAsGuest(_ role: GuestRole) -> PageScene {
        var scene = PageScene()
        let guest = Guest(name: "Anna", role: role, ends: 2_000)
        scene.house.access.open = []
        scene.guests.replace([guest])
        _ = scene.join(guest)
        return scene
    }

    static func joinedOpenly() -> PageScene {
        var scene = PageScene()
        _ = scene.say(#"{"join":{"name":"Anna"}}"#)
        return scene
    }

    var isJoined: Bool { if case .joined = session.phase { true } else { false } }
    var isEnded: Bool { if case .ended = session.phase { true } else { false } }
}

extension [RemoteSession.Action] {
    fileprivate var texts: [String] { compactMap { if case .send(let text) = $0 { text } else { nil } } }
    fileprivate var requests: [PageRequest] {
        compactMap { if case .request(_, let request) = $0 { request } else { nil } }
    }
    fileprivate var isClosed: Bool {
        contains { if case .close(RemoteSession.policyViolation, _) = $0 { true } else { false } }
    }
    fileprivate var isSuspicious: Bool { contains { if case .suspect = $0 { true } else { false } } }
    fileprivate var error: String? {
        texts.first.flatMap { try? JSONValue(parsing: $0, byteLimit: 1 << 20) }?.member("error")?.string
    }
}

@Suite(.timeLimit(.minutes(5)))
struct RemoteSessionTests {
    @Test func theGreetingSaysWhatEverybodyMay() {
        var scene = PageScene()
        let hello = #"{"hello":{"version":1,"name":"Den","nonce":"\#(PageScene.nonce)","isOpen":true,"#
        #expect(
            scene.session.greeting(scene.house).texts == [hello + #""rights":["listen","command"],"time":1000000}}"#])
        scene.house.access.open = []
        #expect(scene.session.greeting(scene.house).texts[0].hasSuffix(#""isOpen":false,"rights":[],"time":1000000}}"#))
    }

    @Test func inOpenModeAnybodyJoins() throws {
        var scene = PageScene()
        let actions = scene.say(#"{"join":{"name":"Anna"}}"#)
        guard case .join(let holder, let ticket)? = actions.last else {
            Issue.record("did not join")
            return
        }
        #expect(holder.name == "Anna" && holder.guest == nil && scene.tickets.holder(of: ticket) == holder)
        let json = try JSONValue(parsing: actions.texts[0], byteLimit: 1_000).member("joined")
        #expect(json?.member("ticket")?.string == ticket.hex && json?.member("mac") == nil)
        #expect(json?.member("instance")?.string == String(holder.instance, radix: 16))
        #expect(json?.member("name")?.string == "Anna")
    }

    /// Joins one more page, in the same house.
    private func joined(
        _ scene: inout PageScene, _ name: String, former: Ticket? = nil
    ) -> (holder: Tickets.Holder, ticket: Ticket, replaced: Ticket?)? {
        scene.session = RemoteSession(nonce: PageScene.nonce, now: scene.now)
        let member = former.map { #","former":"\#($0.hex)""# } ?? ""
        let actions = scene.say(#"{"join":{"name":"\#(name)"\#(member)}}"#)
        var replaced: Ticket?
        for case .replace(let ticket) in actions { replaced = ticket }
        guard case .join(let holder, let ticket)? = actions.last else { return nil }
        return (holder, ticket, replaced)
    }

    @Test func pagesOfOneNameAreToldApart() throws {
        var scene = PageScene()
        let first = try #require(joined(&scene, "Anna's phone"))
        #expect(first.holder.name == "Anna's phone" && joined(&scene, "Anna's phone")?.holder.name == "Anna's phone 2")
        #expect(joined(&scene, "Anna's phone")?.holder.name == "Anna's phone 3")
        #expect(joined(&scene, "Ben's phone")?.holder.name == "Ben's phone")
        scene.tickets.withdraw(first.ticket)
        #expect(joined(&scene, "Anna's phone")?.holder.name == "Anna's phone")
        // The number is never what is cut off.
        let long = String(repeating: "é", count: 100)
        let names = (0..<12).compactMap { _ in joined(&scene, long)?.holder.name }
        #expect(Set(names).count == 12 && names.allSatisfy { $0.utf8.count <= RemoteSession.nameByteCount })
    }

    /// The old connection may linger, of a phone that was asleep.
    @Test func aPageThatComesBackKeepsItsName() throws {
        var scene = PageScene()
        let first = try #require(joined(&scene, "Anna"))
        let again = try #require(joined(&scene, "Anna", former: first.ticket))
        #expect(again.holder.name == "Anna" && again.replaced == first.ticket && again.ticket != first.ticket)
        // That is nobody's.
        let other = try #require(joined(&scene, "Anna", former: .random()))
        #expect(other.holder.name == "Anna 2" && other.replaced == nil)
    }

    @Test func nobodyTakesAGuestsPlace() throws {
        var scene = PageScene()
        let holder = Tickets.Holder(name: "Anna", rights: [.listen], instance: 1, guest: GuestID(hex: "0123456789ab"))
        let ticket = scene.tickets.issue(to: holder)
        let other = try #require(joined(&scene, "Anna", former: ticket))
        #expect(other.holder.name == "Anna 2" && other.replaced == nil)
    }

    @Test func whatAllPagesOfAnAddressSayTogetherIsLimited() {
        var scene = PageScene.joinedOpenly()
        let ping = #"{"id":1,"ping":{}}"#
        #expect(scene.say(ping).error == nil)
        let answer = scene.session.receive(
            ping, scene.house, scene.guests, &scene.tickets, isCrowded: true, now: scene.now)
        #expect(answer.error?.contains("too much") == true && scene.isJoined)
    }

    @Test func inAHouseholdOnlyGuestsJoin() {
        var scene = PageScene()
        scene.house.access.open = []
        #expect(scene.say(#"{"join":{"name":"Anna"}}"#).isClosed && scene.isEnded)
    }

    @Test func aGuestJoinsByAProofAndGetsOne() throws {
        var scene = PageScene()
        scene.house.access.open = []
        let guest = Guest(name: "Anna", role: .add, ends: 2_000)
        scene.guests.replace([guest])
        let actions = scene.join(guest)
        guard case .join(let holder, let ticket)? = actions.last, let key = scene.key else {
            Issue.record("did not join")
            return
        }
        #expect(holder.rights == [.listen, .add] && holder.guest == guest.id)
        let json = try JSONValue(parsing: actions.texts[0], byteLimit: 1_000).member("joined")
        #expect(json?.member("mac")?.string == GuestProof.joined(key, ticket: ticket).hex)
    }

    @Test func wrongProofsAreRefusedAndTold() {
        let guest = Guest(name: "Anna", role: .add, ends: 2_000)
        for mac in [String(repeating: "0", count: 64), "", "xyz"] {
            var scene = PageScene()
            scene.guests.replace([guest])
            let actions = scene.join(guest, mac: mac)
            #expect(actions.isClosed && actions.isSuspicious && scene.isEnded)
        }
        // One that nobody knows, and one whose time is over.
        for known in [[], [Guest(name: "Anna", key: guest.key, role: .add, ends: 1_000)]] {
            var scene = PageScene()
            scene.guests.replace(known)
            #expect(scene.join(guest).isClosed)
        }
    }

    @Test func whoeverDoesNotJoinIsNotHeard() {
        var scene = PageScene()
        #expect(scene.say(#"{"id":1,"command":{"pause":{}}}"#).isClosed)
        var other = PageScene()
        other.now += RemoteSession.joinTime
        #expect(other.session.check(other.guests, other.house, now: other.now).isClosed)
    }

    @Test func requestsNeedTheirRights() {
        let wanted: [(String, [GuestRole])] = [
            (#"{"id":1,"queue":{}}"#, [.listen, .add, .command]),
            (#"{"id":1,"lyrics":{"item":5}}"#, [.listen, .add, .command]),
            (#"{"id":1,"songs":{"query":"a"}}"#, [.add, .command]),
            (#"{"id":1,"command":{"add":{"paths":["/a"]}}}"#, [.add, .command]),
            (#"{"id":1,"command":{"pause":{}}}"#, [.command]),
            (#"{"id":1,"command":{"volume":{"level":4}}}"#, [.command]),
        ]
        for role in GuestRole.allCases {
            for (text, roles) in wanted {
                var scene = PageScene.joinedAsGuest(role)
                let actions = scene.say(text, number: 1)
                #expect(actions.requests.count == (roles.contains(role) ? 1 : 0), "\(role): \(text)")
                #expect((actions.error == nil) == roles.contains(role) && scene.isJoined)
            }
        }
    }

    @Test func aPageSetsTheOffsetOfItsOwnListenerAlone() {
        var scene = PageScene.joinedAsGuest(.listen)
        guard case .joined(let member) = scene.session.phase else { return }
        let own = member.holder.instance
        scene.house.listeners = [
            ProgrammeListener(instance: own, name: "Anna", state: .playing),
            ProgrammeListener(instance: own ^ 1, name: "Den", state: .playing),
        ]
        func offset(_ instance: UInt64) -> String {
            #"{"id":1,"command":{"offset":{"microseconds":-1500,"listener":"\#(String(instance, radix: 16))"}}}"#
        }
        #expect(scene.say(offset(own), number: 1).requests.count == 1)
        var other = PageScene.joinedAsGuest(.command)
        other.house.listeners = scene.house.listeners
        #expect(other.say(offset(own), number: 1).error?.contains("own browser") == true)
    }

    @Test func whatComesTwiceOrChangedEndsAGuest() throws {
        var scene = PageScene.joinedAsGuest(.command)
        let text = #"{"id":1,"ping":{}}"#
        #expect(scene.say(text, number: 2).texts == [#"{"id":1,"pong":{}}"#])
        #expect(scene.say(text, number: 5).texts.count == 1)
        #expect(scene.say(text, number: 5).isClosed && scene.isEnded)

        var other = PageScene.joinedAsGuest(.command)
        let key = try #require(other.key)
        let mac = GuestProof.request(key, number: 1, text: text).hex
        #expect(other.say(other.wrapped(#"{"id":2,"ping":{}}"#, 1, mac)).isClosed)

        var bare = PageScene.joinedAsGuest(.command)
        #expect(bare.say(text).isClosed)
    }

    @Test func aGuestWithdrawnOrOverIsClosed() {
        var scene = PageScene.joinedAsGuest(.add)
        #expect(scene.session.check(scene.guests, scene.house, now: scene.now).isEmpty)
        scene.house.milliseconds = 2_000_000
        #expect(scene.session.check(scene.guests, scene.house, now: scene.now).isClosed && scene.isEnded)

        var other = PageScene.joinedAsGuest(.add)
        other.guests.replace([])
        #expect(other.session.check(other.guests, other.house, now: other.now).isClosed)

        var open = PageScene.joinedOpenly()
        #expect(open.session.check(open.guests, open.house, now: open.now).isEmpty)
        open.house.access.open = []
        #expect(open.session.check(open.guests, open.house, now: open.now).isClosed)
    }

    @Test func whoMayDoSomethingElseNowComesBack() {
        var scene = PageScene.joinedOpenly()
        scene.house.access.open = [.listen]
        guard
            case .close(RemoteSession.serviceRestart, _)? = scene.session.check(
                scene.guests, scene.house, now: scene.now
            ).first
        else {
            Issue.record("goes on")
            return
        }
        #expect(scene.isEnded)
    }

    @Test func whatIsWithheldNoGuestMay() {
        var scene = PageScene()
        let guest = Guest(name: "Anna", role: .command, ends: 2_000)
        scene.house.access = PageAccess(open: [])
        scene.house.access.withheld = [.add, .command]
        scene.guests.replace([guest])
        _ = scene.join(guest)
        #expect(scene.isJoined)
        let answer = scene.say(#"{"id":1,"command":{"pause":{}}}"#, number: 1)
        #expect(answer.requests.isEmpty && answer.error != nil)
        #expect(scene.say(#"{"id":2,"queue":{}}"#, number: 2).requests.count == 1)
    }

    @Test func askingTooOftenIsAnsweredAndThenEnds() {
        var scene = PageScene.joinedOpenly()
        let answers = (1...60).map { scene.say(#"{"id":\#($0),"ping":{}}"#) }
        // The text that joined was one of the burst.
        #expect(answers.count { $0.error == nil } == RemoteSession.burst - 1)
        #expect(answers.last?.error?.contains("too much") == true)
        scene.now += .milliseconds(500)
        #expect((1...20).count { scene.say(#"{"id":\#($0),"ping":{}}"#).error == nil } == 10)
        for number in 1...RemoteSession.excessLimit { _ = scene.say(#"{"id":\#(number),"ping":{}}"#) }
        #expect(scene.isEnded)
    }

    @Test func soManyAnswersAreWaitedFor() {
        var scene = PageScene.joinedOpenly()
        for id in 1...RemoteSession.outstandingLimit {
            #expect(scene.say(#"{"id":\#(id),"queue":{}}"#).requests.count == 1)
        }
        #expect(scene.say(#"{"id":1,"queue":{}}"#).error?.contains("another id") == true)
        #expect(scene.say(#"{"id":99,"queue":{}}"#).error?.contains("wait") == true)
        #expect(scene.session.answer(1, .init(key: "queue", value: .null)).texts == [#"{"id":1,"queue":null}"#])
        #expect(scene.session.answer(1, .init(key: "queue", value: .null)).isEmpty)
        #expect(scene.say(#"{"id":99,"queue":{}}"#).requests.count == 1)
    }

    @Test func nonsenseIsAnsweredWithAnError() {
        for text in [
            "", "{", "[]", "1", "{}", #"{"id":1}"#, #"{"id":"a","ping":{}}"#, #"{"id":1,"ping":{},"queue":{}}"#,
            #"{"id":1,"dance":{}}"#, #"{"id":1,"queue":{"from":-1}}"#, #"{"id":1,"queue":{"count":100000}}"#,
            #"{"id":1,"lyrics":{}}"#, #"{"id":1,"command":{}}"#, #"{"id":1,"command":{"pause":{},"play":{}}}"#,
            #"{"id":1,"lyrics":{"item":99999999999}}"#,
        ] {
            var scene = PageScene.joinedOpenly()
            #expect(scene.say(text).error != nil && scene.isJoined, "\(text)")
        }
    }

    @Test func theClockIsAskedByEightBytesAndNotTooOften() {
        var exchange = ClockExchangeSession()
        let now = HostTime(nanoseconds: 1)
        #expect(exchange.receive(.init(bytes: [1]), now: now) == .refuse)
        let question = ByteBuffer(bytes: [1, 2, 3, 4, 5, 6, 7, 8])
        let verdicts = (0..<120).map { _ in exchange.receive(question, now: now) }
        #expect(verdicts.count { $0 == .answer } == ClockExchangeSession.burst && verdicts.last == .drop)
        let answer = ClockExchangeSession.answer(
            question, received: HostTime(nanoseconds: 258), sent: HostTime(nanoseconds: 259))
        #expect(
            answer.readableBytesView.elementsEqual(
                [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 1, 2] + [0, 0, 0, 0, 0, 0, 1, 3]))
    }
}
