import AudioCore
import Glibc

// The decoders of AMR and AMR-WB are defined bit-exactly by integer code (3GPP TS 26.073 and TS 26.173). libavcodec's
// are different ones, in floating point: close on speech, but on a plain tone off by 7 to 14 dB below the tone itself.
// They have no comfort noise, either. OpenCORE AMR is that integer code, in two libraries of 0.2 MB that need only the
// C library, so it is used wherever it is installed.

/// Access to OpenCORE AMR, 3GPP's own decoders of AMR and AMR-WB, loaded at run time if installed and never linked.
/// They are never unloaded. Not thread-safe.
public final class AMRLibrary {
    typealias State = UnsafeMutableRawPointer

    /// The functions of a decoder, with the types in its header.
    struct Functions {
        let open: @convention(c) () -> State?
        let close: @convention(c) (State) -> Void
        /// Takes a frame with its header (RFC 4867 section 5.3), outputs 20 ms of samples.
        let decode: @convention(c) (State, UnsafePointer<UInt8>, UnsafeMutablePointer<Int16>, Int32) -> Void

        init?(_ file: String, open: String, close: String, decode: String) {
            guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL), let open = dlsym(handle, open),
                let close = dlsym(handle, close), let decode = dlsym(handle, decode)
            else { return nil }
            self.open = unsafeBitCast(open, to: (@convention(c) () -> State?).self)
            self.close = unsafeBitCast(close, to: (@convention(c) (State) -> Void).self)
            self.decode = unsafeBitCast(
                decode,
                to: (@convention(c) (State, UnsafePointer<UInt8>, UnsafeMutablePointer<Int16>, Int32) -> Void).self)
        }
    }

    private let narrowband: Functions?
    private let wideband: Functions?

    /// Loads those that are installed.
    public init() {
        narrowband = Functions(
            "libopencore-amrnb.so.0", open: "Decoder_Interface_init", close: "Decoder_Interface_exit",
            decode: "Decoder_Interface_Decode")
        wideband = Functions(
            "libopencore-amrwb.so.0", open: "D_IF_init", close: "D_IF_exit", decode: "D_IF_decode")
    }

    func functions(for codec: Codec) -> Functions? {
        switch codec {
        case .amrNarrowband: narrowband
        case .amrWideband: wideband
        default: nil
        }
    }
}
