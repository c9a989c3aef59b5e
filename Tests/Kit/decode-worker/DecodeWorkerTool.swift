import CThreadFilter
import Glibc
import LibavcodecDecoding
import Synchronization

/// A decode worker as tests start it. A message of kind 1000 and above makes it try what a worker may not do.
///
/// The argument `second-thread` gives it a second thread before it gives up its rights, `filtered-second-thread` one
/// that has a filter of its own.
@main
enum DecodeWorkerTool {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("second-thread") { FileOpeningThread.start(isFiltered: false) }
        if arguments.contains("filtered-second-thread") { FileOpeningThread.start(isFiltered: true) }
        exit(
            DecodeWorker.run { kind in
                switch kind {
                case 1000: _ = open("/etc/passwd", O_RDONLY)
                case 1001: _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                case 1002: _ = fork()
                case 1003: _ = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                case 1004: _ = write(1, "x", 1)
                case 1005: FileOpeningThread.openFile()
                default: break
                }
                // Where nobody stopped it: a message that says so.
                let message: [2 of UInt32] = [WorkerMessageKind.frames.rawValue, 0]
                message.span.bytes.withUnsafeBytes { _ = write(DecodeWorker.descriptor, $0.baseAddress, $0.count) }
            })
    }
}

/// A thread beside the worker's own that opens a file when it is told to.
enum FileOpeningThread {
    private static let isReady = Atomic(false)
    private static let isTold = Atomic(false)
    private static let hasTried = Atomic(false)

    /// Returns when it runs.
    static func start(isFiltered: Bool) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { isFiltered in
                if isFiltered != nil, cthreadfilter_install() != 0 { exit(EX_OSERR) }
                FileOpeningThread.isReady.store(true, ordering: .releasing)
                FileOpeningThread.wait(for: FileOpeningThread.isTold)
                _ = open("/etc/passwd", O_RDONLY)
                FileOpeningThread.hasTried.store(true, ordering: .releasing)
                return nil
            }, isFiltered ? UnsafeMutableRawPointer(bitPattern: 1) : nil)
        guard code == 0 else { exit(EX_OSERR) }
        wait(for: isReady)
    }

    /// Has it open the file, and waits until it has.
    static func openFile() {
        isTold.store(true, ordering: .releasing)
        wait(for: hasTried)
    }

    /// By calls alone that a worker may make.
    private static func wait(for flag: borrowing Atomic<Bool>) {
        while !flag.load(ordering: .acquiring) { sched_yield() }
    }
}
