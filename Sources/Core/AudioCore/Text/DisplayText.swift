extension String {
    /// Text from outside, made fit to be shown on a terminal: whole, valid, short and without control characters.
    ///
    /// Bytes that are not UTF-8 and scalars that steer a terminal or the direction of writing (general categories Cc,
    /// Cf, Zl, Zp and surrogates) become U+FFFD. What is longer than `maximumByteCount` is cut at a scalar boundary.
    public init(displaying bytes: some Collection<UInt8>, maximumByteCount: Int) {
        // One byte of input gives at least one byte of output or none: more than the limit need not be looked at.
        self.init(displaying: String(decoding: bytes.prefix(maximumByteCount + 4), as: UTF8.self), maximumByteCount)
    }

    /// The same for text that is valid UTF-8 already.
    public init(displaying text: some StringProtocol, maximumByteCount: Int) {
        self.init(displaying: text, maximumByteCount)
    }

    private init(displaying text: some StringProtocol, _ maximumByteCount: Int) {
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let shown = scalar.isDisplayable ? scalar : "\u{FFFD}"
            count += UTF8.width(shown)
            guard count <= maximumByteCount else { break }
            scalars.append(shown)
        }
        self.init(scalars)
    }
}

extension Unicode.Scalar {
    fileprivate var isDisplayable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: self == "\u{200D}"  // joins emoji
        default: true
        }
    }
}
