/// One value that the configuration has for a key.
struct ConfigurationSetting: Hashable, Sendable {
    let key: ConfigurationKey
    /// As the command line would give it: empty if nothing is given, which replaces what weaker layers give.
    let words: [String]
    let place: ConfigurationPlace
    /// A stronger one has a higher number.
    let layer: Int
    /// The key with its table; nil in the environment, whose place says all.
    var path: String?
}

/// What the configuration has for one command: of each key all values, and what was wrong with others.
///
/// The command's own parsing judges values. What it rejects is taken out (``drop(for:given:)``) until it rejects
/// nothing that the configuration gave.
struct ConfigurationSettings: Sendable {
    /// By the names of options and operands; the strongest is the last.
    private var settings: [String: [ConfigurationSetting]] = [:]
    /// What is not for what the command is asked to do.
    private var unfitting: [String: [ConfigurationSetting]] = [:]
    private(set) var mistakes: [ConfigurationMistake] = []

    mutating func add(_ setting: ConfigurationSetting) { settings[setting.key.name, default: []].append(setting) }

    /// The most mistakes that are told of.
    static let mistakeCountLimit = 100

    /// Whether a mistake is still told of.
    var hasRoomForMistakes: Bool { mistakes.count <= Self.mistakeCountLimit }

    mutating func note(_ mistake: ConfigurationMistake) {
        guard hasRoomForMistakes, !mistakes.contains(mistake) else { return }
        guard mistakes.count == Self.mistakeCountLimit else { return mistakes.append(mistake) }
        mistakes.append(
            .init(
                place: mistake.place, key: nil,
                problem: "there are too many mistakes; this one and those behind are not told of"))
    }

    /// What the command line does not give, by the names of options and operands.
    var words: [String: [String]] { settings.compactMapValues { $0.last?.words } }

    /// What is in force where the command line gives nothing.
    func strongest(_ key: ConfigurationKey) -> ConfigurationSetting? {
        settings[key.name]?.last ?? unfitting[key.name]?.last
    }

    /// Takes out what an error of the command's parsing is about, and notes it if it is a mistake.
    /// - Parameter given: the names of what the command line gives.
    /// - Returns: false if the configuration has no part in the error.
    mutating func drop(for error: UsageError, given: Set<String>) -> Bool {
        switch error.concern {
        case .line: return false
        case .value(let name, let problem):
            guard !given.contains(name), let setting = settings[name]?.popLast() else { return false }
            note(setting, problem)
            return true
        case .unfitting(let names):
            let configured = names.filter { !given.contains($0) && settings[$0]?.isEmpty == false }
            for name in configured { unfitting[name] = settings.removeValue(forKey: name) }
            return !configured.isEmpty
        case .exclusive(let names):
            return dropWeakest(names, error, given)
        }
    }

    /// Of options that exclude each other the stronger layer's counts. If all are of one layer, that is a mistake, and
    /// the first one counts.
    private mutating func dropWeakest(_ names: [String], _ error: UsageError, _ given: Set<String>) -> Bool {
        let configured = names.filter { !given.contains($0) }.compactMap { settings[$0]?.last }.filter {
            !$0.words.isEmpty
        }
        guard let weakest = configured.min(by: { $0.layer < $1.layer }) else { return false }
        let isOneLayer = given.isDisjoint(with: names) && configured.allSatisfy { $0.layer == weakest.layer }
        guard isOneLayer, configured.count > 1 else {
            _ = settings[weakest.key.name]?.popLast()
            return true
        }
        let last = configured.max { ($0.place.line, $0.key.key) < ($1.place.line, $1.key.key) } ?? weakest
        _ = settings[last.key.name]?.popLast()
        note(last, error.message)
        return true
    }

    private mutating func note(_ setting: ConfigurationSetting, _ problem: String) {
        note(.init(place: setting.place, key: setting.path, problem: problem))
    }
}

extension ConfigurationPlace {
    fileprivate var line: Int {
        guard case .file(_, let line?) = self else { return 0 }
        return line
    }
}
