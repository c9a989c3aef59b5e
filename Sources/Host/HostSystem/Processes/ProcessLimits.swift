import AudioCore
import CLinux

/// What a child process may use. What it uses beyond that ends it.
public struct ProcessLimits: Hashable, Sendable {
    /// From its start to its end, and that of its output.
    public var time: TimeSpan
    /// Bytes of its standard output.
    public var outputByteCount: Int
    /// Bytes of address space (`RLIMIT_AS`, getrlimit(2)), libraries and stacks of threads included.
    public var memoryByteCount: Int
    /// Seconds of processor time of all its threads (`RLIMIT_CPU`).
    public var processorSeconds: Int
    /// Open files and sockets (`RLIMIT_NOFILE`), the standard three included.
    public var descriptorCount: Int
    /// Bytes of any file that it writes (`RLIMIT_FSIZE`). Pipes and sockets are not files.
    public var fileByteCount: Int
    /// How much less of the processor it gets than this process, if both want it (`nice(1)`): 0 to 19.
    public var niceness: Int

    public init(
        time: TimeSpan, outputByteCount: Int, memoryByteCount: Int = 512 << 20, processorSeconds: Int = 5,
        descriptorCount: Int = 64, fileByteCount: Int = 0, niceness: Int = 0
    ) {
        self.time = time
        self.outputByteCount = outputByteCount
        self.memoryByteCount = memoryByteCount
        self.processorSeconds = processorSeconds
        self.descriptorCount = descriptorCount
        self.fileByteCount = fileByteCount
        self.niceness = niceness
    }

    var resources: cchild_limits {
        cchild_limits(
            address_space_byte_count: UInt64(clamping: memoryByteCount),
            processor_seconds: UInt64(clamping: processorSeconds),
            descriptor_count: UInt64(clamping: descriptorCount), file_byte_count: UInt64(clamping: fileByteCount),
            niceness: Int32(min(max(0, niceness), 19)))
    }
}
