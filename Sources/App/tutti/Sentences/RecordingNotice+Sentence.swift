import AudioCore
import AudioQueueServices
import TuttiRuntime

extension RecordingNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .began(let device, let format): "recording '\(device)', \(format.recordingReading); Ctrl-C ends"
        case .framesLost(let frame, let count, .overrun):
            "the device lost \(count) frames from frame \(frame) on: replaced by silence"
        case .framesLost(let frame, let count, .noBuffer):
            "the disk is too slow: \(count) frames from frame \(frame) on are silence"
        case .nothingRecorded: "nothing was recorded"
        case .recorded(let span, let frameCount, let paths, let firstFrame):
            "recorded \((span.seconds * 10).rounded() / 10) s (\(frameCount) frames) into "
                + paths.map { "'\($0)'" }.joined(separator: ", ")
                + (firstFrame > .zero ? ", from frame \(firstFrame.index) of the song on" : "")
        case .framesMissing(let count): "\(count) frames are missing: replaced by silence"
        case .packetsDamaged(1): "1 damaged packet is silence"
        case .packetsDamaged(let count): "\(count) damaged packets are silence"
        }
    }
}

extension AudioStreamFormat {
    /// `48000 Hz, 2 channels, 24-bit`
    fileprivate var recordingReading: String {
        let channels = channelsPerFrame == 1 ? "1 channel" : "\(channelsPerFrame) channels"
        let samples = pcm.contains(.float) ? "32-bit float" : "\(bitsPerChannel)-bit"
        return "\(Int(sampleRate.rounded())) Hz, \(channels), \(samples)"
    }
}
