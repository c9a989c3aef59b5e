/// Where a URL may lead, redirects included.
public enum HTTPReach: Hashable, Sendable {
    case anywhere
    /// Neither to this machine by its loopback addresses, nor to link-local ones: for URLs that a stranger gave, who
    /// must not get at what is only for this machine.
    case otherMachines
}
