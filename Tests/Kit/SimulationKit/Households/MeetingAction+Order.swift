import Households
import Peering

extension Array where Element == HouseholdMeetings<ConnectionID>.Action {
    /// With what concerns connections in their order, so that a run can be replayed: they come in that of a dictionary.
    var inOrder: [Element] {
        enumerated().sorted { (Self.rank($0.element), $0.offset) < (Self.rank($1.element), $1.offset) }
            .map(\.element)
    }

    private static func rank(_ action: Element) -> Int {
        switch action {
        case .admitted: -3
        case .store: -2
        case .full, .changed: -1
        case .standing(let id, _), .send(let id, _): id.number
        }
    }
}
