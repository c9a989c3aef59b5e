import AudioCore
import Cryptography
import Testing

@testable import Pairing

/// Codes, and when they may be tried.
@Suite(.timeLimit(.minutes(5)))
final class PairingWindowTests {
    private var window = PairingWindow<String>()
    private var now = HostTime(nanoseconds: 1_000)

    /// An action in words; the code itself differs.
    private func words(_ actions: [PairingWindow<String>.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .show: "show"
            case .failed(let party, let remaining): "\(party) failed, \(remaining) left"
            case .succeeded(let party): "\(party) succeeded"
            case .closed(let closing): "closed: \(closing)"
            }
        }
    }

    private func shownCode(_ actions: [PairingWindow<String>.Action]) -> String? {
        for case .show(let code) in actions { return code.displayText }
        return nil
    }

    @Test func aCodeHoldsForOneTry() throws {
        let first = shownCode(window.open(now: now))
        #expect(try window.begin("A", now: now).displayText == first)
        #expect(throws: PairingWindow<String>.Refusal.busy) { try window.begin("B", now: now) }
        let actions = window.end("A", isSuccess: false, now: now)
        #expect(words(actions) == ["A failed, 2 left", "show"])
        #expect(shownCode(actions) != first)
        #expect(try window.begin("B", now: now).displayText == shownCode(actions))
        #expect(words(window.end("A", isSuccess: true, now: now)) == [], "it is not A that tries")
        #expect(words(window.end("B", isSuccess: true, now: now)) == ["B succeeded", "closed: paired"])
        #expect(throws: PairingWindow<String>.Refusal.closed) { try window.begin("B", now: now) }
        #expect(window.nextDeadline == nil && !window.isOpen)
    }

    @Test func aCodeHoldsForTwoMinutes() {
        let first = shownCode(window.open(now: now))
        let deadline = now + .seconds(120)
        #expect(window.nextDeadline == deadline)
        #expect(words(window.expire(now: deadline - .nanoseconds(1))) == [])
        #expect(throws: PairingWindow<String>.Refusal.expired) { try window.begin("A", now: deadline) }
        let actions = window.expire(now: deadline)
        #expect(words(actions) == ["show"] && shownCode(actions) != first)
        #expect(window.nextDeadline == deadline + .seconds(120))
    }

    @Test func threeFailuresCloseUntilAskedForAgain() throws {
        _ = window.open(now: now)
        for remaining in [2, 1] {
            _ = try window.begin("A", now: now)
            #expect(words(window.end("A", isSuccess: false, now: now)) == ["A failed, \(remaining) left", "show"])
            // A code that nobody tried is no failure, and forgives none.
            now += .seconds(200)
            #expect(words(window.expire(now: now)) == ["show"])
        }
        _ = try window.begin("B", now: now)
        #expect(words(window.end("B", isSuccess: false, now: now)) == ["B failed, 0 left", "closed: tooManyFailures"])
        #expect(words(window.expire(now: now + .seconds(1_000))) == [])
        #expect(throws: PairingWindow<String>.Refusal.closed) { try window.begin("A", now: now) }
        #expect(words(window.open(now: now)) == ["show"])
        _ = try window.begin("A", now: now)
    }

    @Test func aTryThatTakesTooLongHasFailed() throws {
        _ = window.open(now: now)
        _ = try window.begin("A", now: now)
        now += PairingLimits.attemptTimeout
        #expect(words(window.expire(now: now)) == ["A failed, 2 left", "show"])
        #expect(words(window.end("A", isSuccess: true, now: now)) == [], "too late")
        #expect(window.isOpen)
    }

    @Test func closingEndsATry() throws {
        #expect(words(window.close()) == [])
        _ = window.open(now: now)
        _ = try window.begin("A", now: now)
        #expect(words(window.close()) == ["closed: cancelled"])
        #expect(words(window.end("A", isSuccess: true, now: now)) == [])
    }

    @Test func codesAreEightDigits() {
        #expect(PairingCode(number: 42).displayText == "0000 0042")
        #expect(PairingCode("1234 5678")?.displayText == "1234 5678")
        #expect(PairingCode("1234-5678")?.displayText == "1234 5678")
        for text in ["", "1234567", "123456789", "1234567a", "١٢٣٤٥٦٧٨", "+1234567"] {
            #expect(PairingCode(text) == nil, "\(text)")
        }
        #expect("\(PairingCode.random())" == "(code)")
        // Each first digit is as likely: with 2,000 codes, 200 times, and by chance not below 120.
        let firsts = (0..<2_000).map { _ in PairingCode.random().displayText.first! }
        for digit in "0123456789" { #expect(firsts.count { $0 == digit } > 120) }
    }
}
