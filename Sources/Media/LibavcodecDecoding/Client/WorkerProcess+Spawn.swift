import CLinux
import Glibc
import HostSystem

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
