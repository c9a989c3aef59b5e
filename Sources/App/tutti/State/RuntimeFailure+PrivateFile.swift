import TuttiRuntime

extension RuntimeFailure {
    /// Why a command that needs a file with a secret does nothing.
    init(_ error: PrivateFileError) {
        let kind: Kind =
            switch error {
            case .exposed, .foreign: .notAllowed
            case .damaged: .general
            case .system: .cannotCreate
            }
        self.init(kind, .other("\(error)"))
    }
}
