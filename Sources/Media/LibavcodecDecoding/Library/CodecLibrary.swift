import Glibc

/// The one door to FFmpeg's libavcodec, which is loaded at run time and never linked.
///
/// To be opened in a process that has nothing to lose: the library is large and parses what strangers sent. Nothing of
/// it is ever unloaded. Not thread-safe.
public final class CodecLibrary {
    let symbols: CodecSymbols
    /// libavcodec's major version.
    public let majorVersion: Int

    /// Loads the newest version that is known and there. All of its symbols are resolved at once, so that nothing has
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
    /// No version that is known could be loaded.
    case notInstalled
    /// It was loaded, and is not what its name says.
    case unusable(String)
}
