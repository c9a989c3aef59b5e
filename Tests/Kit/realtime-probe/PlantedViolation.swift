import Glibc

/// A violation that the real-time thread is made to commit once, so that a watch which sees nothing can be told from a
/// thread that does nothing.
///
/// The bodies are Swift, compiled like everything else here: what the compiler makes of them must be noticed.
enum PlantedViolation: String {
    case allocation, retain

    init(_ name: String) throws {
        guard let plant = PlantedViolation(rawValue: name) else { throw Unknown(name: name) }
        self = plant
    }

    /// Hands the body to the watch.
    /// - Throws: where none is preloaded.
    func install() throws {
        guard let symbol = dlsym(nil, "thread_watch_plant") else { throw Unknown(name: "thread_watch_plant") }
        let plant = unsafeBitCast(symbol, to: (@convention(c) (@convention(c) () -> Void) -> Void).self)
        switch self {
        case .allocation: plant(plantedAllocation)
        case .retain:
            plantedObject = Unmanaged.passRetained(Object()).toOpaque()
            plant(plantedRetain)
        }
    }

    struct Unknown: Error {
        var name: String
    }
}

private final class Object {}

// Constants to begin with, so that reading them runs no initialiser. Set before the thread begins.
nonisolated(unsafe) private var plantedObject: UnsafeMutableRawPointer?
nonisolated(unsafe) private var plantedMemory: UnsafeMutableRawPointer?

private func plantedAllocation() { plantedMemory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16) }

private func plantedRetain() {
    guard let plantedObject else { return }
    _ = Unmanaged<Object>.fromOpaque(plantedObject).retain()
    // Were the retain the last that it does, it would be jumped to, and this function not be on the stack.
    sched_yield()
}
