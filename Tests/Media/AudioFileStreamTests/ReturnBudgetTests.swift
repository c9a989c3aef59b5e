import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// How often, and how far, a file may be gone back in.
@Suite(.timeLimit(.minutes(5)))
struct ReturnBudgetTests {
    @Test func goingBackEndsWhereTheFileIsNotWorthIt() {
        var budget = ReturnBudget(fileByteCount: 8 * 2_048)
        for _ in 0..<20 { #expect(budget.goBack(by: 1 << 40, isEdited: false) == nil) }
        #expect(budget.goBack(by: 1, isEdited: false) == "MPEG-4 packets in no order that can be followed")
        #expect(budget.goBack(by: 1, isEdited: true) == "MPEG-4 packets in no order that can be followed")
        budget.reset()
        #expect(budget.goBack(by: 1, isEdited: false) == nil)
    }

    @Test func editsMayReadTheFileSomeTimesOver() {
        var budget = ReturnBudget(fileByteCount: 1_000)
        #expect(budget.goBack(by: 7_999, isEdited: true) == nil)
        #expect(budget.goBack(by: 100_000, isEdited: false) == nil)
        #expect(budget.goBack(by: 1, isEdited: true) == ReturnBudget.excessiveEdits)
        budget.reset()
        #expect(budget.goBack(by: 7_999, isEdited: true) == nil)
    }

    @Test func largeFilesMayBeEditedMore() {
        #expect(ReturnBudget(fileByteCount: 0).largestEditCount == 8)
        #expect(ReturnBudget(fileByteCount: 4 * 8_192).largestEditCount == 12)
        #expect(ReturnBudget(fileByteCount: .max).largestEditCount == 32)
    }
}
