import SimulationKit
import Testing

/// Planted mistakes that the sweep must notice. What finds nothing wrong with them finds nothing wrong with anything.
@Suite(.timeLimit(.minutes(5))) struct CanaryTests {
    private func kinds(_ seed: UInt64, _ fault: PlantedFault?) -> (kinds: Set<Finding.Kind>, text: String) {
        let scenario = DisturbanceScenario(seed: seed, seconds: 30, disturbanceInterval: 6, fault: fault)
        scenario.run()
        let findings = scenario.findings()
        return (Set(findings.map(\.kind)), "\(findings); \(scenario.world.replay)")
    }

    /// Nil where the mistake came to nothing, as of nobody who has it much is asked; the first three seeds are not so.
    private func kindsOfFaults(
        _ seed: UInt64, _ fault: PlantedFault
    ) -> (kinds: Set<Finding.Kind>, text: String)? {
        let scenario = FaultScenario(seed: seed, seconds: 60, fault: fault)
        scenario.run()
        guard seed <= 3 || scenario.listeners.contains(where: \.hasMisbehaved) else { return nil }
        return (Set(scenario.findings.map(\.kind)), "\(scenario.findings); \(scenario.world.replay)")
    }

    @Test(arguments: Seeds.short) func aListenerThatDoesNotComeBackIsFound(seed: UInt64) {
        guard let (kinds, text) = kindsOfFaults(seed, .noReconnection) else { return }
        #expect(kinds.contains(.lost), "\(text)")
    }

    @Test(arguments: Seeds.short) func aListenerThatComesBackOutOfStepIsFound(seed: UInt64) {
        guard let (kinds, text) = kindsOfFaults(seed, .lateReturn) else { return }
        // So far off that it passes for another sound, or on its way there.
        #expect(!kinds.isDisjoint(with: [.stray, .notWhole, .apart]), "\(text)")
    }

    @Test(arguments: Seeds.short) func withoutAMistakeNothingIsFound(seed: UInt64) {
        let (kinds, text) = kinds(seed, nil)
        #expect(kinds.isEmpty, "\(text)")
    }

    @Test(arguments: Seeds.short) func aWrongSignOfTheDelayIsFound(seed: UInt64) {
        let (kinds, text) = kinds(seed, .delaySign)
        #expect(kinds.contains(.notWhole), "\(text)")
    }

    @Test(arguments: Seeds.short) func aLostFrameIsFound(seed: UInt64) {
        let (kinds, text) = kinds(seed, .lostFrame)
        #expect(kinds.isSuperset(of: [.notWhole, .apart]), "\(text)")
    }

    /// Datagrams whose stamps contradict each other are thrown away, and the clock goes over TCP in their stead: in
    /// step, but late.
    @Test(arguments: Seeds.short) func swappedStampsAreFound(seed: UInt64) {
        let (kinds, text) = kinds(seed, .swappedStamps)
        #expect(kinds.contains(.lateStart), "\(text)")
    }
}
