import Playout

extension OutputDeviceError {
    /// For people, one line that says what to do.
    var sentence: String { description + advice }

    fileprivate var advice: String {
        switch self {
        case .noDevice: "; use --output null or --output file:OUT.wav, or see `tutti devices`"
        case .unknownDevice, .failed: "; see `tutti devices`"
        case .busy: "; stop that, or choose another (`tutti devices`)"
        case .unsupportedConfiguration(let device, _): "; try 'plug:\(device)', or see `tutti devices`"
        case .lost, .standsStill: "; connect it again, or choose another (`tutti devices`)"
        case .notPermitted, .cannotWrite: ""
        }
    }
}

extension InputDeviceError {
    /// For people, one line that says what to do.
    var sentence: String { description + (cause == .noDevice ? "; see `tutti devices`" : cause.advice) }
}
