import CLinux
import HostSystem

// RealtimeKit is the service that gives real-time priority to programs of ordinary desktop users (rtkit-daemon,
// https://git.0pointer.net/rtkit.git/plain/README). It grants SCHED_RR up to a priority of its own choice, and only to
// processes that let the kernel end them when one of their real-time threads runs away (RLIMIT_RTTIME).

/// A client of RealtimeKit.
public struct RealtimeKit: Sendable {
    /// Address of a bus other than the system bus.
    public var busAddress: String?
    /// Timeout of each of three calls; the first may have to start the service.
    public var timeoutMilliseconds: Int32 = 1_000

    public init(busAddress: String? = nil) { self.busAddress = busAddress }

    private static let service = "org.freedesktop.RealtimeKit1"
    private static let path = "/org/freedesktop/RealtimeKit1"
    /// Plausible priorities and run times: sched(7), and up to a minute.
    private static let priorityRange: ClosedRange<Int64> = 1...99
    private static let runTimeRange: ClosedRange<Int64> = 1_000...60_000_000

    /// Asks for real-time priority for a thread of this process. Blocks for some seconds at worst, longer if the bus
    /// itself hangs: never call it on a thread with other work to do.
    /// - Parameters:
    ///   - thread: the kernel thread ID.
    ///   - wanted: the highest useful priority.
    /// - Returns: the priority granted.
    public func makeRealTime(thread: Int32, atMost wanted: Int32) throws(RealtimeKitError) -> Int32 {
        let bus = try SystemBus(address: busAddress, timeoutMilliseconds: timeoutMilliseconds)
        let highest = try property("MaxRealtimePriority", in: Self.priorityRange, on: bus)
        let runTime = try property("RTTimeUSecMax", in: Self.runTimeRange, on: bus)
        let code = crealtime_limit_run_time(UInt64(runTime))
        guard code == 0 else { throw .cannotLimitRunTime(code: code) }
        let priority = min(wanted, Int32(highest))
        _ = try bus.call(
            ServiceMethod(
                service: Self.service, path: Self.path, interface: Self.service, name: "MakeThreadRealtime"),
            [.unsigned64(UInt64(thread)), .unsigned32(UInt32(priority))])
        return priority
    }

    private func property(
        _ name: String, in range: ClosedRange<Int64>, on bus: borrowing SystemBus
    ) throws(RealtimeKitError) -> Int64 {
        let value = try bus.call(
            ServiceMethod(
                service: Self.service, path: Self.path, interface: "org.freedesktop.DBus.Properties", name: "Get"),
            [.string(Self.service), .string(name)])
        guard case .integer(let number)? = value, range.contains(number) else {
            throw .refused("it states no sensible \(name)")
        }
        return number
    }
}

extension RealTimeSystem {
    /// This machine, and RealtimeKit where the system refuses SCHED_FIFO.
    public static let withRealtimeKit = host.asking { (thread, priority) throws(RealtimeKitError) in
        try RealtimeKit().makeRealTime(thread: thread, atMost: priority)
    }
}
