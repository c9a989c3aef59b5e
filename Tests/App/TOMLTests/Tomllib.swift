import StreamTestKit
import TOML

/// Python's reader of TOML, which is another one's.
enum Tomllib {
    /// Returns the documents about which both differ, each with how: one reads it and the other does not, or they read
    /// something else.
    static func differences(_ documents: [[UInt8]]) throws -> [String] {
        let directory = TemporaryDirectory()
        let lines = documents.map { bytes in
            let document = TOMLDocument(parsing: bytes)
            return "\(bytes.hexadecimal) \(document.problems.isEmpty ? document.root.dump : "-")\n"
        }
        try Tool.writeFile(directory.path + "/documents", Array(lines.joined().utf8))
        try Tool.writeFile(directory.path + "/compare.py", Array(script.utf8))
        try Tool.run("python3 compare.py < documents > differences", in: directory)
        let found = try Tool.readFile(directory.path + "/differences")
        return String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Numbers are compared by their bits, dates by what they mean. Numbers beyond 64 bits are Python's alone; a byte
    /// order mark is not Python's.
    private static let script = #"""
        import ast, datetime, struct, sys, tomllib
        sys.set_int_max_str_digits(0)

        def text(digits):
            return bytes.fromhex(digits).decode()

        def value(dump):
            kind, content = dump
            if kind == "s": return text(content)
            if kind == "i": return int(content)
            if kind == "f": return float(content)
            if kind == "b": return content == "true"
            if kind == "d": return tomllib.loads("x = " + text(content))["x"]
            if kind == "a": return [value(element) for element in content]
            return table(content)

        def table(entries):
            return {text(key): value(content) for key, content in entries}

        def same(a, b):
            if type(a) is not type(b): return False
            if isinstance(a, dict): return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
            if isinstance(a, list): return len(a) == len(b) and all(map(same, a, b))
            if isinstance(a, float): return a != a and b != b or struct.pack("d", a) == struct.pack("d", b)
            return a == b

        def is_large(a):
            if isinstance(a, dict): return any(map(is_large, a.values()))
            if isinstance(a, list): return any(map(is_large, a))
            return isinstance(a, int) and not -2**63 <= a < 2**63

        for line in sys.stdin:
            document, dump = line.rstrip("\n").split(" ", 1)
            document = bytes.fromhex(document).removeprefix(b"\xef\xbb\xbf")
            try:
                theirs = tomllib.loads(document.decode())
            except (tomllib.TOMLDecodeError, UnicodeDecodeError):
                theirs = None
            ours = None if dump == "-" else table(ast.literal_eval(dump))
            if theirs is not None and is_large(theirs): theirs = None
            if (ours is None) != (theirs is None) or ours is not None and not same(ours, theirs):
                print(ascii(document), "tomllib:", ascii(theirs), "here:", ascii(ours))
        """#
}
