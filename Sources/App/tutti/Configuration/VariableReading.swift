/// Takes from the environment what is for one command, and finds what was meant for it and is misspelt.
struct VariableReading {
    /// By their names: those that begin with ``ConfigurationEnvironment/prefix``.
    let variables: [String: String]
    let layer: Int
    let keys: ConfigurationKeys

    func read(into settings: inout ConfigurationSettings) {
        for key in keys.own {
            for name in [key.variable, key.variable(of: keys.command)].compactMap(\.self) {
                guard let text = variables[name] else { continue }
                take(text, of: name, for: key, into: &settings)
            }
        }
        let others = variables.keys.filter { !VariableAdvice.isRight($0) }
        guard !others.isEmpty else { return }
        let advice = VariableAdvice(keys)
        for name in others.sorted() {
            guard settings.hasRoomForMistakes else { return }
            guard let problem = advice.problem(with: name) else { continue }
            settings.note(.init(place: .variable(name), key: nil, problem: problem))
        }
    }

    private func take(
        _ text: String, of name: String, for key: ConfigurationKey, into settings: inout ConfigurationSettings
    ) {
        let place = ConfigurationPlace.variable(name)
        if let words = Self.words(text, for: key) {
            settings.add(.init(key: key, words: words, place: place, layer: layer))
        } else {
            settings.note(.init(place: place, key: nil, problem: "takes true or false, not '\(text)'"))
        }
    }

    /// Returns nil for what is neither true nor false.
    private static func words(_ text: String, for key: ConfigurationKey) -> [String]? {
        switch key.kind {
        case .toggle: ConfigurationEnvironment.toggle(text).map { $0 ? [""] : [] }
        case .value: [text]
        case .values: text.split(separator: "\n").map(String.init)
        }
    }
}
