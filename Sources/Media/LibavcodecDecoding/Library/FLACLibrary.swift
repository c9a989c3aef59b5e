import Glibc

// libavcodec 59 decodes FLAC of up to 24 bits; it has no decoder for more, and makes silence of it. libFLAC, the
// format's own library, has had one since its version 1.4.

/// Access to libFLAC, which is loaded at run time if installed and never linked. It is never unloaded. Not thread-safe.
public final class FLACLibrary {
    typealias Object = UnsafeMutableRawPointer
    /// Fills a buffer with bytes of the stream, and returns their number.
    typealias Reading =
        @convention(c) (Object?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, Object?) -> Int32
    /// Takes a frame: its header's first fields (see ``FrameField``), and a plane of samples for each channel.
    typealias Writing =
        @convention(c) (Object?, UnsafePointer<UInt32>?, UnsafePointer<UnsafePointer<Int32>?>?, Object?) -> Int32
    /// Returns 0 if it failed.
    typealias Step = @convention(c) (Object) -> Int32
    typealias Opening =
        @convention(c) (
            Object, Reading, Object?, Object?, Object?, Object?, Writing, Object?, Complaining, Object?
        ) -> Int32
    typealias Complaining = @convention(c) (Object?, Int32, Object?) -> Void

    /// `FLAC__FrameHeader`'s fields of 32 bits, in their order.
    enum FrameField {
        static let blockSize = 0
        static let sampleRate = 1
        static let channelCount = 2
        static let bitsPerSample = 4
    }

    let make: @convention(c) () -> Object?
    let free: @convention(c) (Object) -> Void
    /// Called without functions for seeking and telling (four of them), and without one for metadata.
    let open: Opening
    let readMetadata: Step
    let readFrame: Step
    let flush: Step

    /// Sonames of 1.5 and 1.4.
    private static let fileNames = ["libFLAC.so.14", "libFLAC.so.12"]

    /// Returns nil if no version that decodes 32 bits is installed.
    public init?() {
        let found = Self.fileNames.lazy.compactMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.first
        guard let handle = found else { return nil }
        func function<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(handle, "FLAC__stream_decoder_" + name).map { unsafeBitCast($0, to: type) }
        }
        guard let make = function("new", as: (@convention(c) () -> Object?).self),
            let free = function("delete", as: (@convention(c) (Object) -> Void).self),
            let open = function("init_stream", as: Opening.self),
            let readMetadata = function("process_until_end_of_metadata", as: Step.self),
            let readFrame = function("process_single", as: Step.self), let flush = function("flush", as: Step.self)
        else { return nil }
        (self.make, self.free, self.open) = (make, free, open)
        (self.readMetadata, self.readFrame, self.flush) = (readMetadata, readFrame, flush)
    }
}
