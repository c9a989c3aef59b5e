import AudioCore

/// The decoder of ``AMRLibrary`` for one stream: takes frames of AMR or AMR-WB, outputs 20 ms of mono each.
///
/// The library checks no lengths: it always gets a buffer of the largest frame size, and only known frame types. Not
/// thread-safe.
final class AMRDecoder: LibraryDecoder {
    private let functions: AMRLibrary.Functions
    private let state: AMRLibrary.State
    private let isWideband: Bool
    private var frame = [UInt8](repeating: 0, count: 64)
    private var samples: [Int16]

    /// Returns nil if the library has no decoder for the codec, or no memory.
    init?(_ codec: Codec, library: AMRLibrary) {
        guard let functions = library.functions(for: codec), let state = functions.open() else { return nil }
        self.functions = functions
        self.state = state
        isWideband = codec == .amrWideband
        samples = [Int16](repeating: 0, count: isWideband ? 320 : 160)
    }

    deinit { functions.close(state) }

    /// Decodes one frame and appends its samples to `frames`.
    /// - Returns: false if it is invalid; the library's concealment of a lost frame is then appended.
    func decode(_ bytes: UnsafeRawBufferPointer, into frames: inout DecodedFrames) -> Bool {
        let header = bytes.first ?? 0
        let byteCount = (isWideband ? Self.widebandByteCounts : Self.narrowbandByteCounts)[Int(header >> 3 & 15)]
        let isWhole = byteCount > 0 && bytes.count >= byteCount
        for index in frame.indices { frame[index] = 0 }
        // The quality bit is zero if the bits are known to be wrong (RFC 4867 section 4.3.2).
        if isWhole, header & Self.qualityBit != 0 {
            for index in 0..<byteCount { frame[index] = bytes[index] }
        } else {
            frame[0] = Self.noData
        }
        functions.decode(state, frame, &samples, 0)
        return frames.append(samples, sampleRate: isWideband ? 16_000 : 8_000) && isWhole
    }

    private static let qualityBit: UInt8 = 4
    private static let noData: UInt8 = 15 << 3 | qualityBit

    // Sizes including the header, by frame type (3GPP TS 26.101 and TS 26.201, table 1a); zero for reserved types.
    private static let narrowbandByteCounts = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
    private static let widebandByteCounts = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
}
