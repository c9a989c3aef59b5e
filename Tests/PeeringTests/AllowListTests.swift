import AudioCore
import Peering
import Testing
import WireProtocol

@Suite struct AllowListTests {
    private func contact(_ instance: UInt64, _ name: String) -> PeerContact {
        PeerContact(key: .instance(instance), name: name, roles: .listener, addresses: [])
    }

    private func greeting(_ instance: UInt64, _ name: String) -> Greeting {
        Greeting(
            roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: instance, started: 0, name: name)
    }

    @Test func noNameMeansEveryone() {
        let everyone = AllowList([])
        #expect(everyone.includes(contact(1, "Kitchen")) && everyone.includes(greeting(1, "Kitchen")))
    }

    @Test func aPeerThatMDNSDoesNotKnowGoesByItsGreeting() {
        let list = AllowList(["Kitchen"])
        #expect(list.includes(greeting(1, "Kitchen")))
        #expect(!list.includes(greeting(1, "Cellar")))
        #expect(list.includes(PeerContact(address: NetworkAddress(host: "cellar"))))
    }

    @Test func whatMDNSSaysGoesBeforeTheGreeting() {
        var list = AllowList(["Kitchen"])
        list.note(contact(1, "Kitchen #2"))
        #expect(!list.includes(contact(1, "Kitchen #2")))
        #expect(!list.includes(greeting(1, "Kitchen")))
        list.note(contact(1, "Kitchen"))
        #expect(list.includes(contact(1, "Kitchen")))
        #expect(list.includes(greeting(1, "Kitchen #2")))
        list.forget(.instance(1))
        #expect(!list.includes(greeting(1, "Kitchen #2")))
    }

    @Test func aNameThatAnotherBearsIsNotTheGreetersOwn() {
        var list = AllowList(["Kitchen", "Cellar"])
        list.note(contact(1, "Kitchen"))
        #expect(!list.includes(greeting(2, "Kitchen")))
        #expect(list.includes(greeting(2, "Cellar")))
        #expect(list.isBorne("Kitchen", by: greeting(1, "Kitchen")))
        list.forget(.instance(1))
        #expect(list.includes(greeting(2, "Kitchen")))
    }
}
