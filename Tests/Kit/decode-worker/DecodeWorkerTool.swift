import DecodeWorker
import Glibc

/// A decode worker as tests start it. A message of kind 1000 and above makes it try what a worker may not do.
@main
enum DecodeWorkerTool {
    static func main() {
        exit(
            DecodeWorker.run { kind in
                switch kind {
                case 1000: _ = open("/etc/passwd", O_RDONLY)
                case 1001: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                case 1002: _ = fork()
                case 1003: _ = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                case 1004: _ = write(1, "x", 1)
                default: break
                }
                // Where nobody stopped it: a message that says so.
                let message: [2 of UInt32] = [WorkerMessageKind.frames.rawValue, 0]
                message.span.bytes.withUnsafeBytes { _ = write(DecodeWorker.descriptor, $0.baseAddress, $0.count) }
            })
    }
}
