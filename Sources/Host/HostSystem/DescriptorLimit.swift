import Glibc

/// The number of files and sockets that this process may have open.
public enum DescriptorLimit {
    /// More than any process needs.
    private static let wanted: rlim_t = 65_536

    /// Raises the limit as far as the system allows (`RLIMIT_NOFILE`, getrlimit(2)).
    ///
    /// Linux starts with 1,024, fewer than a broadcast may have listeners. Any thread may call it; it does nothing
    /// where raising is denied.
    public static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < wanted,
            limit.rlim_cur < limit.rlim_max
        else {
            return
        }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
