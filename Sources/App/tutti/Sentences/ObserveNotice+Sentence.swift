import Observing

extension ObserveNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .severalFound(let names, let taken):
            "several broadcasts: \(names.joined(separator: ", ")); checking \(taken) (choose with --from NAME)"
        }
    }
}
