import Glibc

/// The only access to FFmpeg's libavcodec, which is loaded at run time and never linked.
///
/// Load it only in a process that has nothing to lose: the library is large and parses untrusted data. It is never
/// unloaded. Not thread-safe.
public final class CodecLibrary {
    let symbols: CodecSymbols

    /// Loads the library. All of its symbols are resolved at once, so that nothing has to be opened later. It is
    /// believed by the version that it tells, not by its file's name.
    public init() throws(CodecLibraryError) {
        guard let handle = dlopen(CodecLibraryVersion.fileName, RTLD_NOW | RTLD_LOCAL) else { throw .notInstalled }
        let codec = try Self.majorVersion("avcodec_version", handle)
        let util = try Self.majorVersion("avutil_version", handle)
        guard CodecLibraryVersion.objection(toCodec: codec, util: util) == nil else {
            throw .unsupported(codec: codec, util: util)
        }
        symbols = try CodecSymbols(handle)
        symbols.setLogLevel(CodecSymbols.quietLogLevel)
    }

    /// What a function of a library, or of one that it depends on, gives as `AV_VERSION_INT`.
    private static func majorVersion(
        _ name: String, _ handle: UnsafeMutableRawPointer
    ) throws(CodecLibraryError) -> Int {
        let function: @convention(c) () -> UInt32 = try CodecSymbols.symbol(name, of: handle)
        return Int(function() >> 16)
    }
}

/// Why the system's libavcodec cannot be used.
public enum CodecLibraryError: Error, Hashable, Sendable {
    /// It could not be loaded.
    case notInstalled
    /// It was loaded, and is of other major versions than its name says; see ``CodecLibraryVersion``.
    case unsupported(codec: Int, util: Int)
    /// It was loaded, and lacks a function.
    case unusable(String)
}
