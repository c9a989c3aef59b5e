import AudioCore

/// With which packet a decoder must begin so that it is exact at another one, as far as a splice can hold them all.
///
/// What of ``SampleEntry/decoderPrerollPacketCount`` is reckoned for the worst is reckoned here for the packets that
/// there are.
struct SplicePreroll {
    private enum Need {
        case packets(Int)
        /// As long.
        case frames(Int64)
        /// MPEG layer III: as many bytes that packets may borrow, and packets that settle the filters.
        case mainData(byteCount: Int64, overhead: Int64, settling: Int)
    }

    private let need: Need

    /// 640 ms. RFC 7845 section 4.6 asks for 80 ms, from where nothing is heard of what was missing; but each packet's
    /// energies are told as differences to the last one's, of which a half is left after a packet of 20 ms. Measured on
    /// noise: 80 ms off by 0.1, 160 ms by 0.007, 320 ms by 0.00002; with 640 ms every sample is exact.
    private static let opusFrameCount: Int64 = 30_720
    /// As long, of AMR, which is never exact. Measured on sound of 0.5: off by 0.16 behind 100 ms, by
    /// 0.02 behind these, which is as much as there is a second later.
    private static let amrPacketCount = 32

    init(_ entry: SampleEntry) {
        guard entry.counting != .opus else {
            need = .frames(Self.opusFrameCount)
            return
        }
        guard let header = entry.firstHeader, header.layer == 3 else {
            need = .packets(entry.bundle == nil ? entry.decoderPrerollPacketCount : Self.amrPacketCount)
            return
        }
        // See `MPEGFrameHeader.prerollPacketCount`.
        let isFull = header.version == .mpeg1
        need = .mainData(
            byteCount: isFull ? 511 : 255,
            overhead: Int64(MPEGFrameHeader.byteCount + MPEGFrameHeader.crcByteCount + header.sideInfoByteCount),
            settling: isFull ? 1 : 2)
    }

    /// The first packet to be decoded.
    /// - Parameters:
    ///   - packet: whose frames are to be exact.
    ///   - earliest: the first one that can be had.
    ///   - firstFrame: of a packet, at most the one after.
    ///   - size: bytes of a packet, none of which is later.
    func start(
        of packet: Int64, earliest: Int64 = 0, firstFrame: (Int64) -> Int64, size: (Int64) -> Int64
    ) -> Int64 {
        var start = packet
        var byteCount =
            Int64(AudioPacketSplice.headerByteCount + AudioPacketSplice.packetHeaderByteCount) + size(packet)
        var mainData: Int64 = 0
        let end = firstFrame(packet + 1)
        let first = firstFrame(packet)
        var last = first
        while start > earliest, packet - start + 1 < Int64(AudioPacketSplice.largestPacketCount) {
            switch need {
            case .packets(let count): guard packet - start < Int64(count) else { return start }
            case .frames(let count): guard first - last < count else { return start }
            case .mainData(let count, _, let settling):
                guard packet - start < Int64(settling) || mainData < count else { return start }
            }
            let bytes = size(start - 1)
            let frame = firstFrame(start - 1)
            byteCount += bytes + Int64(AudioPacketSplice.packetHeaderByteCount)
            guard byteCount <= Int64(Limits.packetByteCount), last - frame <= Int64(Limits.packetFrameCount),
                end - frame <= 2 * Int64(Limits.packetFrameCount)
            else { return start }
            if case .mainData(_, let overhead, let settling) = need, packet - start >= Int64(settling) {
                mainData += max(0, bytes - overhead)
            }
            start -= 1
            last = frame
        }
        return start
    }

    /// Frames of all packets that can be needed before the one whose frames are to be exact.
    /// - Parameter longest: frames of the longest packet.
    func largestFrameCount(longest: Int64) -> Int64 {
        switch need {
        case .packets(let count): Int64(count) * longest
        case .frames(let count): count + longest
        case .mainData: Int64(AudioPacketSplice.largestPacketCount) * longest
        }
    }
}
