import StreamTestKit
import Testing

/// What `tutti --version` says.
@Suite(.timeLimit(.minutes(5))) struct VersionProcessTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    /// A program that was not built by `Scripts/install` tells the version alone.
    @Test func theVersionIsTheChangelogsFirst() throws {
        let directory = TemporaryDirectory()
        try TuttiProcess.run(
            """
            heading=$(grep -m 1 '^## [0-9]' '\(Self.root)/CHANGELOG.md')
            said=$(tutti --version)
            echo "said: $said; changelog: $heading"
            [[ $heading = "## ${said#tutti } ("????-??-??")" ]]
            """, in: directory)
    }

    /// What `Scripts/install` hands to the build: of a checkout its commit, of anything else nothing, also where that
    /// lies in somebody else's checkout.
    @Test func theRevisionIsTheCheckouts() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            """
            set -e
            expect() { test "$(bash -c '. ./Scripts/lib/common.bash; revision')" = "$1"; }
            export GIT_CONFIG_GLOBAL=/dev/null GIT_CEILING_DIRECTORIES=/
            mkdir -p outer/inner/Scripts/lib && cp '\(Self.root)/Scripts/lib/common.bash' outer/inner/Scripts/lib
            git init -q outer
            cd outer/inner
            expect ""
            git init -q . && git config user.name n && git config user.email e
            expect ""
            echo ignored > .gitignore && git add . && git commit -q -m first
            commit=$(git rev-parse HEAD | cut -c 1-10)
            touch ignored
            expect "$commit"
            echo new > new
            expect "$commit-dirty"
            git add new && git commit -q -m second
            commit=$(git rev-parse HEAD | cut -c 1-10)
            expect "$commit"
            echo changed > new
            expect "$commit-dirty"
            """, in: directory)
    }
}
