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
            heading=$(grep -m 1 '^## ' '\(Self.root)/CHANGELOG.md')
            said=$(tutti --version)
            echo "said: $said; changelog: $heading"
            [[ $heading = "## ${said#tutti } ("????-??-??")" ]]
            """, in: directory)
    }
}
