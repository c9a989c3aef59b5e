import CDBus

/// A value of D-Bus, of the types that MPRIS and notifications use (D-Bus Specification, "Type System").
indirect enum BusValue: Hashable, Sendable {
    case string(String)
    case objectPath(String)
    case bool(Bool)
    case byte(UInt8)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case double(Double)
    case strings([String])
    /// `a{sv}`
    case dictionary([BusProperty])
}

struct BusProperty: Hashable, Sendable {
    var name: String
    var value: BusValue
}

extension BusValue {
    var signature: String {
        switch self {
        case .string: "s"
        case .objectPath: "o"
        case .bool: "b"
        case .byte: "y"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .double: "d"
        case .strings: "as"
        case .dictionary: "a{sv}"
        }
    }

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    // MARK: Writing

    func append(to iterator: inout DBusMessageIter) {
        switch self {
        case .string(let text): Self.append(text, "s", to: &iterator)
        case .objectPath(let path): Self.append(path, "o", to: &iterator)
        case .bool(let value):
            var number: dbus_bool_t = value ? 1 : 0
            dbus_message_iter_append_basic(&iterator, Self.code("b"), &number)
        case .byte(var number): dbus_message_iter_append_basic(&iterator, Self.code("y"), &number)
        case .int32(var number): dbus_message_iter_append_basic(&iterator, Self.code("i"), &number)
        case .uint32(var number): dbus_message_iter_append_basic(&iterator, Self.code("u"), &number)
        case .int64(var number): dbus_message_iter_append_basic(&iterator, Self.code("x"), &number)
        case .double(var number): dbus_message_iter_append_basic(&iterator, Self.code("d"), &number)
        case .strings(let texts):
            Self.container("a", "s", in: &iterator) { list in
                for text in texts { Self.append(text, "s", to: &list) }
            }
        case .dictionary(let entries):
            Self.container("a", "{sv}", in: &iterator) { list in
                for entry in entries {
                    Self.container("e", nil, in: &list) { pair in
                        Self.append(entry.name, "s", to: &pair)
                        entry.value.appendVariant(to: &pair)
                    }
                }
            }
        }
    }

    func appendVariant(to iterator: inout DBusMessageIter) {
        Self.container("v", signature, in: &iterator) { append(to: &$0) }
    }

    /// libdbus ends a process that gives it text that is no UTF-8 or holds a zero. A Swift string is UTF-8.
    private static func append(_ text: String, _ type: Unicode.Scalar, to iterator: inout DBusMessageIter) {
        text.prefix { $0 != "\0" }.description.withCString { start in
            var pointer: UnsafePointer<CChar>? = start
            dbus_message_iter_append_basic(&iterator, code(type), &pointer)
        }
    }

    private static func container(
        _ type: Unicode.Scalar, _ contents: String?, in iterator: inout DBusMessageIter,
        _ body: (inout DBusMessageIter) -> Void
    ) {
        var inner = DBusMessageIter()
        dbus_message_iter_open_container(&iterator, code(type), contents, &inner)
        body(&inner)
        dbus_message_iter_close_container(&iterator, &inner)
    }

    // MARK: Reading

    /// Reads the arguments of a message; what is of no known type becomes nil. At most ``argumentLimit``.
    static func arguments(of message: OpaquePointer) -> [BusValue?] {
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
        var values: [BusValue?] = []
        repeat {
            values.append(BusValue(at: &iterator))
        } while values.count < argumentLimit && dbus_message_iter_next(&iterator) != 0
        return values
    }

    private static let argumentLimit = 8
    /// Of a list: more than the capabilities that a server may have.
    private static let textLimit = 256

    /// Reads the value at an iterator, unwrapped if it is a variant.
    private init?(at iterator: inout DBusMessageIter) {
        switch dbus_message_iter_get_arg_type(&iterator) {
        case Self.code("v"):
            var inner = DBusMessageIter()
            dbus_message_iter_recurse(&iterator, &inner)
            // A variant of a variant is none of ours, however deep.
            guard dbus_message_iter_get_arg_type(&inner) != Self.code("v") else { return nil }
            self.init(at: &inner)
        case Self.code("s"): self = .string(Self.text(at: &iterator))
        case Self.code("o"): self = .objectPath(Self.text(at: &iterator))
        case Self.code("b"):
            var number: dbus_bool_t = 0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .bool(number != 0)
        case Self.code("u"):
            var number: UInt32 = 0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .uint32(number)
        case Self.code("a") where dbus_message_iter_get_element_type(&iterator) == Self.code("s"):
            self = .strings(Self.texts(at: &iterator))
        case Self.code("x"):
            var number: Int64 = 0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .int64(number)
        case Self.code("d"):
            var number = 0.0
            dbus_message_iter_get_basic(&iterator, &number)
            self = .double(number)
        default: return nil
        }
    }

    private static func texts(at iterator: inout DBusMessageIter) -> [String] {
        var (list, texts) = (DBusMessageIter(), [String]())
        dbus_message_iter_recurse(&iterator, &list)
        // Behind the last one the type is invalid, as in an empty list.
        while texts.count < textLimit, dbus_message_iter_get_arg_type(&list) == code("s") {
            texts.append(text(at: &list))
            dbus_message_iter_next(&list)
        }
        return texts
    }

    private static func text(at iterator: inout DBusMessageIter) -> String {
        var pointer: UnsafePointer<CChar>?
        dbus_message_iter_get_basic(&iterator, &pointer)
        return pointer.map { String(cString: $0) } ?? ""
    }
}
