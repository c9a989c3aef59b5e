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
        var connector: any BrowserConnector
        var sender: any SongSender
        /// Who may listen and command, as the user allowed.
        var policy = AccessPolicy()
        var acceptsSongs: Bool
        /// The broadcast's name until the broadcast says it.
        var name: String
        var emit: (WebNotice) -> Void
        /// On which streams are made; nil for the server's.
        var streamLoop: RunningLoop?
    }

    /// Pages at once.
    static let pageLimit = 400
    /// Requests of pages at one address that are to be answered: a house behind one address has few.
    static let requestLimitOfAddress = 24
    /// Sockets by which pages at one address listen. A page that listens has three sockets, so an address' connections
    /// (``WebLimits/connectionsPerAddress``) are enough for 21 pages: a whole party behind one address. Or for ten that
    /// come back together while their lost sockets still linger. Whoever has more opens several for one page.
    static let listeningLimitOfAddress = 24
    static let tooManyListen =
        "\(listeningLimitOfAddress) browsers at your address listen already: stop one, and try again"
    static let badTicket = "this ticket is not good, or is used by too many sockets; join again"

    let running: RunningLoop
    let desk: BroadcastDesk
    let connector: any BrowserConnector
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
    let streamLoop: RunningLoop
    var streams: [ObjectIdentifier: RadioStream] = [:]
    var streamCounts = AddressCounts(limit: RadioStream.countLimit, ofAddress: RadioStream.countLimitOfAddress)
    private var pages: [ObjectIdentifier: EventsSocket] = [:]
    private var sockets: [Ticket: [ObjectIdentifier: any TicketSocket]] = [:]
    private var uploads: [ObjectIdentifier: SongUpload] = [:]
    private var uploadCounts = AddressCounts(limit: SongUpload.countLimit, ofAddress: SongUpload.countLimitOfAddress)
    private var listeningCounts = AddressCounts(limit: .max, ofAddress: Site.listeningLimitOfAddress)
    private var requestCounts = AddressCounts(limit: .max, ofAddress: Site.requestLimitOfAddress)
    private var rates = AddressRates(perSecond: AddressRates.perSecond, burst: AddressRates.burst)
    /// Of texts that pages send.
    private var textRates = AddressRates(perSecond: AddressRates.textsPerSecond, burst: AddressRates.textBurst)
    private var suspicions = Suspicions()

    init(running: RunningLoop, desk: BroadcastDesk, isInHousehold: Bool, parts: Parts) {
        self.running = running
        self.desk = desk
        connector = parts.connector
        sender = parts.sender
        policy = parts.policy
        access = PageAccess(parts.policy, acceptsSongs: parts.acceptsSongs, isInHousehold: isInHousehold)
        acceptsSongs = parts.acceptsSongs
        name = parts.name
        emit = parts.emit
        streamLoop = parts.streamLoop ?? running
        desk.tell = { [weak self] news in self?.tell(news) }
        desk.isWatched = { [weak self] in self?.pages.isEmpty == false }
    }

    var loop: any EventLoop { running.loop }

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

    /// Ends the page with this ticket.
    func replacePage(with ticket: Ticket) { for page in Array(pages.values) { page.end(ifOf: ticket) } }

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

    /// - Returns: whether one more page at this address may listen now.
    func beginListening(at address: String) -> Bool { listeningCounts.begin(address) }

    func endListening(at address: String) { listeningCounts.end(address) }

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

    /// Takes one text of a page at this address.
    func takesText(of address: String) -> Bool { textRates.take(address, now: .now()) }

    /// - Returns: whether one more request of pages at this address may be answered now.
    func beginRequest(of address: String) -> Bool { requestCounts.begin(address) }

    func endRequest(of address: String) { requestCounts.end(address) }

    /// - Returns: whether one more song of this address may be sent now.
    func begin(_ upload: SongUpload) -> Bool {
        guard uploadCounts.begin(upload.address) else { return false }
        uploads[ObjectIdentifier(upload)] = upload
        return true
    }

    func end(_ upload: SongUpload) {
        if uploads.removeValue(forKey: ObjectIdentifier(upload)) != nil { uploadCounts.end(upload.address) }
    }

    /// Ends all that goes on, once the server is shut down: what other threads bring later is dropped.
    /// - Returns: when neither loop has anything left for the other.
    func shutDown() -> EventLoopFuture<Void> {
        desk.end()
        running.end()
        streamLoop.end()
        for upload in uploads.values { upload.shutDown() }
        for stream in streams.values { stream.end() }
        // Behind all that streams have still to say to this loop.
        return streamLoop.loop.submit {}.hop(to: loop)
    }
}

// Confined to the server's loop, on which the server, the sockets and the follower's news call it.
extension Site: @unchecked Sendable {}
