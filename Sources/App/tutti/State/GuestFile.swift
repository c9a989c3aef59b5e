import AudioCore
import Cryptography
import TuttiRuntime
import WebRemote

/// The guests of this machine's page, in the state directory: a file for the user alone, since it holds their codes.
///
/// A line for each: code, role, when it ends in seconds since 1970, and name, with tabs between them.
struct GuestFile: GuestStore {
    static let fileName = "guests"
    /// More guests are refused.
    static let guestLimit = 200
    private static let nameByteCount = 63
    private static let byteCountLimit = guestLimit * (22 + 8 + 21 + nameByteCount + 4)

    private let file: PrivateFile

    init(directory: StateDirectory) {
        file = PrivateFile(
            directory: directory, name: Self.fileName, byteCountLimit: Self.byteCountLimit,
            whenDamaged: .setAside(consequence: "no guest's code is good any more: 'tutti guests add' makes a new one"))
    }

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> GuestFile? { StateDirectory.standard().map(GuestFile.init) }

    func guests() throws(MemoryFailure) -> [Guest] {
        do throws(PrivateFileError) { return try load() } catch { throw MemoryFailure("\(error)") }
    }

    var stamp: GuestStamp { GuestStamp(file.version()?.version ?? []) }

    func load() throws(PrivateFileError) -> [Guest] { try file.load(Self.guests(in:)) ?? [] }

    /// Reads, changes and writes them under the directory's lock. Those whose time is over are left out.
    /// - Parameter now: in seconds since 1970.
    func change<Result>(
        at now: Int64, _ change: (inout [Guest]) -> Result
    ) throws(PrivateFileError) -> Result {
        try file.exclusively { () throws(PrivateFileError) in
            var guests = try file.loadLocked(Self.guests(in:)) ?? []
            guests.removeAll { !$0.isValid(at: now) }
            let result = change(&guests)
            try file.write(Self.text(of: guests))
            return result
        }
    }

    static func text(of guests: [Guest]) -> [UInt8] {
        Array(guests.map { "\($0.code)\t\($0.role.rawValue)\t\($0.ends)\t\($0.name)\n" }.joined().utf8)
    }

    /// Returns nil for bytes that are no list of guests.
    static func guests(in bytes: [UInt8]) -> [Guest]? {
        guard bytes.count <= byteCountLimit, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var guests: [Guest] = []
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, let key = GuestCode.key(of: String(fields[0])),
                let role = GuestRole(rawValue: String(fields[1])), let ends = Int64(fields[2])
            else { return nil }
            guests.append(Guest(name: String(fields[3]), key: key, role: role, ends: ends))
        }
        return guests
    }

    /// Returns the name as it can be kept: without what cannot be shown.
    static func name(_ text: String) -> String { String(displaying: text, maximumByteCount: nameByteCount) }
}
