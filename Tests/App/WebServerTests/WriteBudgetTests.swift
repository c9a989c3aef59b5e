import Testing

@testable import WebServer

/// Slow readers, each with little waiting, and together with much.
@Suite(.timeLimit(.minutes(5))) struct WriteBudgetTests {
    /// Connections by names; those that were given up.
    private final class Scene {
        let budget = WriteBudget(limit: 100)
        private var shares: [String: WriteBudget.Share] = [:]
        private(set) var givenUp: [String] = []

        func share(_ name: String) -> WriteBudget.Share {
            if let share = shares[name] { return share }
            let share = WriteBudget.Share { [unowned self] in givenUp.append(name) }
            shares[name] = share
            return share
        }

        func add(_ count: Int, _ name: String) { budget.add(count, to: share(name)) }
    }

    @Test func whoeverHasMostWaitingIsGivenUp() {
        let scene = Scene()
        scene.add(50, "a")
        scene.add(30, "b")
        scene.add(20, "c")
        #expect(scene.givenUp.isEmpty && scene.budget.byteCount == 100)
        scene.add(1, "c")
        #expect(scene.givenUp == ["a"] && scene.budget.byteCount == 51)
        // It may write on for a moment, which counts no more.
        scene.add(1_000, "a")
        scene.budget.remove(10, from: scene.share("a"))
        #expect(scene.givenUp == ["a"] && scene.budget.byteCount == 51)
    }

    @Test func thatMayBeWhoeverWrites() {
        let scene = Scene()
        scene.add(10, "a")
        scene.add(95, "b")
        #expect(scene.givenUp == ["b"] && scene.budget.byteCount == 10)
    }

    @Test func asManyAreGivenUpAsItTakes() {
        let scene = Scene()
        for name in ["a", "b", "c", "d"] { scene.add(25, name) }
        scene.add(60, "e")
        #expect(scene.givenUp == ["e"])
        scene.add(24, "f")
        #expect(scene.givenUp.count == 2 && scene.budget.byteCount == 99)
    }

    @Test func whatIsWrittenIsFreeAgain() {
        let scene = Scene()
        for _ in 0..<1_000 {
            scene.add(100, "a")
            scene.budget.remove(60, from: scene.share("a"))
            scene.budget.remove(scene.share("a"))
        }
        #expect(scene.givenUp.isEmpty && scene.budget.byteCount == 0)
        // More than there was means nothing.
        scene.budget.remove(5, from: scene.share("a"))
        #expect(scene.budget.byteCount == 0)
    }

    @Test func whatWouldBeGivenUpIsKnownBefore() {
        let scene = Scene()
        scene.add(60, "a")
        #expect(!scene.budget.isTooMuch(40, for: scene.share("b")))
        // Another one has more.
        #expect(!scene.budget.isTooMuch(50, for: scene.share("b")))
        #expect(scene.budget.isTooMuch(60, for: scene.share("b")))
        #expect(scene.budget.isTooMuch(41, for: scene.share("a")))
        #expect(scene.givenUp.isEmpty)
    }
}
