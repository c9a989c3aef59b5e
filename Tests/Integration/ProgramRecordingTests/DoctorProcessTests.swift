import Glibc
import StreamTestKit
import Testing

/// `tutti doctor` as users run it: it looks, and leaves all as it was.
@Suite(.timeLimit(.minutes(5))) struct DoctorProcessTests {
    /// Where Tutti never ran, it does not look as if it had.
    @Test func itMakesNoIdentity() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            set -e
            tutti doctor --no-sound --json > found || [ $? -le 2 ]
            grep -q '"id":"state.works"' found
            test ! -e state
            """, in: directory)
    }

    /// What is damaged is told of, and stays.
    @Test func itLeavesADamagedKey() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            set -e
            mkdir -p -m 700 state/tutti
            echo nonsense > state/tutti/key && chmod 600 state/tutti/key
            code=0; tutti doctor --no-sound --json > found || code=$?
            [ $code = 1 ] || [ $code = 2 ]
            grep -q '"id":"state.key-unusable"' found
            test "$(cat state/tutti/key)" = nonsense
            test "$(ls -A state/tutti)" = key
            """, in: directory)
    }

    /// `sudo -E`: root in a user's home leaves nothing there that is root's, and does not use the user's key.
    @Test(.enabled(if: geteuid() == 0)) func rootLeavesNothingInAUsersHome() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            set -e
            mkdir -p -m 700 home/.local/state/tutti home/.config
            unset XDG_STATE_HOME
            echo nonsense > home/.local/state/tutti/key && chmod 600 home/.local/state/tutti/key
            chown -R 65534:65534 home
            find home -printf '%p %U %T@\\n' | sort > before
            HOME="$PWD/home" tutti doctor --json > found || [ $? -le 2 ]
            grep -q '"id":"state.of-another-user"' found
            if grep -q 'key-unusable\\|state.unusable' found; then exit 1; fi
            find home -printf '%p %U %T@\\n' | sort > after
            cmp before after
            """, in: directory)
    }
}
