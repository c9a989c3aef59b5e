import AudioCore
import Cryptography
import ProgrammeJSON
import WireProtocol

/// One page's conversation about what plays: who it is, what it asks for, what it is told. Events in, actions out.
///
///     greeted ──a name, and of a guest the proof of its code──▶ joined ──withdrawn, or it breaks the rules──▶ ended
///        └──the proof is wrong, or nothing comes in time──────────────────────────────────────────────────────▲
///
/// Of a guest every text carries a number and a proof: what is repeated, or changed on its way, ends it. Owns no
/// socket and no clock.
struct RemoteSession {
    enum Phase {
        case greeted(since: HostTime)
        case joined(Member)
        case ended
    }

    /// Somebody who has joined.
    struct Member {
        let holder: Tickets.Holder
        let ticket: Ticket
        /// Nil for one without a code.
        fileprivate var proof: Proof?
        /// Ids of requests whose answers are still to come.
        fileprivate var outstanding: Set<Int64> = []
    }

    /// What a guest's further texts are checked by.
    fileprivate struct Proof {
        let key: SecretBytes
        var lastNumber: UInt64 = 0
    }

    enum Action {
        case send(String)
        /// Close the socket.
        case close(code: UInt16, reason: String)
        /// It has joined: tell it the programme's state, and each change from now on.
        case join(Tickets.Holder, Ticket)
        /// It has joined in place of the page with this ticket, which is to end.
        case replace(Ticket)
        /// Answer with ``RemoteSession/answer(_:_:)``.
        case request(id: Int64, PageRequest)
        /// Somebody's proof was wrong, for this reason.
        case suspect(String)
    }

    /// What a session must know of the house at the moment.
    struct House {
        var name: String
        /// Who may do what.
        var access: PageAccess
        var listeners: [ProgrammeListener]
        /// Since 1970.
        var milliseconds: Int64

        var seconds: Int64 { milliseconds / 1_000 }
    }

    static let byteLimit = 64 * 1024
    static let requestsPerSecond = 20
    static let burst = 40
    static let outstandingLimit = 16
    /// Texts that are answered with nothing but an error; whoever sends more of them is not a page.
    static let excessLimit = 400
    static let joinTime = TimeSpan.seconds(10)
    /// A WebSocket's end for whoever breaks the rules: policy violation (RFC 6455, section 7.4.1).
    static let policyViolation: UInt16 = 1008

    /// A WebSocket's end for whoever may come back at once: service restart (RFC 6455's registry).
    static let serviceRestart: UInt16 = 1012

    /// Bytes of a page's name: the broadcast puts " (browser)" behind it.
    static let nameByteCount = WireLimits.peerNameByteCount - 10

    private(set) var phase: Phase
    private let nonce: String
    private var rate = RateLimit(perSecond: Self.requestsPerSecond, burst: Self.burst)
    private var excessCount = 0

    /// - Parameter nonce: 32 random hexadecimal digits.
    init(nonce: String, now: HostTime) {
        self.nonce = nonce
        phase = .greeted(since: now)
    }

    /// Returns what a page is greeted with.
    func greeting(_ house: House) -> [Action] {
        [
            .send(
                JSONValue.object([
                    "hello": .object([
                        "version": .integer(1), "name": .string(house.name), "nonce": .string(nonce),
                        "isOpen": .bool(!house.access.open.isEmpty), "rights": house.access.open.json,
                        "time": .integer(house.milliseconds),
                    ])
                ]).text)
        ]
    }

    /// Takes a text of the page.
    /// - Parameters:
    ///   - tickets: of which one is issued to whoever joins.
    ///   - isCrowded: whether all pages at its address together say too much.
    mutating func receive(
        _ text: String, _ house: House, _ guests: GuestBook, _ tickets: inout Tickets, isCrowded: Bool = false,
        now: HostTime
    ) -> [Action] {
        if case .ended = phase { return [] }
        let isAllowed = rate.take(now) && !isCrowded
        if !isAllowed {
            excessCount += 1
            if excessCount > Self.excessLimit { return end("too much was asked; ask at most 20 times a second") }
        }
        do throws(JSONError) {
            let json = try JSONValue(parsing: text, byteLimit: Self.byteLimit)
            switch phase {
            case .greeted: return join(json, house, guests, &tickets)
            case .joined(let member): return take(json, from: member, house, isAllowed)
            case .ended: return []
            }
        } catch {
            return fault(nil, "\(error)")
        }
    }

