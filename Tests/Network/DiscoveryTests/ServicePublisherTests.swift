import AudioCore
import CAvahi
import Testing

@testable import Discovery

/// Which services are announced when, by a clock that the tests turn.
@Suite(.timeLimit(.minutes(5))) struct ServicePublisherTests {
    /// A daemon that refuses what it is told to.
    private final class Registrar: ServiceRegistrar {
        /// What is announced now.
        private(set) var service: ServiceAdvertisement?
        private(set) var publishCount = 0
        var takenNames: Set<String> = []
        var failure: AvahiFailure?

        func publish(_ service: ServiceAdvertisement) throws(AvahiFailure) {
            if let failure { throw failure }
            if takenNames.contains(service.name) {
                throw AvahiFailure(operation: "advertise", code: AVAHI_ERR_COLLISION)
            }
            publishCount += 1
            self.service = service
        }

        func withdraw(_ type: ServiceType) throws(AvahiFailure) {
            #expect(type == .page)
            service = nil
        }
    }

    private let registrar = Registrar()
    private var publisher = ServicePublisher(.page)
    private var now = HostTime(nanoseconds: 1_000_000_000)

    private static func page(_ name: String = "Kitchen", _ port: UInt16 = 28_885) -> ServiceAdvertisement {
        ServiceAdvertisement(PageAdvertisement(name: name, port: port))
    }

    private mutating func want(_ page: ServiceAdvertisement?) { publisher.want(page, on: registrar, now: now) }

    /// Publishes what is due, as the loop does, and says that it is established.
    /// - Returns: the name that is news.
    private mutating func publish() -> String? {
        let before = registrar.publishCount
        let news = publisher.publish(on: registrar, now: now)
        if case .rejected(let reason) = news { return reason }
        guard registrar.publishCount > before, case .advertised(let name) = publisher.establish() else { return nil }
        return name
    }

    @Test mutating func nothingIsAnnouncedUnlessItIsWanted() {
        #expect(publish() == nil && publisher.due == nil && registrar.publishCount == 0)
        want(nil)
        #expect(publish() == nil && publisher.due == nil && registrar.publishCount == 0)
    }

    @Test mutating func aPageIsAnnouncedOnce() {
        want(Self.page())
        #expect(publisher.due == now)
        #expect(publish() == "Tutti: Kitchen" && registrar.service == Self.page())
        want(Self.page())
        #expect(publish() == nil && publisher.due == nil && registrar.publishCount == 1)
    }

    @Test mutating func aPageThatMovesIsWithdrawnForASecond() {
        want(Self.page())
        _ = publish()
        want(Self.page("Kitchen", 28_886))
        #expect(registrar.service == nil && publisher.due == now + .seconds(1))
        now = now + .milliseconds(999)
        #expect(publish() == nil && registrar.service == nil)
        now = now + .milliseconds(1)
        #expect(publish() == "Tutti: Kitchen" && registrar.service?.port == 28_886)
    }

    @Test mutating func aPageThatComesBackWaitsForItsGoodbye() {
        want(Self.page())
        _ = publish()
        want(nil)
        #expect(registrar.service == nil && publisher.due == nil)
        now = now + .milliseconds(300)
        want(Self.page())
        #expect(publish() == nil && publisher.due == now + .milliseconds(700))
        now = now + .seconds(1)
        #expect(publish() == "Tutti: Kitchen" && registrar.service == Self.page())
    }

    @Test mutating func aNameThatThisHostHasIsReplaced() {
        registrar.takenNames = ["Tutti: Kitchen", "Tutti: Kitchen #2"]
        want(Self.page())
        #expect(publish() == "Tutti: Kitchen #3")
    }

    @Test mutating func aNameThatAnotherHostHasIsReplacedAndKept() {
        want(Self.page())
        _ = publish()
        #expect(publisher.rename(on: registrar, now: now) == nil && registrar.service?.name == "Tutti: Kitchen #2")
        #expect(publisher.establish().map { "\($0)" }?.contains("Tutti: Kitchen #2") == true)
        // Over a restart of the daemon.
        publisher.loseConnection()
        #expect(publish() == "Tutti: Kitchen #2")
        // The broadcast was renamed as well: that is the name already.
        let count = registrar.publishCount
        want(Self.page("Kitchen #2"))
        #expect(publish() == nil && registrar.publishCount == count && registrar.service?.name == "Tutti: Kitchen #2")
    }

    /// Signals of the daemon may be under way when a page is withdrawn.
    @Test mutating func newsOfAWithdrawnPageIsIgnored() {
        want(Self.page())
        _ = publish()
        want(nil)
        #expect(publisher.establish() == nil)
        #expect(publisher.rename(on: registrar, now: now) == nil && publisher.loseService(now: now) == nil)
        #expect(registrar.service == nil && publisher.due == nil)
    }

    @Test mutating func aRefusalIsToldOnceAndTriedAgain() {
        registrar.failure = AvahiFailure(operation: "advertise", code: AVAHI_ERR_TOO_MANY_ENTRIES)
        want(Self.page())
        #expect(publish()?.hasPrefix("advertise: ") == true && publisher.due == now + .seconds(1))
        now = now + .seconds(1)
        #expect(publish() == nil && publisher.due == now + .seconds(2))
        registrar.failure = nil
        // Another wish does not hurry the next attempt.
        want(Self.page("Kitchen", 28_886))
        #expect(publish() == nil)
        now = now + .seconds(2)
        #expect(publish() == "Tutti: Kitchen" && registrar.service?.port == 28_886)
    }

    @Test mutating func aWishDuringAnOutageIsKept() {
        registrar.failure = AvahiFailure(operation: "advertise", code: AVAHI_ERR_DISCONNECTED)
        want(Self.page())
        #expect(publish() == nil && publisher.due == nil)
        publisher.loseConnection()
        publisher.want(Self.page("Kitchen", 28_886), on: nil, now: now)
        registrar.failure = nil
        #expect(publish() == "Tutti: Kitchen" && registrar.service?.port == 28_886)
    }
}

/// Names and TXT records of services.
@Suite(.timeLimit(.minutes(5))) struct ServiceAdvertisementTests {
    @Test func aPageSaysWhoseItIsAndItsPath() {
        let page = ServiceAdvertisement(PageAdvertisement(name: "Küche", port: 28_885))
        #expect(page.type.rawValue == "_http._tcp" && page.name == "Tutti: Küche" && page.port == 28_885)
        #expect(page.txtStrings == [Array("path=/".utf8)])
    }

    @Test(arguments: [
        ("", "Tutti"), (String(repeating: "x", count: 80), "Tutti: " + String(repeating: "x", count: 56)),
        // Two bytes each: half of one does not fit.
        ("x" + String(repeating: "ü", count: 40), "Tutti: x" + String(repeating: "ü", count: 27)),
        ("a\nb", "Tutti: a\u{FFFD}b"),
    ])
    func namesFitIntoALabel(_ name: String, expected: String) {
        let page = ServiceAdvertisement(PageAdvertisement(name: name, port: 1))
        #expect(page.name == expected && page.name.utf8.count <= 63)
    }

    @Test func aPeerIsAnnouncedByItsRecord() {
        let peer = ServiceAdvertisement(PeerAdvertisement(record: PeerRecordTests.record, port: 4_711))
        #expect(peer.type.rawValue == "_tutti._tcp" && peer.name == "Küche" && peer.port == 4_711)
        #expect(peer.txtStrings == PeerRecordTests.golden)
    }
}
