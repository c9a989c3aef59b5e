import Glibc
import LANKit

/// A dbus-daemon of its own in a directory of its own; both end with it.
final class PrivateBus {
    let address: String
    private let directory: TemporaryDirectory
    private let pid: pid_t

    init() throws {
        directory = try TemporaryDirectory(kind: "bus")
        address = "unix:path=\(directory.path)/bus"
        let configuration = directory.path + "/bus.conf"
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
        let output = open(directory.path + "/address", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw LANError.system("open", errno) }
        let errors = open(directory.path + "/errors", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        defer { for file in [output, errors] { close(file) } }
        pid = try spawnProcess(
            ["/usr/bin/dbus-daemon", "--nofork", "--nopidfile", "--print-address", "--config-file", configuration],
            environment: [:], descriptors: [output: 1, errors: 2])
        // It says its address when it listens.
        let said = directory.path + "/address"
        try waitUntil("dbus-daemon", within: 10) { readText(said).contains("unix:path=") }
    }

    deinit {
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
    }
}
