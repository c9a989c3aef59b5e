import AudioQueueServices
import Playout
import TuttiRuntime

extension DeviceNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .xrun(let isPlacedAnew):
            "the sound card ran out of frames (xrun)" + (isPlacedAnew ? ": placing the sound again" : "")
        case .placedAnew(let cause, let error):
            "placed again (\(cause.reading)): was \(Int(error.microseconds)) us off"
        case .packetsLate: "packets are late: silent until there are enough again"
        case .vanished(let error): error.sentence
        case .returned(let name): "sound device '\(name)' is there: playing on it"
        case .framesLost(let count, .overrun): "the device lost \(count) frames: replaced by silence"
        case .framesLost(let count, .noBuffer): "this machine is too slow: \(count) frames are silence"
        case .remark(let text): text
        }
    }
}

extension ReplacementCause {
    fileprivate var reading: String {
        switch self {
        case .timelineStep: "the timeline moved"
        case .deviceClockStep: "the sound card's clock moved"
        case .deviceRestart: "the sound card restarted"
        case .underrun: "packets were late"
        }
    }
}
