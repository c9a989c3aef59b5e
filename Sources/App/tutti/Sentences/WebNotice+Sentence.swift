import WebRemote

extension WebNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .listening(let location, let wanted):
            "page for browsers: \(PageAddress.best(location))"
                + (location.port == wanted ? "" : " (port \(wanted) is taken by another program)")
        case .renewed(let location):
            "the page for browsers has a new certificate" + (location.map { ": \(PageAddress.best($0))" } ?? "")
        case .certificateDoubtful(let warning): warning
        case .certificateUnusable(let reason): "the page for browsers keeps its former certificate: \(reason)"
        case .closed: "no page for browsers any more: no guest's code is good; 'tutti guests add' makes one"
        case .unavailable(let reason): "no page for browsers: \(reason)"
        case .joined(let name, let isGuest, let address):
            "\(name) opened the page from \(address)" + (isGuest ? " as a guest" : "")
        case .left(let name): "\(name) closed the page"
        case .suspicious(let address, let reason): "many wrong codes come from \(address): \(reason)"
        case .guestsUnreadable(let reason): "guests cannot be read, those who were known stay: \(reason)"
        }
    }
}
