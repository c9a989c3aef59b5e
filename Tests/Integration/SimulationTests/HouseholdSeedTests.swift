import AudioCore
import SimulationKit
import Testing

/// A household among strangers, while machines are let in, removed, away and back: one scenario for each seed.
@Suite(.timeLimit(.minutes(Seeds.isLong ? 240 : 15)), .serialized) struct HouseholdSeedTests {
    @Test(arguments: Seeds.signed) func membersAmongStrangers(seed: UInt64) throws {
        let scenario = try HouseholdScenario(seed: seed)
        scenario.run()
        if !scenario.findings.isEmpty { print("seed \(seed): \(scenario.events.joined(separator: "; "))") }
        report(scenario.findings, scenario.world)
        #expect(scenario.tally.isEnough, "\(scenario.tally); \(scenario.world.replay)")
        print(scenario.summary)
    }

    @Test func oneSeedReplaysItsEventsExactly() throws {
        func run() throws -> UInt64 {
            let scenario = try HouseholdScenario(seed: 11, for: .seconds(40))
            scenario.run()
            return scenario.world.loop.eventCount
        }
        #expect(try run() == run())
    }

    // MARK: Planted mistakes

    private func kinds(
        _ seed: UInt64, _ fault: PlantedFault, in faulty: HouseholdScenario.Faulty
    ) throws -> (kinds: Set<Finding.Kind>, text: String) {
        let scenario = try HouseholdScenario(seed: seed, for: .seconds(40), fault: fault, in: faulty)
        scenario.run()
        return (Set(scenario.findings.map(\.kind)), "\(scenario.findings); \(scenario.world.replay)")
    }

    @Test(arguments: Seeds.planted) func listenersThatTakeEverybodyForMembersAreFound(seed: UInt64) throws {
        let (kinds, text) = try kinds(seed, .everybodyIsMember, in: .listeners)
        // Strangers are heard, not only let in.
        #expect(kinds.isSuperset(of: [.foreign, .stray]), "\(text)")
    }

    @Test(arguments: Seeds.planted) func broadcastersThatTakeEverybodyForMembersAreFound(seed: UInt64) throws {
        let (kinds, text) = try kinds(seed, .everybodyIsMember, in: .broadcasters)
        #expect(kinds.contains(.foreign), "\(text)")
    }

    @Test(arguments: Seeds.planted) func broadcastersThatIgnoreDocumentsAreFound(seed: UInt64) throws {
        let (kinds, text) = try kinds(seed, .ignoredDocuments, in: .broadcasters)
        #expect(kinds.contains(.disagreement), "\(text)")
    }
}
