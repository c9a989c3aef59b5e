import CDBus
import Glibc
import HostSystem
import LANKit
import Synchronization

/// Plays rtkit-daemon on a bus: the same name, path and methods, and the same check of the caller's run-time limit. It
/// gives the priority for real where it may.
final class FakeRealtimeKit: Sendable {
    struct Behaviour: Sendable {
        var highestPriority: Int32 = 20
        var longestRunTime: Int64 = 200_000
        var refusal: String?
        var isSilent = false
    }

    struct Request: Equatable {
        var thread: UInt64
        var priority: UInt32
    }

    private let thread: HostThread
    private let shared: Shared

    var requests: [Request] { shared.requests.withLock { $0 } }

    init(on bus: PrivateBus, _ behaviour: Behaviour = Behaviour()) throws {
        let shared = Shared()
        self.shared = shared
        let address = bus.address
        let isThere = try WakeSignal()
        thread = try HostThread(name: "fake rtkit") {
            guard let connection = dbus_connection_open_private(address, nil) else { return }
            dbus_bus_register(connection, nil)
            dbus_bus_request_name(connection, "org.freedesktop.RealtimeKit1", 0, nil)
            isThere.signal()
            while !shared.isOver.load(ordering: .acquiring) {
                dbus_connection_read_write(connection, 10)
                while let message = dbus_connection_pop_message(connection) {
                    Self.answer(message, on: connection, behaviour, shared)
                    dbus_message_unref(message)
                }
            }
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
        }
        isThere.wait(atMost: .seconds(10))
    }

    deinit {
        shared.isOver.store(true, ordering: .releasing)
        thread.join()
    }

    private static func answer(
        _ message: OpaquePointer, on connection: OpaquePointer, _ behaviour: Behaviour, _ shared: Shared
    ) {
        guard !behaviour.isSilent else { return }
        var reply: OpaquePointer?
        if dbus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get") != 0 {
            reply = property(message, behaviour)
        } else if dbus_message_is_method_call(message, "org.freedesktop.RealtimeKit1", "MakeThreadRealtime") != 0 {
            reply = make(message, behaviour, shared)
        }
        guard let reply else { return }
        dbus_connection_send(connection, reply, nil)
        dbus_connection_flush(connection)
        dbus_message_unref(reply)
    }

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    private static func property(_ message: OpaquePointer, _ behaviour: Behaviour) -> OpaquePointer? {
        var arguments = DBusMessageIter()
        dbus_message_iter_init(message, &arguments)
        dbus_message_iter_next(&arguments)
        var name: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&arguments, &name)
        guard let name, let reply = dbus_message_new_method_return(message) else { return nil }
        var (iterator, inner) = (DBusMessageIter(), DBusMessageIter())
        dbus_message_iter_init_append(reply, &iterator)
        let isPriority = String(cString: name) == "MaxRealtimePriority"
        dbus_message_iter_open_container(&iterator, code("v"), isPriority ? "i" : "x", &inner)
        var (priority, runTime) = (behaviour.highestPriority, behaviour.longestRunTime)
        if isPriority {
            dbus_message_iter_append_basic(&inner, code("i"), &priority)
        } else {
            dbus_message_iter_append_basic(&inner, code("x"), &runTime)
        }
        dbus_message_iter_close_container(&iterator, &inner)
        return reply
    }

    private static func make(_ message: OpaquePointer, _ behaviour: Behaviour, _ shared: Shared) -> OpaquePointer? {
        var arguments = DBusMessageIter()
        dbus_message_iter_init(message, &arguments)
        var request = Request(thread: 0, priority: 0)
        dbus_message_iter_get_basic(&arguments, &request.thread)
        dbus_message_iter_next(&arguments)
        dbus_message_iter_get_basic(&arguments, &request.priority)
        shared.requests.withLock { $0.append(request) }

        var limit = rlimit()
        getrlimit(__rlimit_resource_t(15), &limit)  // RLIMIT_RTTIME
        let refusal = limit.rlim_cur > UInt64(behaviour.longestRunTime) ? "run time is not limited" : behaviour.refusal
        if let refusal {
            return dbus_message_new_error(message, "org.freedesktop.DBus.Error.AccessDenied", refusal)
        }
        if geteuid() == 0 {
            var parameters = sched_param(sched_priority: Int32(request.priority))
            sched_setscheduler(pid_t(request.thread), SCHED_RR, &parameters)
        }
        return dbus_message_new_method_return(message)
    }

    private final class Shared: Sendable {
        let isOver = Atomic(false)
        let requests = Mutex<[Request]>([])
    }
}