    /// Takes note that time has passed.
    mutating func check(_ guests: GuestBook, _ house: House, now: HostTime) -> [Action] {
        switch phase {
        case .greeted(let since) where now - since >= Self.joinTime:
            return end("nobody joined; say who you are, with \"join\"")
        case .joined(let member):
            var rights = house.access.open
            if let id = member.holder.guest {
                guard let guest = guests.guest(id, at: house.seconds) else { return end("your code is no longer good") }
                rights = house.access.rights(of: guest.role)
            }
            if rights.isEmpty { return end(PageRequest.missing(.listen)) }
            // A household was made, or left.
            return rights == member.holder.rights ? [] : restart()
        case .greeted, .ended: return []
        }
    }

    /// Takes note that the socket closed.
    mutating func close() { phase = .ended }

    /// Answers a request.
    /// - Parameter member: what the answer holds beside the id.
    mutating func answer(_ id: Int64, _ member: JSONValue.Member) -> [Action] {
        guard case .joined(var joined) = phase, joined.outstanding.remove(id) != nil else { return [] }
        phase = .joined(joined)
        return [Self.reply(id, member)]
    }

    private static func reply(_ id: Int64?, _ member: JSONValue.Member) -> Action {
        let ids = id.map { [JSONValue.Member(key: "id", value: .integer($0))] } ?? []
        return .send(JSONValue.object(ids + [member]).text)
    }

    private func fault(_ id: Int64?, _ text: String) -> [Action] {
        [Self.reply(id, .init(key: "error", value: .string(text)))]
    }

    private mutating func end(_ reason: String) -> [Action] {
        phase = .ended
        let refused = JSONValue.object(["refused": .object(["reason": .string(reason)])])
        return [.send(refused.text), .close(code: Self.policyViolation, reason: reason)]
    }

    /// It is to come back, to be told what it may do now.
    private mutating func restart() -> [Action] {
        phase = .ended
        return [.close(code: Self.serviceRestart, reason: "what you may do here has changed; join again")]
    }

    // MARK: Joining

    private mutating func join(
        _ json: JSONValue, _ house: House, _ guests: GuestBook, _ tickets: inout Tickets
    ) -> [Action] {
        guard let join = json.member("join") else { return end("say who you are first, with \"join\"") }
        let name = Self.name(join.member("name")?.string)
        let former = Ticket(join.member("former")?.string)
        guard let id = join.member("guest"), id != .null else {
            guard !house.access.open.isEmpty else { return end(PageRequest.missing(.listen)) }
            return admit(name, house.access.open, nil, former, &tickets)
        }
        guard let id = id.string.flatMap(GuestID.init(hex:)), let guest = guests.guest(id, at: house.seconds) else {
            return [.suspect("a code that is unknown, withdrawn or over")]
                + end("this code is not good, or not any more; ask for another one")
        }
        guard let clientNonce = join.member("nonce")?.string,
            clientNonce.isLowerHex(digitCount: 2 * GuestProof.nonceByteCount), let mac = join.member("mac")?.string
        else { return end("a guest joins with \"guest\", \"nonce\" and \"mac\"") }
        let nonces = GuestProof.Nonces(server: nonce, client: clientNonce)
        guard GuestProof.matches(GuestProof.join(guest.key, nonces), hex: mac) else {
            return [.suspect("a wrong proof of \(guest.name)'s code")] + end("the proof of this code is wrong")
        }
        let rights = house.access.rights(of: guest.role)
        guard !rights.isEmpty else { return end("nobody may listen or command here by a page") }
        return admit(name, rights, (guest, GuestProof.sessionKey(guest.key, nonces)), former, &tickets)
    }

