import AudioCore
import AudioDecoding
import Glibc
import HostSystem
import LibavcodecDecoding
import RealtimeKitClient

extension RightsFacts {
    private static let patience = TimeSpan.seconds(5)

    static func look() -> RightsFacts {
        RightsFacts(
            trial: RealTimeSystem.withRealtimeKit.trial(within: patience), priorityLimit: limit(priorityResource),
            lockedByteLimit: limit(memoryResource))
    }

    /// `RLIMIT_RTPRIO` and `RLIMIT_MEMLOCK`, which Swift's view of the C library lacks (asm-generic/resource.h).
    private static let (priorityResource, memoryResource): (Int32, Int32) = (14, 8)

    private static func limit(_ resource: Int32) -> UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur != rlim_t.max else { return nil }
        return UInt64(limit.rlim_cur)
    }
}

extension MachineFacts {
    private static let processorFolder = "/sys/devices/system/cpu"
    private static let processorLimit = 4_096

    static func look() -> MachineFacts {
        var facts = MachineFacts()
        for name in SystemFile.names(in: processorFolder, limit: processorLimit)
        where name.hasPrefix("cpu") && Int(name.dropFirst(3)) != nil {
            let folder = "\(processorFolder)/\(name)/cpufreq"
            guard let governor = SystemFile.word("\(folder)/scaling_governor") else { continue }
            facts.governors.append(
                Governor(governor: governor, driver: SystemFile.word("\(folder)/scaling_driver") ?? ""))
        }
        facts.radios = radios()
        return facts
    }

    // The wireless extensions, which cfg80211 still serves (linux/wireless.h): a name of 16 bytes, then a union of 16.
    // For SIOCGIWPOWER that is `struct iw_param`: a value of 4 bytes, `fixed`, `disabled`, flags.
    private static let getName: UInt = 0x8B01
    private static let getPower: UInt = 0x8B2D
    private static let disabledOffset = 21

    private static func radios() -> [Radio] {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        guard let list = if_nameindex() else { return [] }
        defer { if_freenameindex(list) }
        var radios: [Radio] = []
        var next = list
        while next.pointee.if_index != 0, let name = next.pointee.if_name {
            defer { next += 1 }
            let text = String(cString: name)
            guard radios.count < 16, request(text, getName, descriptor) != nil else { continue }
            let power = request(text, getPower, descriptor)
            radios.append(Radio(name: text, savesPower: power.map { $0[disabledOffset] == 0 }))
        }
        return radios
    }

    /// - Returns: what the kernel wrote; nil if it refuses.
    private static func request(_ name: String, _ code: UInt, _ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        for (index, byte) in name.utf8.prefix(15).enumerated() { bytes[index] = byte }
        let result = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { ioctl(descriptor, code, $0) } ?? -1
        }
        return result == 0 ? bytes : nil
    }
}

extension CodecFacts {
    /// - Parameter startsWorkers: whether this program can be started as one that decodes.
    static func look(startsWorkers: Bool) -> CodecFacts {
        var facts = CodecFacts(availability: CodecLibrary.availability)
        guard facts.availability == .supported, startsWorkers else { return facts }
        var catalog = DecoderCatalog()
        catalog.registerLibraryDecoders()
        // 44.1 kHz, stereo, AAC LC: an AudioSpecificConfig (ISO/IEC 14496-3 section 1.6.2.1).
        let format = AudioStreamFormat(codec: .aac, sampleRate: 44_100, framesPerPacket: 1_024, channelsPerFrame: 2)
        do throws(AudioDecodingError) {
            _ = try catalog.makeDecoder(for: format, magicCookie: [0x12, 0x10])
            facts.worker = .works
        } catch {
            facts.worker = .failed(error)
        }
        return facts
    }
}

extension StateFacts {
    /// Writes a small file there, and removes it; but root makes nothing in another user's.
    static func look(at path: String?, user: uid_t = geteuid()) -> StateFacts {
        var facts = StateFacts(path: path)
        guard let path else { return facts }
        let place = nearest(to: path)
        var space = statvfs()
        if statvfs(place, &space) == 0 {
            facts.freeByteCount =
                UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
                .partialValue
        }
        if let owner = owner(of: place), user == 0, owner != user {
            facts.writing = .notTried(owner: owner)
        } else {
            facts.writing = place == path ? tryWriting(in: path) : tryAccess(place)
        }
        return facts
    }

    /// The directory, or the nearest one above it that exists.
    private static func nearest(to path: String) -> String {
        var place = path
        while access(place, F_OK) != 0, errno == ENOENT, let slash = place.lastIndex(of: "/"), slash > place.startIndex
        {
            place = String(place[..<slash])
        }
        return place
    }

    private static func owner(of place: String) -> uid_t? {
        var status = stat()
        return stat(place, &status) == 0 ? status.st_uid : nil
    }

    private static func tryAccess(_ place: String) -> Writing {
        access(place, W_OK | X_OK) == 0 ? .works : .failed("make a directory in", errno)
    }

    private static func tryWriting(in path: String) -> Writing {
        let name = "\(path)/.doctor.\(getpid()).\(UInt32.random(in: 0...(.max)))"
        let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { return .failed("create a file in", errno) }
        defer {
            close(file)
            unlink(name)
        }
        let bytes = [UInt8](repeating: 0, count: 4_096)
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            return .failed("write a file in", errno)
        }
        return .works
    }
}
