import Glibc
import LANKit

/// A dbus-daemon of its own in a directory of its own; both end with it.
final class PrivateBus {
    let address: String
    private let directory: String
    private let pid: pid_t

    init() throws {
        var template = Array("/tmp/tutti-bus-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LANError.system("mkdtemp", errno) }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        address = "unix:path=\(directory)/bus"
        let configuration = directory + "/bus.conf"
        try writeText(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>\(address)</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
              </policy>
            </busconfig>

            """, to: configuration)
        let output = open(directory + "/address", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw LANError.system("open", errno) }
        let errors = open(directory + "/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { for file in [output, errors] { close(file) } }
        pid = try spawnProcess(
            ["/usr/bin/dbus-daemon", "--nofork", "--nopidfile", "--print-address", "--config-file", configuration],
            environment: [:], descriptors: [output: 1, errors: 2])
        // It says its address when it listens.
        let said = directory + "/address"
        try waitUntil("dbus-daemon", within: 10) { readText(said).contains("unix:path=") }
    }

    deinit {
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
        removeTree(directory)
    }
}