    private mutating func admit(
        _ name: String, _ rights: PageRights, _ guest: (guest: Guest, key: SecretBytes)?, _ former: Ticket?,
        _ tickets: inout Tickets
    ) -> [Action] {
        // Its own, that is: what a page was before its connection was lost may still be there.
        let former = former.flatMap { ticket in
            tickets.holder(of: ticket).flatMap { $0.guest == guest?.guest.id ? ticket : nil }
        }
        let name = tickets.distinctName(name, besides: former, byteLimit: Self.nameByteCount)
        // Instances are numbers at random, and never 0 (Identity).
        let holder = Tickets.Holder(
            name: name, rights: rights, instance: .random(in: 1...(.max)), guest: guest?.guest.id)
        let ticket = tickets.issue(to: holder)
        phase = .joined(Member(holder: holder, ticket: ticket, proof: guest.map { Proof(key: $0.key) }))
        var members: [JSONValue.Member] = [
            .init(key: "rights", value: rights.json), .init(key: "ticket", value: .string(ticket.hex)),
            .init(key: "instance", value: .string(String(holder.instance, radix: 16))),
            .init(key: "name", value: .string(name)),
        ]
        if let key = guest?.key {
            members.append(.init(key: "mac", value: .string(GuestProof.joined(key, ticket: ticket).hex)))
        }
        let joined = JSONValue.object([.init(key: "joined", value: .object(members))])
        return (former.map { [.replace($0)] } ?? []) + [.send(joined.text), .join(holder, ticket)]
    }

    /// A peer's name, as everywhere.
    private static func name(_ text: String?) -> String {
        let name = String(displaying: text ?? "", maximumByteCount: nameByteCount)
        return name.allSatisfy(\.isWhitespace) ? "a browser" : name
    }

    // MARK: Requests

    private mutating func take(_ json: JSONValue, from member: Member, _ house: House, _ isAllowed: Bool) -> [Action] {
        var (member, json) = (member, json)
        if member.proof != nil {
            do throws(PageRequest.Fault) {
                json = try Self.unwrapped(json, &member)
            } catch {
                return [.suspect("\(member.holder.name): \(error.text)")] + end(error.text)
            }
            phase = .joined(member)
        }
        guard let id = json.member("id")?.integer else {
            return fault(nil, "a request has an \"id\", a whole number")
        }
        guard isAllowed else {
            return fault(id, "too much at once; ask at most \(Self.requestsPerSecond) times a second")
        }
        guard !member.outstanding.contains(id) else {
            return fault(id, "a request of this id is still to be answered; take another id")
        }
        do throws(PageRequest.Fault) {
            let request = try PageRequest(json, listeners: house.listeners)
            if let obstacle = request.obstacle(for: member.holder.rights, instance: member.holder.instance) {
                throw PageRequest.Fault(obstacle)
            }
            if case .ping = request { return [Self.reply(id, .init(key: "pong", value: .object([])))] }
            guard member.outstanding.count < Self.outstandingLimit else {
                throw PageRequest.Fault("\(Self.outstandingLimit) requests are still to be answered; wait for them")
            }
            member.outstanding.insert(id)
            phase = .joined(member)
            return [.request(id: id, request)]
        } catch {
            return fault(id, error.text)
        }
    }

    /// Returns what a guest's text wraps, if the proof is right and the number new.
    private static func unwrapped(_ json: JSONValue, _ member: inout Member) throws(PageRequest.Fault) -> JSONValue {
        guard let proof = member.proof, let number = json.member("n")?.integer.flatMap({ UInt64(exactly: $0) }),
            let mac = json.member("mac")?.string, let text = json.member("text")?.string
        else { throw PageRequest.Fault("a guest's request has \"n\", \"mac\" and \"text\"") }
        guard GuestProof.matches(GuestProof.request(proof.key, number: number, text: text), hex: mac) else {
            throw PageRequest.Fault("the proof of a request is wrong")
        }
        guard number > proof.lastNumber else { throw PageRequest.Fault("a request came twice, or late") }
        member.proof?.lastNumber = number
        do throws(JSONError) {
            return try JSONValue(parsing: text, byteLimit: byteLimit)
        } catch {
            throw PageRequest.Fault("\(error)")
        }
    }
}
