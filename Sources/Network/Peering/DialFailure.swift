/// Why a dial did not connect.
public enum DialFailure: Error, Hashable {
    /// There was no answer in time, or something else went wrong.
    case unanswered
    /// The machine answers, but nobody listens there: a process that mDNS no longer knows either has ended.
    case refused
    /// The system gave up resolving the machine's link address. It asks the network once a second while there is
    /// something to send, three times, and not again until there is more (RFC 1122 section 2.3.2.1, RFC 4861 section
    /// 7.2.2): a lost contact is redialled at once.
    case unreachable
}
