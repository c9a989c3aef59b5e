import Households
import WireProtocol

extension Refusal {
    /// To a peer that may not take part.
    public init(_ denial: AccessDenial) {
        let isLate = if case .removed(_, lately: true) = denial { true } else { false }
        self.init(isLate ? .removedLately : .notAllowed, denial.text)
    }
}
