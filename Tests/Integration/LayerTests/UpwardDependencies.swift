/// Says which targets use one of a higher layer, a sentence for each dependency; `layers` are in order from the bottom
/// up.
func upwardDependencies(
    layers: [String], layerOfTarget: [String: String], dependencies: [String: [String]]
) -> [String] {
    let rule = "a target uses its own layer and lower ones"
    func height(_ target: String) -> Int? { layerOfTarget[target].flatMap { layers.firstIndex(of: $0) } }
    func place(_ target: String) -> String { "\(target) (\(layerOfTarget[target] ?? "in no layer"))" }

    var sentences: [String] = []
    for (target, used) in dependencies.sorted(by: { $0.key < $1.key }) {
        for other in used {
            if let own = height(target), let its = height(other), its <= own { continue }
            sentences.append("\(place(target)) must not use \(place(other)): \(rule)")
        }
    }
    return sentences
}
