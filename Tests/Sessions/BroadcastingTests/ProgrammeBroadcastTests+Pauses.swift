import AudioCore
import ClockSync
import Programmes
import Testing
import WireProtocol

@testable import Broadcasting

// Pauses.
extension ProgrammeBroadcastTests {
    /// Each end of the numbers that a report may hold.
    @Test(arguments: [Int64.max, .min]) func aRoundTripThatNobodyHasMovesNoCommand(nanoseconds: Int64) throws {
        var broadcast = playing()
        var timing = ListenerTiming(
            error: .zero, errorBound: .zero, asymmetryLimit: .zero, roundTrip: .zero, clockSkew: PartsPerMillion(0),
            deviceSkew: PartsPerMillion(0), correction: PartsPerMillion(0))
        timing.roundTrip = TimeSpan(nanoseconds: nanoseconds)
        broadcast.say(
            WireEncoder.report(
                ListenerReport(
                    state: .playing, epoch: Epoch(1), received: .zero, buffered: .zero, timing: timing)), 1)
        broadcast.wait(.seconds(1), draining: 1)
        let asked = SessionTime(nanoseconds: broadcast.now.nanoseconds)
        perform(.pause, &broadcast)
        guard case .done(_, let effect)? = broadcast.outcomes.last?.verdict else { throw Missing() }
        #expect(effect - asked >= .milliseconds(50) && effect - asked <= .milliseconds(300))
    }

    @Test func aPauseEndsAtOneFrameAndTheNextOneFollows() throws {
        var broadcast = playing()
        let anchor = try #require(broadcast.heard[1]?.anchor)
        broadcast.wait(.seconds(1), draining: 1)
        let asked = broadcast.now
        perform(.pause, &broadcast)
        let cut = try #require(broadcast.heard[1]?.cuts.last)
        let effect = anchor.session(of: cut.frame)
        #expect(cut.epoch == Epoch(1))
        let lead = effect - ClockMapping.identity.session(at: asked)
        #expect(lead >= .milliseconds(79) && lead <= BroadcastLimits.longestCommandLead)
        guard case .done(_, let told)? = broadcast.outcomes.last?.verdict else { throw Missing() }
        #expect(abs((told - effect).seconds) < 1 / 8_000)
        broadcast.wait(.seconds(30), draining: 1)
        #expect(broadcast.session.playPosition(broadcast.now) == cut.frame && broadcast.outcome == nil)

        perform(.resume, &broadcast)
        let resumed = try #require(broadcast.heard[1]?.anchors.last)
        #expect(resumed.epoch == Epoch(1) && resumed.frame == cut.frame)
        #expect(resumed.session > ClockMapping.identity.session(at: broadcast.now))
        #expect(broadcast.heard[1]?.cuts.count == 1)
    }

    /// A pause before the sound has begun again ends nothing, so that the next resume need not wait for it.
    @Test func quickPausesDoNotAddUp() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        for _ in 0..<25 {
            perform(.pause, &broadcast)
            broadcast.wait(.milliseconds(10), draining: 1)
            perform(.resume, &broadcast)
            broadcast.wait(.milliseconds(10), draining: 1)
        }
        let resumed = try #require(broadcast.heard[1]?.anchors.last)
        let wait = resumed.session - ClockMapping.identity.session(at: broadcast.now)
        #expect(wait <= BroadcastLimits.longestCommandLead, "\(wait)")
    }

    @Test func aJoinerInAPauseIsToldOfIt() throws {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        perform(.pause, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        broadcast.join(2)
        let inbox = try #require(broadcast.heard[2])
        #expect(inbox.cuts == broadcast.heard[1]?.cuts && inbox.anchors.isEmpty)
        perform(.resume, &broadcast)
        #expect(broadcast.heard[2]?.anchors.last == broadcast.heard[1]?.anchors.last)
    }

    @Test func aPauseBeforeTheStartHoldsIt() {
        var broadcast = ScriptedBroadcast { $0.programme = ScriptedBroadcast.programme(["a"]) }
        broadcast.give(seconds: 10)
        perform(.pause, &broadcast)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        broadcast.wait(.seconds(2), draining: 1)
        #expect(broadcast.heard[1]?.anchor == nil)
        perform(.resume, &broadcast)
        broadcast.wait(.seconds(1), draining: 1)
        #expect(broadcast.heard[1]?.anchor != nil)
    }

    @Test func aCommandThatComesTwiceActsOnce() {
        var broadcast = playing()
        broadcast.wait(.seconds(1), draining: 1)
        let command = Command(.programme(.toggle))
        for _ in 0..<2 { broadcast.handle(.command(command, Self.asker)) }
        #expect(broadcast.session.transport == .paused && broadcast.heard[1]?.cuts.count == 1)
        #expect(broadcast.outcomes.count == 2 && broadcast.outcomes.first == broadcast.outcomes.last)
    }
}
