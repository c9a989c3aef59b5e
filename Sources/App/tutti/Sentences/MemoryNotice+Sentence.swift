import AudioCore
import TuttiRuntime

extension MemoryNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .clockRate(let rate): "the broadcaster's clock ran at \(rate.value.tenths) ppm last time"
        case .cardRate(let rate, let device): "'\(device)' ran at \(rate.value.tenths) ppm last time"
        case .offset(let offset, let device):
            "offset \(Int64(saturating: offset.microseconds)) us, remembered for '\(device)'; --offset 0 forgets it"
        case .offsetForgotten(let device): "the offset of '\(device)' is forgotten"
        case .volume(let volume, let isMuted, let device):
            "\(volume.reading(isMuted: isMuted)), remembered for '\(device)'"
        case .role(let role, let device): "plays \(role.reading), remembered for '\(device)'; --role stereo forgets it"
        case .notKept(let failure): "\(failure.message): nothing is remembered for the next time"
        case .damaged(let damage):
            "\(damage.path) \(damage.reading): the volume, role and offset of a device may have to be set again"
        case .unreadable(let failure):
            "\(failure.message): what was remembered of volumes, roles and offsets is not used this time"
        case .pins(let failure), .household(let failure): failure.message
        }
    }
}

extension MemoryDamage {
    /// Behind the path.
    fileprivate var reading: String { keptAs.map { "was damaged and is now \($0)" } ?? "is damaged" }
}

extension Double {
    /// With one decimal.
    fileprivate var tenths: String {
        let tenths = Int64(saturating: self * 10)
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
