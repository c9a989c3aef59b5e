import AudioCore
import Testing
import WireProtocol

// What listeners are told of what plays next.
extension ControllerTests {
    private func nextTitles(_ broadcast: ScriptedBroadcast, _ id: Int) -> [String?] {
        messages(broadcast, id).compactMap { if case .nextTitle(let title) = $0 { .some(title) } else { nil } }
    }

    @Test func listenersAreToldWhatPlaysNextWhenTheyJoinAndWhenItChanges() {
        var broadcast = playing()
        #expect(nextTitles(broadcast, 1) == ["b"])
        ask(.programme(.remove(.position(1))), &broadcast)
        #expect(nextTitles(broadcast, 1) == ["b", "c"] && nextTitles(broadcast, 2) == ["b", "c"])
        broadcast.join(4)
        broadcast.wait(.milliseconds(100))
        #expect(nextTitles(broadcast, 4) == ["c"])
        ask(.programme(.remove(.position(1))), &broadcast)
        #expect(nextTitles(broadcast, 1).last == .some(nil))
        broadcast.join(5)
        broadcast.wait(.milliseconds(100))
        #expect(nextTitles(broadcast, 5).isEmpty && nextTitles(broadcast, 3).isEmpty)
    }

    @Test func listenersAreToldTheOrderWhenTheyJoinAndWhenItChanges() {
        func modes(_ broadcast: ScriptedBroadcast, _ id: Int) -> [PlayModes] {
            messages(broadcast, id).compactMap { if case .modes(let modes) = $0 { modes } else { nil } }
        }
        var broadcast = playing()
        #expect(modes(broadcast, 1) == [], "the usual order is not told")
        ask(.programme(.setRepeat(.all)), &broadcast)
        ask(.programme(.setRepeat(.all)), &broadcast)
        #expect(modes(broadcast, 1) == [PlayModes(repeats: .all)] && modes(broadcast, 2) == [PlayModes(repeats: .all)])
        broadcast.join(4)
        broadcast.wait(.milliseconds(100))
        #expect(modes(broadcast, 4) == [PlayModes(repeats: .all)] && modes(broadcast, 3) == [])
        ask(.programme(.setRepeat(.off)), &broadcast)
        #expect(modes(broadcast, 4).last == PlayModes())
    }
}
