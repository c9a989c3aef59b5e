import FuzzTargets
import Glibc
import PeerFuzzTargets
import WebFuzzTargets

/// What libFuzzer calls with each input. The environment says which target it is for; built by `Scripts/fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let violation = target.violation(input) { fatalError(violation) }
    return 0
}

/// What libFuzzer calls first: leaves a target's own inputs to begin with in the folder that the environment names.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard let folder = environment("TUTTI_FUZZ_SEEDS") else { return 0 }
    for (number, seed) in target.seeds.enumerated() {
        guard let file = fopen("\(folder)/seed-\(number + 1)", "we") else { fatalError("cannot write to \(folder)") }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
    }
    return 0
}

private let target: (violation: @Sendable ([UInt8]) -> String?, seeds: [[UInt8]]) = {
    let name = environment("TUTTI_FUZZ_TARGET") ?? ""
    if let target = FuzzTarget(name: name) { return ({ target.violation(of: $0) }, []) }
    if let target = PeerFuzzTarget(name: name) { return ({ target.violation(of: $0) }, target.seeds) }
    if let target = WebFuzzTarget(name: name) { return ({ target.violation(of: $0) }, target.seeds) }
    let names =
        FuzzTarget.all.map(\.name) + PeerFuzzTarget.allCases.map(\.name) + WebFuzzTarget.allCases.map(\.name)
    fatalError("TUTTI_FUZZ_TARGET is one of \(names.joined(separator: " "))")
}()

private func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
