import LANKit

/// A notification server for tests, on a session bus: it knows markup, and gives every notification the number 7
/// (Desktop Notifications Specification 1.2; D-Bus Specification, "Message Protocol").
enum NotificationServer {
    /// Starts it on a host, and returns once it has its name.
    static func start(on host: LANHost, bus: String, script: String) throws -> LANProcess {
        try writeText(program, to: script)
        let server = try host.spawn(["python3", script, bus])
        try server.waitForLine(containing: "ready", within: 10)
        return server
    }

    private static let program = #"""
        import os, socket, struct, sys

        NAME = "org.freedesktop.Notifications"
        BUS = "org.freedesktop.DBus"
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(sys.argv[1])


        def take(count):
            data = b""
            while len(data) < count:
                part = bus.recv(count - len(data))
                if not part:
                    sys.exit()
                data += part
            return data


        def padded(data, size):
            return data + b"\0" * (-len(data) % size)


        def text(value):
            return struct.pack("<I", len(value)) + value.encode() + b"\0"


        def send(kind, serial, fields, signature="", body=b""):
            array = b""
            for code, type, value in fields + ([(8, "g", signature)] if signature else []):
                array = padded(array, 8) + bytes([code, 1]) + type.encode() + b"\0"
                if type == "u":
                    array += struct.pack("<I", value)
                elif type == "g":
                    array += bytes([len(value)]) + value.encode() + b"\0"
                else:
                    array += text(value)
            start = b"l" + struct.pack("<BBBIII", kind, 0, 1, len(body), serial, len(array))
            bus.sendall(padded(start + array, 8) + body)


        def receive():
            start = take(16)
            body, serial, length = struct.unpack("<III", start[4:])
            array = take(length + -length % 8)
            take(body)
            at, fields = 0, {}
            while at < length:
                at += -at % 8
                code, type = array[at], chr(array[at + 2])
                at += 4
                if type == "u":
                    fields[code] = struct.unpack_from("<I", array, at)[0]
                    at += 4
                elif type == "g":
                    at += array[at] + 2
                else:
                    size = struct.unpack_from("<I", array, at)[0]
                    fields[code] = array[at + 4:at + 4 + size].decode()
                    at += size + 5
            return start[1], serial, fields


        bus.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        while take(1) != b"\n":
            pass
        bus.sendall(b"BEGIN\r\n")
        driver = [(1, "o", "/org/freedesktop/DBus"), (2, "s", BUS), (6, "s", BUS)]
        send(1, 1, driver + [(3, "s", "Hello")])
        send(1, 2, driver + [(3, "s", "RequestName")], "su", padded(text(NAME), 4) + struct.pack("<I", 4))
        number = 2
        while True:
            kind, serial, fields = receive()
            if kind == 2 and fields.get(5) == 2:
                print("ready", flush=True)
            if kind != 1 or fields.get(2) != NAME:
                continue
            number += 1
            answer = [(5, "u", serial), (6, "s", fields[7])]
            if fields[3] == "GetCapabilities":
                texts = padded(text("body"), 4) + text("body-markup")
                send(2, number, answer, "as", struct.pack("<I", len(texts)) + texts)
            else:
                send(2, number, answer, "u", struct.pack("<I", 7))

        """#
}
