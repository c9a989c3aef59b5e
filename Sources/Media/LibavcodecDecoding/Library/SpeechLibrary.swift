import AudioCore
import Glibc

// The decoders of AMR and AMR-WB are defined by their code in integers, to the bit (3GPP TS 26.073 and TS 26.173).
// libavcodec's are others, in floating point: close to it on speech, and on a plain tone beside it by 7 to 14 dB below
// the tone itself. They know no comfort noise either. OpenCORE AMR is that code, in two libraries of 0.2 MB that need
// nothing but the C library, so it is taken wherever it is installed.

/// The door to OpenCORE AMR, 3GPP's own decoders of AMR and AMR-WB, which are loaded at run time where they are
/// installed and never linked. Nothing of them is ever unloaded. Not thread-safe.
public final class SpeechLibrary {
    typealias State = UnsafeMutableRawPointer

    /// What a decoder is made of, by the types of its header.
    struct Functions {
        let open: @convention(c) () -> State?
        let close: @convention(c) (State) -> Void
        /// Takes a frame with its header (RFC 4867 section 5.3), as many samples come out as 20 ms have.
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

    /// Loads what is there of them.
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
