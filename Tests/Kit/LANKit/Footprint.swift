import Glibc

/// What a process holds of the machine: proc(5).
public struct Footprint: Sendable {
    /// Resident, in KiB (`VmRSS`).
    public var resident: Int
    /// Open files.
    public var descriptors: Int

    /// Nil of a process that is gone.
    public init?(of pid: pid_t) {
        let line = readText("/proc/\(pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        guard let resident = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first,
            let resident = Int(resident), let directory = opendir("/proc/\(pid)/fd")
        else { return nil }
        defer { closedir(directory) }
        self.resident = resident
        // Itself and what it lies in are told, too.
        descriptors = -2
        while readdir(directory) != nil { descriptors += 1 }
    }
}

/// Footprints of one process over time.
public struct FootprintSeries: Sendable {
    public private(set) var samples: [Footprint] = []

    public init() {}

    public mutating func note(_ footprint: Footprint?) { if let footprint { samples.append(footprint) } }

    /// The medians of each third of the time.
    public var thirds: [Footprint] {
        let length = samples.count / 3
        guard length > 0 else { return [] }
        return (0..<3).map { third in
            let part = samples[third * length..<(third + 1) * length]
            var middle = part.sorted { $0.resident < $1.resident }[length / 2]
            middle.descriptors = part.map(\.descriptors).sorted()[length / 2]
            return middle
        }
    }

    /// Whether the last third holds no more descriptors than the first, and at most so much more memory, in KiB.
    public func isFlat(within allowance: Int) -> Bool {
        guard let first = thirds.first, let last = thirds.last else { return false }
        return last.descriptors <= first.descriptors && last.resident <= first.resident + allowance
    }

    public var summary: String {
        let parts = thirds.map { "\($0.resident) KiB and \($0.descriptors) files" }
        return "\(parts.joined(separator: ", then ")); \(samples.count) samples"
    }
}
