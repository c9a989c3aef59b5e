import Observing

extension ObserveNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .severalFound(let names, let taken):
            "several broadcasts: \(names.joined(separator: ", ")); checking the oldest, \(taken) (choose with --from NAME)"
        }
    }
}
