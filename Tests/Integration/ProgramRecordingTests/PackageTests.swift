import StreamTestKit
import Testing

/// What `Scripts/package` makes, of the program under test.
@Suite(.timeLimit(.minutes(5))) struct PackageTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    private static var program: String { TuttiProcess.executableDirectory + "/tutti" }

    private func package(_ directory: borrowing TemporaryDirectory, into folder: String) throws {
        try Tool.run(
            """
            export SOURCE_DATE_EPOCH=1700000000
            '\(Self.root)/Scripts/package' --fast --program '\(Self.program)' --output '\(folder)' \
            --maintainer 'Tutti Tests <tests@tutti.invalid>'
            """, in: directory)
    }

    @Test func twoAreTheSameAndWhole() throws {
        let directory = TemporaryDirectory()
        try package(directory, into: "first")
        // Another time, and another mask of rights.
        try Tool.run("sleep 1", in: directory)
        try package(directory, into: "second")
        try Tool.run("cmp first/*.deb second/*.deb && cmp first/*.tar.xz second/*.tar.xz", in: directory)
        try contents(directory)
        try judgement(directory)
        try archive(directory)
    }

    private func contents(_ directory: borrowing TemporaryDirectory) throws {
        try Tool.run(
            """
            set -e
            version=$('\(Self.program)' --version | cut -d ' ' -f 2)
            test "$(dpkg-deb -f first/*.deb Package Version)" = "$(printf 'Package: tutti\\nVersion: %s' "$version")"
            dpkg-deb -f first/*.deb Depends | grep -q 'libasound2 (>= '
            dpkg-deb -f first/*.deb Depends | grep -q 'procps'
            dpkg-deb -f first/*.deb Recommends | grep -q 'avahi-daemon, libavcodec59.*rtkit'
            dpkg-deb -c first/*.deb > list
            if grep -v ' root/root ' list; then exit 1; fi
            for file in usr/bin/tutti usr/share/man/man1/tutti.1.gz usr/share/man/man5/tutti.toml.5.gz \
                usr/share/bash-completion/completions/tutti usr/share/zsh/vendor-completions/_tutti \
                usr/share/fish/vendor_completions.d/tutti.fish usr/share/applications/tutti.desktop \
                usr/lib/systemd/system/tutti.service usr/lib/systemd/user/tutti.service usr/lib/sysusers.d/tutti.conf \
                usr/share/doc/tutti/copyright usr/share/doc/tutti/examples/tutti.toml etc/tutti/tutti.toml.d/ \
                $('\(Self.program)' help --names commands | sed 's|.*|usr/share/man/man1/tutti-&.1.gz|'); do
                grep -q " \\./$file\\$" list || { echo "$file is missing"; exit 1; }
            done
            """, in: directory)
    }

    /// Debian's own judgement.
    private func judgement(_ directory: borrowing TemporaryDirectory) throws {
        try Tool.run(
            "lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags bogus-mail-host first/*.deb",
            in: directory)
    }

    /// The program of the tests needs Swift's libraries, which no distribution has: just what install.sh looks for.
    private func archive(_ directory: borrowing TemporaryDirectory) throws {
        try Tool.run(
            """
            mkdir archive && tar -xJf first/*.tar.xz -C archive --strip-components 1 && cd archive
            set -e
            if ./install.sh --check > ../said 2>&1; then exit 1; fi
            grep -q 'libswiftCore.so is missing' ../said
            if ./install.sh --prefix "$PWD/prefix" > ../said 2>&1; then exit 1; fi
            grep -q 'nothing was copied' ../said
            test ! -e prefix
            if ./install.sh --prefix "$PWD/a|b c" > ../said 2>&1; then exit 1; fi
            grep -q 'takes a path of letters' ../said
            export LD_LIBRARY_PATH=$(ldd '\(Self.program)' | sed -n 's|.* => \\(.*\\)/libswiftCore.so .*|\\1|p')
            ./install.sh --check
            # Another user has unpacked it.
            if [ "$(id -u)" = 0 ]; then chown -R 65534 bin lib share; fi
            ./install.sh --prefix "$PWD/prefix"
            test -z "$(find prefix ! -user "$(id -u)")"
            prefix/bin/tutti --version
            grep -qx "ExecStart=$PWD/prefix/bin/tutti join --service" prefix/lib/systemd/system/tutti.service
            ./install.sh --uninstall --prefix "$PWD/prefix"
            test -z "$(find prefix -type f)"
            """, in: directory)
    }

    /// Answers as the manager of services would of one that runs `$UNIT`, and writes down what it is asked.
    private static let manager = """
        set -e
        mkdir fake
        cat > fake/systemctl <<'END'
        #!/bin/sh
        echo "$*" >> "$LOG"
        case "$*" in *show*) printf 'ExecStart={ path=%s ; argv[]=%s join --service ; }\\nActiveState=%s\\nUnitFileState=%s\\n' \
            "$UNIT" "$UNIT" "$ACTIVE" "$ENABLED" ;; esac
        END
        chmod +x fake/systemctl
        export PATH="$PWD/fake:$PATH" LOG="$PWD/asked" UNIT ACTIVE=active ENABLED=enabled
        whose=--user; if [ "$(id -u)" = 0 ]; then whose=--system; fi
        asked() { grep -qx -- "$whose $1" asked || { echo "nobody asked to $1:"; cat asked said; exit 1; }; }
        root='\(root)'

        """

    /// A service that runs what is taken away is stopped, and begun no more; another one is left alone.
    @Test func itsServicesEndBeforeTheProgramGoes() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            Self.manager + """
                mkdir -p archive/bin archive/lib archive/share prefix/bin
                cp "$root"/Scripts/lib/package/install.sh "$root"/Scripts/lib/package/services.sh archive/
                touch archive/bin/tutti
                uninstall() {
                    rm -f asked; touch prefix/bin/tutti
                    archive/install.sh --uninstall --prefix "$PWD/prefix/" > said 2>&1
                    test ! -e prefix/bin/tutti
                }
                UNIT=$PWD/prefix/bin/tutti
                uninstall
                asked 'stop tutti.service'; asked '-q disable tutti.service'; asked daemon-reload
                grep -q '^Stopped .*tutti.service' said; grep -q '^Disabled .*tutti.service' said
                ACTIVE=inactive ENABLED=disabled; uninstall
                if grep -q 'stop\\|disable' asked; then exit 1; fi
                # A package's.
                ACTIVE=active ENABLED=enabled UNIT=/usr/bin/tutti; uninstall
                if grep -q 'stop\\|disable' asked; then exit 1; fi
                if grep -q 'Stopped\\|Disabled' said; then exit 1; fi
                """, in: directory)
    }

    @Test func whatScriptsInstallPutsThereIsTakenAway() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            Self.manager + """
                mkdir -p prefix/bin prefix/share/man/man1 prefix/share/zsh/site-functions
                touch prefix/bin/tutti prefix/bin/other prefix/share/man/man1/tutti.1.gz
                touch prefix/share/man/man1/tutti-join.1.gz prefix/share/zsh/site-functions/_tutti
                UNIT=$PWD/prefix/bin/tutti
                "$root/Scripts/install" --uninstall --prefix prefix > said 2>&1
                asked 'stop tutti.service'; asked '-q disable tutti.service'
                test "$(find prefix -type f)" = prefix/bin/other
                if "$root/Scripts/install" --uninstall --prefix prefix > said 2>&1; then exit 1; fi
                grep -q 'there is no Tutti' said
                """, in: directory)
    }

    @Test func whatIsWrongIsSaid() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            """
            set -e
            refused() {
                expected=$1; shift
                if '\(Self.root)/Scripts/package' --output out "$@" 2> said; then exit 1; fi
                grep -qF -- "$expected" said || { cat said; exit 1; }
                test ! -e out
            }
            printf '#!/bin/sh\\necho tutti 0.0.9\\n' > other && chmod +x other
            refused "there is no program '$PWD/none'" --program none
            refused "unknown argument '--what'" --what
            refused "--maintainer is a name and an address" --maintainer nobody --program '\(Self.program)'
            refused "the program is tutti 0.0.9" --maintainer 'N <a@b>' --program other
            """, in: directory)
    }
}
