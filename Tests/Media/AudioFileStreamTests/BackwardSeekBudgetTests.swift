import Testing

@testable import AudioFileStreamServices

/// How often a file may be gone back in.
@Suite(.timeLimit(.minutes(5)))
struct BackwardSeekBudgetTests {
    @Test func goingBackEndsWhereTheFileIsNotWorthIt() {
        var budget = BackwardSeekBudget(fileByteCount: 8 * 2_048)
        for _ in 0..<20 { #expect(budget.goBack() == true) }
        #expect(budget.goBack() == false)
        budget.reset()
        #expect(budget.goBack() == true)
    }
}
