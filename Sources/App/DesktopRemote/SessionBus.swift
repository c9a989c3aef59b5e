import CDBus
import Glibc

/// A connection to the user's session bus, under a name of MPRIS or without one. For one thread; closed when it goes
/// out of scope.
struct SessionBus: ~Copyable {
    private let connection: OpaquePointer
    /// Whether it has one of the names that were asked for.
    let isNamed: Bool

    private init(_ connection: OpaquePointer, names: [String]) {
        self.connection = connection
        isNamed = names.contains { Self.takeName($0, connection) }
    }

    /// Connects, and takes the first name that is free; does without if none is, or allowed. Blocks until the bus
    /// answers.
    /// - Parameter names: empty if it needs none.
    /// - Returns: nil where there is no session bus: one is not started for this.
    static func open(names: [String]) -> SessionBus? {
        guard isThere else { return nil }
        dbus_connection_set_change_sigpipe(0)
        guard let connection = dbus_bus_get_private(DBUS_BUS_SESSION, nil) else { return nil }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        return SessionBus(connection, names: names)
    }

    private static func takeName(_ name: String, _ connection: OpaquePointer) -> Bool {
        dbus_bus_request_name(connection, name, UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE), nil)
            == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER
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
    /// - Parameters:
    ///   - answer: takes interface, method and arguments.
    ///   - onReply: takes replies to own calls, by their serial numbers.
    /// - Returns: false if the bus is gone.
    func serve(
        _ answer: (String?, String, [BusValue?]) -> RemoteModel.Answer,
        onReply: (UInt32, SongNotifier.Reply) -> Void
    ) -> Bool {
        guard dbus_connection_read_write(connection, 0) != 0 else { return false }
        // To send may read, too: what came then does not make the descriptor readable.
        repeat {
            while let message = dbus_connection_pop_message(connection) {
                defer { dbus_message_unref(message) }
                let serial = dbus_message_get_reply_serial(message)
                switch dbus_message_get_type(message) {
                case DBUS_MESSAGE_TYPE_METHOD_CALL: reply(to: message, answer)
                case DBUS_MESSAGE_TYPE_METHOD_RETURN: onReply(serial, .values(BusValue.arguments(of: message)))
                case DBUS_MESSAGE_TYPE_ERROR: onReply(serial, .error)
                default: break
                }
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

    /// Calls the notification server, which the bus starts if it can. Does not wait for the reply.
    /// - Returns: the serial number that the reply names.
    func call(_ call: SongNotifier.Call) -> UInt32 {
        let message = dbus_message_new_method_call(
            SongNotifier.Call.server, SongNotifier.Call.path, SongNotifier.Call.server, call.method)
        let serial = send(message) { iterator in
            for argument in call.arguments { argument.append(to: &iterator) }
        }
        dbus_connection_flush(connection)
        return serial
    }

    /// - Returns: the message's serial number; 0 if there was no memory for it.
    @discardableResult
    private func send(_ message: OpaquePointer?, _ body: (inout DBusMessageIter) -> Void) -> UInt32 {
        guard let message else { return 0 }
        defer { dbus_message_unref(message) }
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        body(&iterator)
        var serial: dbus_uint32_t = 0
        dbus_connection_send(connection, message, &serial)
        return serial
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}
