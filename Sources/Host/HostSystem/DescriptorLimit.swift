import Glibc

/// How many files and sockets this process may have open.
public enum DescriptorLimit {
    /// Nobody serves as many.
    private static let wanted: rlim_t = 65_536

    /// Raises the limit to what the system allows (`RLIMIT_NOFILE`, getrlimit(2)): Linux begins with 1,024, which is less
    /// than a broadcast may have listeners. Any thread; does nothing where it must not be raised.
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
