import Glibc
import StreamTestKit

/// The program that was built beside these tests, run by a shell: what users run.
enum TuttiProcess {
    /// Runs lines of Bash in a directory, in which `tutti` is the program. Its state stays there, and nothing that was
    /// started outlives the lines, or a minute.
    static func run(_ script: String, in directory: borrowing TemporaryDirectory) throws {
        // Of jobs in the background a shell takes the interrupt away; this gives it back, in the same process.
        let head = """
            export PATH="$PWD/bin:$PATH" XDG_STATE_HOME="$PWD/state" LC_ALL=C
            trap 'kill $(jobs -p) 2> /dev/null' EXIT
            mkdir -p bin
            printf '#!/bin/sh\\nexec env --default-signal=INT "\(executableDirectory)/tutti" "$@"\\n' > bin/tutti
            chmod +x bin/tutti

            """
        try Tool.writeFile(directory.path + "/script", Array((head + script + "\n").utf8))
        // Threads of a pool hold back signals, and what they start would, too.
        var none = sigset_t()
        var old = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &old)
        defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
        try Tool.run("timeout --kill-after=5 60 bash script", in: directory)
    }

    /// Ports of TCP and UDP on which nothing listens.
    static func freePort() -> UInt16 {
        while true {
            let tcp = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let udp = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            defer {
                close(tcp)
                close(udp)
            }
            if let port = bind(tcp, to: 0), bind(udp, to: port) != nil { return port }
        }
    }

    private static func bind(_ descriptor: Int32, to port: UInt16) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static var executableDirectory: String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }
}
