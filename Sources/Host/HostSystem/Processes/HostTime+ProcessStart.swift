import AudioCore
import Glibc

extension Instant where Clock == HostClock {
    /// When this process was started, to a hundredth of a second; now if the kernel does not say so.
    ///
    /// By `starttime` in /proc/self/stat, which counts hundredths of a second since the machine was started
    /// (proc_pid_stat(5), field 22).
    public static func processStart() -> HostTime {
        let now = HostTime.now()
        guard let file = fopen("/proc/self/stat", "r") else { return now }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 1_024)
        guard fgets(&line, Int32(line.count), file) != nil else { return now }
        // The second field is the program's name in parentheses, and may hold any character.
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        let perSecond = sysconf(Int32(_SC_CLK_TCK))
        guard fields.count > 20, let started = Int64(fields[20]), perSecond > 0 else { return now }
        var sinceBoot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        let age = Double(sinceBoot.tv_sec) + Double(sinceBoot.tv_nsec) * 1e-9 - Double(started) / Double(perSecond)
        return now - max(.zero, TimeSpan(seconds: age))
    }
}
