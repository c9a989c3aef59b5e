import AudioCore
import NIOCore
import WireProtocol

/// One page's questions for the session time. Owns no socket and no clock.
///
/// | bytes | of a question | of an answer |
/// |---|---|---|
/// | 0...7 | whatever the page likes | the same |
/// | 8...15 | | i64, session time in nanoseconds when the question was read |
/// | 16...23 | | i64, when the answer was written |
///
/// Big-endian.
struct ClockExchangeSession {
    static let questionByteCount = 8
    static let burst = 100
    static let perSecond = 50

    enum Verdict: Equatable {
        /// Write the answer that ``answer(_:received:sent:)`` makes.
        case answer
        /// Say nothing: it is as if the question was lost.
        case drop
        /// This is no question.
        case refuse
    }

    private var rate = RateLimit(perSecond: Self.perSecond, burst: Self.burst)

    mutating func receive(_ question: ByteBuffer, now: HostTime) -> Verdict {
        guard question.readableBytes == Self.questionByteCount else { return .refuse }
        return rate.take(now) ? .answer : .drop
    }

    /// - Parameters:
    ///   - received, sent: when the question came, and when the answer goes. The broadcaster's host time is session
    ///     time.
    static func answer(_ question: ByteBuffer, received: HostTime, sent: HostTime) -> ByteBuffer {
        var answer = question
        answer.writeInteger(received.nanoseconds)
        answer.writeInteger(sent.nanoseconds)
        return answer
    }
}
