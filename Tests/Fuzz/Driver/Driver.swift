import FuzzTargets
import Glibc

/// What libFuzzer calls with each input. The environment says which target it is for; built by `Scripts/fuzz`.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let violation = target.violation(of: input) { fatalError(violation) }
    return 0
}

private let target: FuzzTarget = {
    let name = getenv("TUTTI_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(name: name) else {
        fatalError("TUTTI_FUZZ_TARGET is one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()
