/// Why a dial did not connect.
public enum DialFailure: Error, Hashable {
    /// Nothing was heard in time, or something else went wrong.
    case unanswered
    /// The machine answers, and nobody listens there: a process that mDNS no longer knows either has ended.
    case refused
    /// The system gave up looking for the machine. It asks the network once a second while anything is to be sent there,
    /// three times, and then no more until there is again (RFC 1122 section 2.3.2.1, RFC 4861 section 7.2.2): a contact
    /// that is missed is dialled anew at once.
    case unreachable
}
