import AudioCore
import CDBus
import HostSystem

/// A connection to a D-Bus message bus that makes one call at a time and waits for the reply.
///
/// For one thread. Closed when it goes out of scope. It leaves the process as it is: no signal handling, and no exit if
/// the bus goes away.
struct SystemBus: ~Copyable {
    private let connection: OpaquePointer
    let timeoutMilliseconds: Int32

    /// Connects. Blocks until the bus answers (25 s if it hangs).
    /// - Parameter address: a bus other than the system bus.
    init(address: String?, timeoutMilliseconds: Int32) throws(RealtimeKitError) {
        self.timeoutMilliseconds = timeoutMilliseconds
        dbus_connection_set_change_sigpipe(0)
        guard let connection = address.map({ Self.open($0) }) ?? dbus_bus_get_private(DBUS_BUS_SYSTEM, nil) else {
            throw .noBus
        }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        self.connection = connection
    }

    deinit {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    private static func open(_ address: String) -> OpaquePointer? {
        guard let connection = dbus_connection_open_private(address, nil) else { return nil }
        if dbus_bus_register(connection, nil) != 0 { return connection }
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
        return nil
    }

    /// Calls a method and waits for its reply.
    func call(
        _ method: ServiceMethod, _ arguments: [BusValue]
    ) throws(RealtimeKitError) -> BusValue? {
        guard
            let message = dbus_message_new_method_call(
                method.service, method.path, method.interface, method.name)
        else { throw .refused("out of memory") }
        defer { dbus_message_unref(message) }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        for argument in arguments { argument.append(to: &iterator) }

        var error = DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard
            let reply = dbus_connection_send_with_reply_and_block(connection, message, timeoutMilliseconds, &error)
        else { throw Self.failure(error) }
        defer { dbus_message_unref(reply) }
        return BusValue(firstOf: reply)
    }

    private static func failure(_ error: DBusError) -> RealtimeKitError {
        switch error.name.map({ String(cString: $0) }) {
        case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner": .notInstalled
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout": .silent
        default: .refused(String(displaying: error.message.map { String(cString: $0) } ?? "", maximumByteCount: 200))
        }
    }
}

/// The address of a method on the bus.
struct ServiceMethod {
    var service: String
    var path: String
    var interface: String
    var name: String
}

/// The few D-Bus types that are used here.
enum BusValue: Hashable {
    case string(String)
    case unsigned32(UInt32)
    case unsigned64(UInt64)
    case integer(Int64)

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    func append(to iterator: inout DBusMessageIter) {
        switch self {
        case .string(let text):
            text.withCString { start in
                var pointer: UnsafePointer<CChar>? = start
                dbus_message_iter_append_basic(&iterator, Self.code("s"), &pointer)
            }
        case .unsigned32(var number): dbus_message_iter_append_basic(&iterator, Self.code("u"), &number)
        case .unsigned64(var number): dbus_message_iter_append_basic(&iterator, Self.code("t"), &number)
        case .integer(var number): dbus_message_iter_append_basic(&iterator, Self.code("x"), &number)
        }
    }

    /// Reads the first argument of a message, unwrapped if it is a variant; nil if there is none of a known type.
    init?(firstOf message: OpaquePointer) {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return nil }
        if dbus_message_iter_get_arg_type(&iterator) == Self.code("v") {
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            iterator = inner
        }
        switch dbus_message_iter_get_arg_type(&iterator) {
        case Self.code("i"):
            var number: Int32 = 0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .integer(Int64(number))
        case Self.code("x"):
            var number: Int64 = 0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .integer(number)
        default: return nil
        }
    }
}
