import CSodium
import Glibc
import SimulationKit

/// libsodium's random numbers, which are to follow from a seed: which of two household secrets counts is a matter of
/// their bytes, and with it who sends what to whom.
enum SeededSodium {
    // One test at a time runs in a process.
    private nonisolated(unsafe) static var random = SimulationRandom(seed: 0)
    private nonisolated(unsafe) static var isInstalled = false

    static func begin(seed: UInt64) {
        random = SimulationRandom(seed: seed)
        guard !isInstalled else { return }
        isInstalled = true
        let implementation = UnsafeMutablePointer<randombytes_implementation>.allocate(capacity: 1)
        implementation.initialize(
            to: randombytes_implementation(
                implementation_name: { SeededSodium.name }, random: { SeededSodium.next() }, stir: nil, uniform: nil,
                buf: { SeededSodium.fill($0, $1) }, close: nil))
        randombytes_set_implementation(implementation)
    }

    private nonisolated(unsafe) static let name = UnsafePointer(strdup("seeded"))

    private static func next() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }

    private static func fill(_ memory: UnsafeMutableRawPointer?, _ count: Int) {
        guard let memory else { return }
        for offset in 0..<count {
            memory.storeBytes(of: UInt8(truncatingIfNeeded: random.next()), toByteOffset: offset, as: UInt8.self)
        }
    }
}
