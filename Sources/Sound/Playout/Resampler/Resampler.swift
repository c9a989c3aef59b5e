import AudioCore
import CResampling

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
    private let roleRows: UnsafeMutablePointer<Float>
    private let planes: UnsafeMutablePointer<Float>
    private let planeStride: Int
    private let scratch: UnsafeMutablePointer<Float>
    /// Valid as long as this object lives.
    let view: UnsafePointer<ResamplerView>

    init(songRate: Double, deviceRate: Double, songChannelCount: Int, deviceChannelCount: Int) {
        self.songRate = songRate
        self.deviceRate = deviceRate
        matrix = ChannelMatrix(song: songChannelCount, device: deviceChannelCount)
        table = FilterTable(songRate: songRate, deviceRate: deviceRate)
        gains = .allocate(capacity: matrix.gains.count)
        for (index, gain) in matrix.gains.enumerated() { (gains + index).initialize(to: gain) }
        let rows = ResamplerView.rowRoles.compactMap { ChannelMatrix.row($0, song: songChannelCount) }.flatMap { $0 }
        roleRows = .allocate(capacity: rows.count)
        for (index, gain) in rows.enumerated() { (roleRows + index).initialize(to: gain) }
        let longestStep = songRate / deviceRate * (1 + Self.stepTolerance)
        let span = Int((Double(Self.pieceFrameCount) * longestStep).rounded(.up)) + table.tapCount + 8
        planeStride = (span + 15) / 16 * 16
        let laneCount = min(songChannelCount, deviceChannelCount)
        // After the input planes lie as many output planes of one piece each.
        planes = .allocate(capacity: laneCount * (planeStride + Self.pieceFrameCount))
        planes.initialize(repeating: 0, count: laneCount * (planeStride + Self.pieceFrameCount))
        scratch = .allocate(capacity: Self.pieceFrameCount * deviceChannelCount)
        scratch.initialize(repeating: 0, count: Self.pieceFrameCount * deviceChannelCount)
        let view = UnsafeMutablePointer<ResamplerView>.allocate(capacity: 1)
        view.initialize(
            to: ResamplerView(
                songChannelCount: songChannelCount, deviceChannelCount: deviceChannelCount, laneCount: laneCount,
                foldsBefore: deviceChannelCount < songChannelCount, table: table.view, gains: gains,
                roleRows: roleRows, planes: planes, planeStride: planeStride, scratch: scratch))
        self.view = UnsafePointer(view)
    }

    deinit {
        gains.deallocate()
        roleRows.deallocate()
        planes.deallocate()
        scratch.deallocate()
        view.deallocate()
    }

    func fits(songRate: Double, deviceRate: Double, songChannelCount: Int, deviceChannelCount: Int) -> Bool {
        self.songRate == songRate && self.deviceRate == deviceRate
            && matrix.songChannelCount == songChannelCount && matrix.deviceChannelCount == deviceChannelCount
    }
}

/// The pointers of a ``Resampler``, for the real-time thread.
struct ResamplerView: BitwiseCopyable {
    let songChannelCount: Int
    let deviceChannelCount: Int
    /// Channels that are filtered: downmixing comes before the filter, upmixing after it.
    private(set) var laneCount: Int
    private(set) var foldsBefore: Bool
    let table: tutti_filter_table
    /// Of a view that folds: for each lane a row of a gain for each song channel.
    private(set) var gains: UnsafeMutablePointer<Float>
    /// The rows of ``rowRoles``.
    let roleRows: UnsafeMutablePointer<Float>
    let planes: UnsafeMutablePointer<Float>
    let planeStride: Int
    /// Room for one piece of device frames.
    let scratch: UnsafeMutablePointer<Float>

    /// How many frames the filter reaches to either side.
    @inline(__always) var reach: Int { table.tap_count / 2 }

    /// The roles that have a row of gains, in the order of the rows.
    static var rowRoles: [ChannelRole] { [.left, .right, .mono] + Limits.channelRange.map { .channel($0) } }

    /// The view that renders this role: for any but stereo one lane, which the song's channels are folded into.
    @inline(__always)
    func playing(_ role: ChannelRole) -> ResamplerView {
        let row: Int
        switch role {
        case .stereo: return self
        case .left: row = 0
        case .right: row = 1
        case .mono: row = 2
        case .channel(let number): row = 2 + min(max(number, 1), Limits.channelRange.upperBound)
        }
        var view = self
        view.laneCount = 1
        view.foldsBefore = true
        view.gains = roleRows + row * songChannelCount
        return view
    }
}
