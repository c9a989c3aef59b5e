import AudioCore
import Testing
import WireProtocol

@testable import Peering

@Suite(.timeLimit(.minutes(5))) struct AllowListTests {
    private func contact(
        _ instance: UInt64, _ name: String, at address: String = "10.0.0.1", service: String = ""
    ) -> PeerContact {
        PeerContact(
            key: .instance(instance, service: service), name: name, roles: .listener,
            addresses: [NetworkAddress(host: address)])
    }

    private func greeting(_ instance: UInt64, _ name: String) -> Greeting {
        Greeting(
            roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: instance, started: 0, name: name)
    }

    @Test func noNameMeansEveryone() {
        let everyone = AllowList([])
        #expect(everyone.includes(contact(1, "Kitchen")) && everyone.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
    }

    @Test func aPeerThatMDNSDoesNotKnowGoesByItsGreeting() {
        let list = AllowList(["Kitchen"])
        #expect(list.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
        #expect(!list.includes(greeting(1, "Cellar"), at: "10.0.0.1"))
        #expect(list.includes(PeerContact(address: NetworkAddress(host: "cellar"))))
    }

    @Test func whatMDNSSaysGoesBeforeTheGreeting() {
        var list = AllowList(["Kitchen"])
        list.note(contact(1, "Kitchen #2"))
        #expect(!list.includes(contact(1, "Kitchen #2")))
        #expect(!list.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
        list.note(contact(1, "Kitchen"))
        #expect(list.includes(contact(1, "Kitchen")))
        #expect(list.includes(greeting(1, "Kitchen #2"), at: "10.0.0.1"))
        list.remove(.instance(1))
        #expect(!list.includes(greeting(1, "Kitchen #2"), at: "10.0.0.1"))
    }

    @Test func aNameThatAnotherBearsIsNotTheGreetersOwn() {
        var list = AllowList(["Kitchen", "Cellar"])
        list.note(contact(1, "Kitchen"))
        #expect(!list.includes(greeting(2, "Kitchen"), at: "10.0.0.2"))
        #expect(list.includes(greeting(2, "Cellar"), at: "10.0.0.2"))
        #expect(list.isName("Kitchen", of: greeting(1, "Kitchen"), at: "10.0.0.1"))
        list.remove(.instance(1))
        #expect(list.includes(greeting(2, "Kitchen"), at: "10.0.0.2"))
    }

    /// Whatever a forged record says of a process, and wherever it says that it is, the process keeps its own name.
    @Test(arguments: ["10.0.0.1", "10.0.0.66"]) func aRecordOfAnotherNameTakesNoneAway(address: String) {
        let forged = contact(1, "Impostor", at: address, service: "forged")
        for isForgedFirst in [true, false] {
            var list = AllowList(["Kitchen"])
            if isForgedFirst { list.note(forged) }
            list.note(contact(1, "Kitchen"))
            if !isForgedFirst { list.note(forged) }
            #expect(list.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
            #expect(list.includes(contact(1, "Kitchen")) && !list.includes(forged))
        }
        var unannounced = AllowList(["Kitchen"])
        unannounced.note(forged)
        #expect(unannounced.includes(greeting(1, "Kitchen"), at: "10.0.0.1") == (address != "10.0.0.1"))
    }

    /// mDNS forgets everyone where a cable is pulled; a peer that goes by another name since is announced anew.
    @Test func aNameThatMDNSForgotCountsUntilThereIsANewer() {
        var list = AllowList(["Kitchen"])
        list.note(contact(1, "Kitchen", service: "first"))
        list.markForgotten(.instance(1, service: "first"))
        #expect(list.includes(greeting(1, "Wanted"), at: "10.0.0.1"))
        list.note(contact(1, "Impostor", at: "10.0.0.66", service: "forged"))
        #expect(list.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
        list.note(contact(1, "Kitchen #2", service: "second"))
        #expect(!list.includes(greeting(1, "Kitchen"), at: "10.0.0.1"))
    }
}
