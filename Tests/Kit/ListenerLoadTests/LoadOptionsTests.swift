import ListenerLoad
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoadOptionsTests {
    private func refusal(_ arguments: [String]) -> String? {
        do {
            _ = try LoadOptions(arguments)
            return nil
        } catch {
            return error.description
        }
    }

    private let least = ["--connect", "10.0.0.1:8000", "--song", "a.mp3"]

    @Test func sourcesAreAListOrANetwork() throws {
        let host = try #require(LoadAddress.host("127.1.0.1"))
        #expect(try LoadOptions(least + ["--from", "127.1.0.1,127.1.0.3"]).sources == [host, host + 2])
        #expect(try LoadOptions(least + ["--from", "127.1.0.77/24"]).sources == Array(host..<host + 254))
        #expect(refusal(least + ["--from", "127.1.0.0/8"]) != nil && refusal(least + ["--from", "kitchen"]) != nil)
    }

    @Test func whatIsWrongIsNamed() {
        #expect(refusal(least) == nil)
        #expect(refusal(["--song", "a.mp3"])?.contains("--connect") == true)
        #expect(refusal(["--connect", "10.0.0.1:8000"])?.contains("--song") == true)
        #expect(refusal(least + ["--listeners", "0"])?.contains("from 1 to") == true)
        #expect(refusal(least + ["--listeners"])?.contains("needs a value") == true)
        #expect(refusal(least + ["--loud", "1"])?.contains("'--loud'") == true)
        #expect(refusal(least + ["--listeners", "3", "--fitting", "4"]) != nil)
        #expect(refusal(least + ["--listeners", "3", "--stalled", "2", "--flapping", "2"]) != nil)
        #expect(refusal(["--connect", "kitchen:1", "--song", "a.mp3"])?.contains("'kitchen:1'") == true)
    }
}
