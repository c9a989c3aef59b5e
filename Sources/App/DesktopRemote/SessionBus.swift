import CDBus
import Glibc

/// A connection to the user's session bus, under a name of MPRIS. For one thread; closed when it goes out of scope.
struct SessionBus: ~Copyable {
    private let connection: OpaquePointer

    private init(_ connection: OpaquePointer) { self.connection = connection }

    /// Connects, and takes the first name that is free. Blocks until the bus answers.
    /// - Returns: nil where there is no session bus: one is not started for this.
    static func open(names: [String]) -> SessionBus? {
        guard isThere else { return nil }
        dbus_connection_set_change_sigpipe(0)
        guard let connection = dbus_bus_get_private(DBUS_BUS_SESSION, nil) else { return nil }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        let bus = SessionBus(connection)
        guard bus.takeName(of: names) else { return nil }
        return bus
    }

    private func takeName(of names: [String]) -> Bool {
        names.contains { name in
            dbus_bus_request_name(connection, name, UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE), nil)
                == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
        }
    }

    deinit {
        dbus_connection_close(connection)
        dbus_connection_unref(connection)
    }

    /// Whether somebody has started one: libdbus would start one itself for a process on an X display.
    static var isThere: Bool {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS").map({ String(cString: $0) }), !address.isEmpty {
            return !address.contains("autolaunch:")
        }
        guard let directory = getenv("XDG_RUNTIME_DIR") else { return false }
        var status = stat()
        // As libdbus looks for it.
        return lstat(String(cString: directory) + "/bus", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
            && status.st_uid == getuid()
    }

    /// Becomes readable when there is something to take.
    var descriptor: Int32? {
        var descriptor: Int32 = -1
        return dbus_connection_get_unix_fd(connection, &descriptor) != 0 ? descriptor : nil
    }

    /// Takes what came, and answers calls of the object.
    /// - Parameter answer: takes interface, method and arguments.
    /// - Returns: false if the bus is gone.
    func serve(_ answer: (String?, String, [BusValue?]) -> RemoteModel.Answer) -> Bool {
        guard dbus_connection_read_write(connection, 0) != 0 else { return false }
        // To send may read, too: what came then does not make the descriptor readable.
        repeat {
            while let message = dbus_connection_pop_message(connection) {
                defer { dbus_message_unref(message) }
                if dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL { reply(to: message, answer) }
            }
            dbus_connection_flush(connection)
        } while dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS
        return true
    }

    private func reply(
        to message: OpaquePointer, _ answer: (String?, String, [BusValue?]) -> RemoteModel.Answer
    ) {
        let (path, interface) = (
            Self.text(dbus_message_get_path(message)), Self.text(dbus_message_get_interface(message))
        )
        let method = Self.text(dbus_message_get_member(message)) ?? ""
        guard path == MPRIS.path || interface == MPRIS.peer else {
            return send(.error(.unknownMethod, "there is no object \(path ?? "")"), to: message)
        }
        send(answer(interface, method, BusValue.arguments(of: message)), to: message)
    }

    private func send(_ answer: RemoteModel.Answer, to message: OpaquePointer) {
        guard dbus_message_get_no_reply(message) == 0 else { return }
        switch answer {
        case .error(let name, let text): send(dbus_message_new_error(message, name.rawValue, text)) { _ in }
        case .values(let values):
            send(dbus_message_new_method_return(message)) { iterator in
                for value in values { value.append(to: &iterator) }
            }
        case .variant(let value):
            send(dbus_message_new_method_return(message)) { value.appendVariant(to: &$0) }
        }
    }

    func emit(_ signal: RemoteModel.Signal) {
        switch signal {
        case .seeked(let microseconds):
            send(dbus_message_new_signal(MPRIS.path, MPRIS.player, "Seeked")) { iterator in
                BusValue.int64(microseconds).append(to: &iterator)
            }
        case .changed(let properties):
            send(dbus_message_new_signal(MPRIS.path, MPRIS.properties, "PropertiesChanged")) { iterator in
                BusValue.string(MPRIS.player).append(to: &iterator)
                BusValue.dictionary(properties).append(to: &iterator)
                BusValue.strings([]).append(to: &iterator)
            }
        }
        dbus_connection_flush(connection)
    }

    private func send(_ message: OpaquePointer?, _ body: (inout DBusMessageIter) -> Void) {
        guard let message else { return }
        defer { dbus_message_unref(message) }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        body(&iterator)
        dbus_connection_send(connection, message, nil)
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
