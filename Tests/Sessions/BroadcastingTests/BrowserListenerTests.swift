import AudioCore
import Broadcasting
import Households
import Peering
import Testing
import WireProtocol

/// Browsers that listen: this machine's page let them in.
@Suite(.timeLimit(.minutes(5))) struct BrowserListenerTests {
    private func broadcast(household: String? = nil) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.access.household = household }
        broadcast.give(seconds: 60)
        return broadcast
    }

    /// Whoever let it in has judged that already.
    @Test(arguments: [nil, "Home"]) func itListensAndIsMarked(household: String?) throws {
        var broadcast = broadcast(household: household)
        broadcast.join(1, direction: .browser(instance: 1))
        broadcast.join(2, direction: .local)
        for id in [1, 2] { broadcast.report(.ready, id) }
        #expect(broadcast.closed.isEmpty && broadcast.session.listeners.count == 2)
        broadcast.join(3, roles: .controller, direction: .local)
        broadcast.say(WireEncoder.follow(), 3)
        guard case .programmeState(let state)? = broadcast.heard[3]?.messages.last else {
            Issue.record("no state")
            return
        }
        #expect(state.listeners.map(\.isBrowser) == [true, false])
        #expect(state.listeners[0].name.hasSuffix(" (browser)") && !state.listeners[1].name.hasSuffix(" (browser)"))
    }

    @Test func whereNobodyMayListenNoBrowserMay() {
        var broadcast = ScriptedBroadcast { $0.access.allow(.listen, for: .nobody) }
        broadcast.give(seconds: 60)
        broadcast.join(1, direction: .browser(instance: 1))
        #expect(broadcast.refusal(of: 1)?.reason == .notAllowed && broadcast.closed == [1])
    }

    @Test(arguments: [PeerRoles.controller, .observer, .broadcaster]) func itIsNothingElse(roles: PeerRoles) {
        var broadcast = broadcast()
        broadcast.join(1, roles: roles, direction: .browser(instance: 1))
        #expect(broadcast.refusal(of: 1) != nil && broadcast.closed == [1])
    }

    @Test func itCommandsNothingByTheConnectionByWhichItListens() {
        var broadcast = broadcast()
        broadcast.join(1, direction: .browser(instance: 1))
        broadcast.report(.ready, 1)
        broadcast.say(WireEncoder.command(Command(.programme(.pause))), 1)
        #expect(broadcast.verdicts(of: 1) == [.refused(.notAllowed)])
    }

    /// As whom it greets was decided when it came in: else it could take another listener's place.
    @Test func itGreetsAsItselfAlone() {
        var broadcast = broadcast()
        broadcast.join(2)
        broadcast.join(1, instance: 2, direction: .browser(instance: 1))
        #expect(broadcast.refusal(of: 1)?.reason == .protocolError && broadcast.closed == [1])
    }

    @Test func itReadsNoLibrary() {
        #expect(!PeerStanding.guest.mayReadLibrary)
        let policy = AccessPolicy(household: nil)
        #expect(policy.denial(of: .listen, to: .guest) == nil)
        for right in [AccessRight.broadcast, .command, .store] {
            #expect(policy.denial(of: right, to: .guest) == .listensOnly)
        }
    }

    @Test func followersAreToldWhereThePageIs() {
        var broadcast = broadcast()
        let pages = [
            PageLocation(port: 28_885), PageLocation(port: 28_885, scheme: .https(name: "music.example.org")), nil,
        ]
        for (id, page) in zip(3..., pages) {
            broadcast.handle(.page(page))
            broadcast.join(id, roles: .controller, direction: .local)
            broadcast.say(WireEncoder.follow(), id)
            guard case .programmeState(let state)? = broadcast.heard[id]?.messages.last else {
                Issue.record("no state")
                return
            }
            #expect(state.page == page)
        }
    }
}
