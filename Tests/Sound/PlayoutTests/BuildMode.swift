/// Signal processing without the optimiser is a hundred times slower: debug builds run shorter stretches.
enum BuildMode {
    #if DEBUG
        static let isOptimised = false
    #else
        static let isOptimised = true
    #endif

    static func seconds(_ optimised: Double, debug: Double) -> Double { isOptimised ? optimised : debug }
}
