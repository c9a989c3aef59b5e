import Households
import ProgrammeJSON
import Testing
import TuttiRuntime

@testable import WebRemote

/// The page obeys the flags by which others may listen and command.
@Suite(.timeLimit(.minutes(5)))
struct PageAccessTests {
    @Test func pagesDoWhatTheUserAllowsToOthers() {
        func access(_ listen: Audience?, _ command: Audience?, isInHousehold: Bool = false) -> PageAccess {
            var policy = AccessPolicy()
            policy.allow(.listen, for: listen)
            policy.allow(.command, for: command)
            return PageAccess(policy, acceptsSongs: true, isInHousehold: isInHousehold)
        }
        #expect(access(nil, nil).open == [.listen, .add, .command])
        #expect(access(nil, .nobody).open == [.listen] && access(.nobody, nil).open == [.add, .command])
        #expect(access(.members, .members).open.isEmpty && access(nil, nil, isInHousehold: true).open.isEmpty)
        #expect(access(.anyone, nil, isInHousehold: true).open == [.listen])
        // A code lets in where members may, and not where nobody may.
        #expect(access(.members, .members).rights(of: .command) == [.listen, .add, .command])
        #expect(access(nil, .nobody).rights(of: .command) == [.listen])
        #expect(access(.nobody, nil, isInHousehold: true).rights(of: .add) == [.add])
        #expect(access(nil, nil).rights(of: .listen) == [.listen, .add, .command])
    }
}
