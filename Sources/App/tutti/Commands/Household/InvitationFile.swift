import Glibc
import Households
import Peering
import TuttiRuntime

/// The file by which a machine without screen and keyboard comes into a household before its session begins.
struct InvitationFile: Hashable, Sendable {
    static let option = CommandSyntax.Option.value(
        "--household", "FILE", candidates: .files,
        "First come into a household by this invitation ('tutti household invite'), if this machine is no member of it yet: "
            + "wait until a member is found. Default: the systemd credential \(credential), if there is one.")
    /// The name under which a systemd unit passes it: LoadCredential=tutti-household:FILE (systemd.exec(5)).
    static let credential = "tutti-household"
    static let note =
        "A unit of systemd passes an invitation by LoadCredential=\(credential):FILE. Once this machine is a member, the file "
        + "may go. Exit code: 65 for what is no invitation, 66 for one that is missing, 69 for one that has ended, 77 on a "
        + "machine that belongs to another household or was removed."

    let path: String

    /// Returns the file that the user named, or systemd passed; nil for none.
    init?(_ arguments: CommandArguments) {
        if let path = arguments.value(of: Self.option) {
            self.path = path
            return
        }
        // systemd.exec(5): set for units that have credentials.
        guard let directory = getenv("CREDENTIALS_DIRECTORY") else { return nil }
        path = String(cString: directory) + "/" + Self.credential
        guard access(path, F_OK) == 0 else { return nil }
    }

    /// Returns how to come in; nil if this machine is a member already, whatever has become of the file then.
    func enrolment(
        of identity: Identity, addresses: [NetworkAddress], usesDiscovery: Bool
    ) throws(RuntimeFailure) -> Enrolment? {
        let household = identity.household?.household
        let isMember = household?.isMember(identity.keys.key) ?? false
        let invitation: Invitation
        do throws(RuntimeFailure) {
            invitation = try read()
        } catch {
            if isMember { return nil }
            throw error
        }
        guard let store = identity.household?.store else {
            throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for a household"))
        }
        let enrolment = Enrolment(
            invitation, as: identity, in: store, addresses: addresses, usesDiscovery: usesDiscovery)
        return try enrolment.isNeeded(at: Int64(time(nil))) ? enrolment : nil
    }

    private func read() throws(RuntimeFailure) -> Invitation {
        let bytes = try contents()
        do throws(InvitationError) {
            return try Invitation(fileText: bytes)
        } catch {
            throw RuntimeFailure(
                .unusableInput,
                .other("'\(path)' is no invitation, or not as 'tutti household invite' wrote it: write a new one"))
        }
    }

    private func contents() throws(RuntimeFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Invitation.fileByteCountLimit)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
            if read < 0 { throw unreadable }
            if read == 0 { break }
            count += read
        }
        return Array(bytes[..<count])
    }

    private var unreadable: RuntimeFailure {
        let words = String(cString: strerror(errno))
        return RuntimeFailure(.missingInput, .other("the invitation '\(path)' cannot be read: \(words)"))
    }
}
