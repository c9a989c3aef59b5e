import Glibc

/// The functions used from libavcodec and libavutil, with their types in FFmpeg's headers. All structures are opaque
/// here.
struct CodecSymbols {
    typealias Object = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    /// `AV_LOG_QUIET`.
    static let quietLogLevel: Int32 = -8

    let setLogLevel: @convention(c) (Int32) -> Void
    let findDecoder: @convention(c) (Text) -> UnsafeRawPointer?
    let makeContext: @convention(c) (UnsafeRawPointer?) -> Object?
    let freeContext: @convention(c) (UnsafeMutablePointer<Object?>) -> Void
    let open: @convention(c) (Object, UnsafeRawPointer, UnsafeMutableRawPointer?) -> Int32
    let makeParameters: @convention(c) () -> Object?
    let freeParameters: @convention(c) (UnsafeMutablePointer<Object?>) -> Void
    let setParameters: @convention(c) (Object, Object) -> Int32
    let makePacket: @convention(c) () -> Object?
    let freePacket: @convention(c) (UnsafeMutablePointer<Object?>) -> Void
    let allocatePacketData: @convention(c) (Object, Int32) -> Int32
    let releasePacketData: @convention(c) (Object) -> Void
    let sendPacket: @convention(c) (Object, Object) -> Int32
    let receiveFrame: @convention(c) (Object, Object) -> Int32
    let makeFrame: @convention(c) () -> Object?
    let freeFrame: @convention(c) (UnsafeMutablePointer<Object?>) -> Void
    let allocateZeroed: @convention(c) (Int) -> Object?
    let setOption: @convention(c) (Object, Text, Text, Int32) -> Int32
    let getIntegerOption: @convention(c) (Object, Text, Int32, UnsafeMutablePointer<Int64>) -> Int32
    let getLayoutOption: @convention(c) (Object, Text, Int32, Object) -> Int32
    let releaseLayout: @convention(c) (Object) -> Void

    /// Looks up every function.
    /// - Parameter handle: libavcodec's, from `dlopen`; its dependencies are searched, too.
    /// - Throws: ``CodecLibraryError/unusable(_:)`` if one is missing.
    init(_ handle: UnsafeMutableRawPointer) throws(CodecLibraryError) {
        func symbol<T>(_ name: String) throws(CodecLibraryError) -> T { try Self.symbol(name, of: handle) }
        setLogLevel = try symbol("av_log_set_level")
        findDecoder = try symbol("avcodec_find_decoder_by_name")
        makeContext = try symbol("avcodec_alloc_context3")
        freeContext = try symbol("avcodec_free_context")
        open = try symbol("avcodec_open2")
        makeParameters = try symbol("avcodec_parameters_alloc")
        freeParameters = try symbol("avcodec_parameters_free")
        setParameters = try symbol("avcodec_parameters_to_context")
        makePacket = try symbol("av_packet_alloc")
        freePacket = try symbol("av_packet_free")
        allocatePacketData = try symbol("av_new_packet")
        releasePacketData = try symbol("av_packet_unref")
        sendPacket = try symbol("avcodec_send_packet")
        receiveFrame = try symbol("avcodec_receive_frame")
        makeFrame = try symbol("av_frame_alloc")
        freeFrame = try symbol("av_frame_free")
        allocateZeroed = try symbol("av_mallocz")
        setOption = try symbol("av_opt_set")
        getIntegerOption = try symbol("av_opt_get_int")
        getLayoutOption = try symbol("av_opt_get_chlayout")
        releaseLayout = try symbol("av_channel_layout_uninit")
    }

    /// Returns a function of a library, or of those that it depends on. `T` must be its C type: nothing checks that.
    static func symbol<T>(_ name: String, of handle: UnsafeMutableRawPointer) throws(CodecLibraryError) -> T {
        guard let symbol = dlsym(handle, name) else { throw .unusable("it has no \(name)") }
        return unsafeBitCast(symbol, to: T.self)
    }
}
