import CLinux
import Glibc

extension WorkerProcess {
    /// Starts the program with its end of the socket. Only the variables for library paths stay in the environment.
    static func spawn(_ program: WorkerProgram, socket: Int32) throws(Failure) -> pid_t {
        let arguments = CStringArray([program.path] + program.arguments)
        let libraries = getenv("LD_LIBRARY_PATH").map { "LD_LIBRARY_PATH=" + String(cString: $0) }
        let environment = CStringArray(libraries.map { [$0] } ?? [])
        var processID: pid_t = 0
        let code = csandbox_start(
            program.path, arguments.pointers, environment.pointers, socket, DecodeWorker.descriptor, &processID)
        guard code == 0 else { throw .cannotStart("posix_spawn", code) }
        return processID
    }
}

/// C strings and a terminating null, as in `argv`.
private struct CStringArray: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
