import Testing

@testable import LANKit

@Suite(.timeLimit(.minutes(1)))
struct StallLoggerTests {
    @Test func whatProcessorsStoodStillTogetherIsOneStall() {
        let stalls = [(40, 50), (0, 10), (5, 12), (6, 8), (12, 20)].map { StallLogger.Stall(start: $0.0, end: $0.1) }
        #expect(StallLogger.merged(stalls) == [.init(start: 0, end: 20), .init(start: 40, end: 50)])
    }
}
