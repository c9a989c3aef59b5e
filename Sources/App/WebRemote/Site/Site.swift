import AudioCore
import HostSystem
import NIOCore
import ProgrammeJSON
import TuttiRuntime
import WebServer
import WireProtocol

/// A socket that was opened with a ticket.
protocol TicketSocket: AnyObject {
    func end(code: UInt16, reason: String)
}

/// The page for browsers, and the interface for programs beside it: who may do what, and who is there. Confined to the
/// server's loop.
final class Site: WebSite {
    /// What a site is made of.
    struct Parts {
        var door: any BrowserDoor
        var sender: any SongSender
        /// Who may listen and command, as the user allowed.
        var policy = AccessPolicy()
        var acceptsSongs: Bool
        /// The broadcast's name until the broadcast says it.
        var name: String
        var emit: (WebNotice) -> Void
        /// On which streams are made; nil for the server's.
        var streamLoop: (any EventLoop)?
    }

    /// Pages at once.
    static let pageLimit = 400
    static let badTicket = "this ticket is not good, or is used by too many sockets; join again"

    let loop: any EventLoop
    let desk: BroadcastDesk
    let door: any BrowserDoor
    let sender: any SongSender
    private let policy: AccessPolicy
    private let acceptsSongs: Bool
    private let name: String
    private let emit: (WebNotice) -> Void
    var files = PageFiles()
    var tickets = Tickets()
    private(set) var guests = GuestBook(since: WallClock.milliseconds())
    private(set) var access: PageAccess
    var streamTickets = StreamTickets()
    let streamLoop: any EventLoop
    var streams: [ObjectIdentifier: RadioStream] = [:]
    private var pages: [ObjectIdentifier: EventsSocket] = [:]
    private var sockets: [Ticket: [ObjectIdentifier: any TicketSocket]] = [:]
    private var uploadCount = 0
    private var rates = AddressRates()
    private var suspicions = Suspicions()

    init(loop: any EventLoop, desk: BroadcastDesk, isInHousehold: Bool, parts: Parts) {
        self.loop = loop
        self.desk = desk
        door = parts.door
        sender = parts.sender
        policy = parts.policy
        access = PageAccess(parts.policy, acceptsSongs: parts.acceptsSongs, isInHousehold: isInHousehold)
        acceptsSongs = parts.acceptsSongs
        name = parts.name
        emit = parts.emit
        streamLoop = parts.streamLoop ?? loop
        desk.tell = { [weak self] news in self?.tell(news) }
    }

    var listeners: [ProgrammeListener] {
        if case .following(_, let state) = desk.presence { state.listeners } else { [] }
    }

    var house: RemoteSession.House {
        RemoteSession.House(
            name: desk.name ?? name, access: access, listeners: listeners, milliseconds: WallClock.milliseconds())
    }

    /// Whether anybody may come in.
    var isWanted: Bool { !access.open.isEmpty || guests.hasGuests(at: WallClock.seconds()) }

    // MARK: What changes

    /// Returns what somebody may do now.
    /// - Parameter id: nil for one without a code.
    func rights(of id: GuestID?) -> PageRights {
        guard let id else { return access.open }
        return guests.guest(id, at: WallClock.seconds()).map { access.rights(of: $0.role) } ?? []
    }

    /// Takes who has a code, and whether there is a household.
    func take(_ kept: [Guest], isInHousehold: Bool) {
        guests.replace(kept)
        access = PageAccess(policy, acceptsSongs: acceptsSongs, isInHousehold: isInHousehold)
        checkPages()
    }

    /// Takes note that time has passed; must come twice a second.
    func tick() {
        desk.tick(now: .now())
        checkPages()
    }

    private func checkPages() {
        for page in Array(pages.values) { page.check() }
        checkStreams()
    }

    private func tell(_ news: BroadcastDesk.News) {
        let text =
            switch news {
            case .text(let text): text
            case .ended(let reason): JSONValue.object(["ended": .object(["reason": .string(reason)])]).text
            }
        for page in pages.values { page.tell(text) }
    }

    // MARK: Sockets

    /// - Returns: whether there is room for one more page.
    func add(_ page: EventsSocket) -> Bool {
        guard pages.count < Self.pageLimit else { return false }
        pages[ObjectIdentifier(page)] = page
        return true
    }

    func remove(_ page: EventsSocket) { pages[ObjectIdentifier(page)] = nil }

    func noteJoined(_ holder: Tickets.Holder, _ address: String) {
        emit(.joined(name: holder.name, isGuest: holder.guest != nil, address: address))
    }

    /// Ends what a page was given when it joined.
    func leave(_ holder: Tickets.Holder, _ ticket: Ticket) {
        tickets.withdraw(ticket)
        for socket in (sockets.removeValue(forKey: ticket) ?? [:]).values {
            socket.end(code: 1008, reason: "the page is closed")
        }
        emit(.left(name: holder.name))
    }

    /// Takes note of a socket that opens with a ticket.
    /// - Returns: whose ticket it is; nil if it may not.
    func open(_ socket: any TicketSocket, _ use: Tickets.Use, with ticket: Ticket) -> Tickets.Holder? {
        guard tickets.holder(of: ticket)?.rights.contains(.listen) == true,
            let holder = tickets.open(use, with: ticket)
        else { return nil }
        sockets[ticket, default: [:]][ObjectIdentifier(socket)] = socket
        return holder
    }

    func close(_ socket: any TicketSocket, _ use: Tickets.Use, with ticket: Ticket) {
        tickets.close(use, with: ticket)
        sockets[ticket]?[ObjectIdentifier(socket)] = nil
        if sockets[ticket]?.isEmpty == true { sockets[ticket] = nil }
    }

    /// Takes note of a wrong proof.
    func suspect(_ address: String, _ what: String) {
        if suspicions.note(address, now: .now()) { emit(.suspicious(address: address, what)) }
    }

    // MARK: Others

    /// Takes one request of an address.
    func takesRequest(of address: String) -> Bool { rates.take(address, now: .now()) }

    /// Takes the number of a guest's HTTP request.
    func accept(_ number: UInt64, of guest: GuestID) -> Bool {
        guests.accept(number, of: guest, at: WallClock.milliseconds())
    }

    /// - Returns: whether one more song may be sent now.
    func beginUpload() -> Bool {
        guard uploadCount < SongUpload.countLimit else { return false }
        uploadCount += 1
        return true
    }

    func uploadDidEnd() { uploadCount -= 1 }
}

// Confined to the server's loop, on which the server, the sockets and the follower's news call it.
extension Site: @unchecked Sendable {}
