import Glibc
import Peering
import TuttiRuntime

/// Names that this machine keeps, which shells ask for while a command line is typed. Nobody on the network is asked.
enum KnownNames: String, CaseIterable, Sendable {
    case commands
    case playbackDevices = "playback-devices"
    case captureDevices = "capture-devices"
    case peers
    case playlists

    /// How long a shell may wait for them: one second.
    private static let patience: UInt32 = 1

    /// Writes them, one a line. What is slow to list, as the devices of a sound server that hangs, ends the process
    /// with what was written before.
    func write() {
        alarm(Self.patience)
        for name in all() where name == name.terminalSafe { StandardStream.output.write(name + "\n") }
        alarm(0)
    }

    private func all() -> [String] {
        switch self {
        case .commands: Tutti.commands.map { $0.syntax.name }
        case .playbackDevices: Self.devices { !$0.records }
        case .captureDevices: Self.devices { $0.records }
        case .peers: Self.peers()
        case .playlists: (try? SavedPlaylists.standard().names().map(\.text)) ?? []
        }
    }

    private static func devices(_ isMeant: (DeviceEntry) -> Bool) -> [String] {
        StandardStream.silencingOthers { DeviceList.all() }.filter(isMeant).map(\.name)
    }

    /// Those that were met. Reads the file without the changes that ``PinFile`` makes to a damaged one.
    private static func peers() -> [String] {
        guard let bytes = try? StateDirectory.standard()?.read(PinFile.fileName) else { return [] }
        return PinnedNames(text: bytes)?.all.map(\.name.text).sorted() ?? []
    }
}
