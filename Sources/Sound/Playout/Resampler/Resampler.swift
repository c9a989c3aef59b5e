/// Converts one song format to one device format. Made on the control side; the real-time thread uses its ``view``.
final class Resampler {
    /// The most device frames rendered in one piece.
    static let pieceFrameCount = 256
    /// How far the step may be from the ratio of the nominal rates: DAC +-0.1 %, a live source's anchor +-1 %.
    static let stepTolerance = 0.02

    let songRate: Double
    let deviceRate: Double
    private let matrix: ChannelMatrix
    private let table: FilterTable
    private let gains: UnsafeMutablePointer<Float>
    private let planes: UnsafeMutablePointer<Float>
    private let planeStride: Int
    private let weights: UnsafeMutablePointer<Float>

    init(songRate: Double, deviceRate: Double, songChannelCount: Int, deviceChannelCount: Int) {
        self.songRate = songRate
        self.deviceRate = deviceRate
        matrix = ChannelMatrix(song: songChannelCount, device: deviceChannelCount)
        table = FilterTable(songRate: songRate, deviceRate: deviceRate)
        gains = .allocate(capacity: matrix.gains.count)
        for (index, gain) in matrix.gains.enumerated() { (gains + index).initialize(to: gain) }
        let longestStep = songRate / deviceRate * (1 + Self.stepTolerance)
        let span = Int((Double(Self.pieceFrameCount) * longestStep).rounded(.up)) + table.tapCount + 8
        planeStride = (span + 15) / 16 * 16
        let laneCount = min(songChannelCount, deviceChannelCount)
        // After the input planes lie as many output planes of one piece each.
        planes = .allocate(capacity: laneCount * (planeStride + Self.pieceFrameCount))
        planes.initialize(repeating: 0, count: laneCount * (planeStride + Self.pieceFrameCount))
        weights = .allocate(capacity: table.tapCount)
        weights.initialize(repeating: 0, count: table.tapCount)
    }

    deinit {
        gains.deallocate()
        planes.deallocate()
        weights.deallocate()
    }

    func fits(songRate: Double, deviceRate: Double, songChannelCount: Int, deviceChannelCount: Int) -> Bool {
        self.songRate == songRate && self.deviceRate == deviceRate
            && matrix.songChannelCount == songChannelCount && matrix.deviceChannelCount == deviceChannelCount
    }

    /// Valid as long as this object lives.
    var view: ResamplerView {
        ResamplerView(
            songChannelCount: matrix.songChannelCount, deviceChannelCount: matrix.deviceChannelCount,
            tapCount: table.tapCount, phaseBits: UInt64(table.phaseBits), rows: table.rows, gains: gains,
            planes: planes, planeStride: planeStride, weights: weights)
    }
}

/// The pointers of a ``Resampler``, for the real-time thread.
struct ResamplerView: BitwiseCopyable {
    let songChannelCount: Int
    let deviceChannelCount: Int
    let tapCount: Int
    let phaseBits: UInt64
    let rows: UnsafeMutablePointer<Float>
    let gains: UnsafeMutablePointer<Float>
    let planes: UnsafeMutablePointer<Float>
    let planeStride: Int
    let weights: UnsafeMutablePointer<Float>

    /// How many frames the filter reaches to either side.
    @inline(__always) var reach: Int { tapCount / 2 }
    /// Channels that are filtered: downmixing comes before the filter, upmixing after it.
    @inline(__always) var laneCount: Int { min(songChannelCount, deviceChannelCount) }
    @inline(__always) var foldsBefore: Bool { deviceChannelCount < songChannelCount }
}
