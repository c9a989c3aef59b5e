import Glibc
import StreamTestKit
import Testing

/// Sound cards that the user may not use, by a real process: the kernel's own permission check on files in a `/dev/snd`
/// of the process's own, without the rights that pass over it.
@Suite(.enabled(if: geteuid() == 0, "mounting needs root"), .timeLimit(.minutes(5))) struct ForbiddenCardTests {
    private static let cards = """
        # Runs a command where card 0 is root's alone, and card 1 is usable as far as files are.
        without_rights() {
            unshare --mount bash -c '
                mount -t tmpfs none /mnt && mkdir /mnt/snd && for name in null zero urandom; do
                    touch /mnt/$name && mount --bind /dev/$name /mnt/$name
                done
                for name in controlC0 pcmC0D0p pcmC0D0c controlC1; do touch /mnt/snd/$name; done
                chmod 000 /mnt/snd/*C0*; chmod 644 /mnt/snd/controlC1
                mount --rbind /mnt /dev
                exec setpriv --inh-caps=-all --bounding-set=-all "$@"' bash "$@"
        }
        unset ALSA_CONFIG_PATH

        """

    private func output(of script: String, in directory: borrowing TemporaryDirectory) throws -> String {
        try TuttiProcess.run(Self.cards + "{ " + script + "; } > output 2>&1 || true", in: directory)
        return String(decoding: try Tool.readFile(directory.path + "/output"), as: UTF8.self)
    }

    private func remedy(for device: String) -> String {
        "no permission to use sound device '\(device)'; add this user to the group 'audio' "
            + "(sudo usermod -aG audio $USER), then log in again"
    }

    @Test(arguments: ["hw:0", "plughw:0,0", "hw:CARD=0,DEV=0", "front:0", "sysdefault"])
    func aCardThatMayNotBeUsedIsNoUnknownDevice(name: String) throws {
        let directory = TemporaryDirectory()
        let heard = try output(of: "without_rights tutti join --device \(name)", in: directory)
        #expect(heard.contains(remedy(for: name)), "\(heard)")
        let recorded = try output(of: "without_rights tutti record --device \(name) out.wav", in: directory)
        #expect(recorded.contains(remedy(for: name)), "\(recorded)")
    }

    /// Neither a card that is not there nor a name that means nothing is a matter of permission.
    @Test(arguments: ["hw:7", "hw:1", "nonsense", "nonsense:0"])
    func whatIsNotThereStaysUnknown(name: String) throws {
        let directory = TemporaryDirectory()
        let text = try output(of: "without_rights tutti join --device \(name)", in: directory)
        #expect(text.contains("no sound device is called '\(name)'"), "\(text)")
    }

    @Test func theListShowsItWithTheReason() throws {
        let directory = TemporaryDirectory()
        let list = try output(of: "without_rights tutti devices --json 2> errors", in: directory)
        for direction in ["playback", "capture"] {
            #expect(
                list.contains(
                    """
                    {"name":"hw:0","direction":"\(direction)","description":"Sound card 0","sampleFormats":[],\
                    "lowestRateHertz":null,"highestRateHertz":null,"fewestChannels":null,"mostChannels":null,\
                    "trouble":"no permission (group audio)"}
                    """), "\(list)")
        }
        let errors = String(decoding: try Tool.readFile(directory.path + "/errors"), as: UTF8.self)
        #expect(errors.contains("no permission to use the sound card: add this user to the group 'audio'"), "\(errors)")
    }
}
