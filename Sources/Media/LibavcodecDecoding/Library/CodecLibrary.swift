import Glibc

/// The only access to FFmpeg's libavcodec, which is loaded at run time and never linked.
///
/// Load it only in a process that has nothing to lose: the library is large and parses untrusted data. It is never
/// unloaded. Not thread-safe.
public final class CodecLibrary {
    let symbols: CodecSymbols
    /// libavcodec's major version.
    public let majorVersion: Int

    /// Loads the newest known version that is installed. All of its symbols are resolved at once, so that no file has
    /// to be opened later.
    public init() throws(CodecLibraryError) {
        for (major, util) in CodecLibraryVersion.majors {
            guard let handle = dlopen(CodecLibraryVersion.fileName(major: major), RTLD_NOW | RTLD_LOCAL) else {
                continue
            }
            symbols = try CodecSymbols(handle)
            majorVersion = major
            let found = (Int(symbols.codecVersion() >> 16), Int(symbols.utilVersion() >> 16))
            guard found == (major, util) else {
                throw .unusable("libavcodec \(found.0) with libavutil \(found.1) where \(major), \(util) were expected")
            }
            symbols.setLogLevel(CodecSymbols.logsNothing)
            return
        }
        throw .notInstalled
    }
}

public enum CodecLibraryError: Error, Hashable, Sendable {
    /// No known version could be loaded.
    case notInstalled
    /// A library was loaded, but is not what its name says.
    case unusable(String)
}
