extension String {
    /// Makes outside text safe to show on a terminal: valid UTF-8, short, and without control characters.
    ///
    /// Bytes that are not UTF-8 and scalars that control a terminal or the writing direction (general categories Cc,
    /// Cf, Zl, Zp and surrogates) become U+FFFD. Text longer than `maximumByteCount` is cut at a scalar boundary.
    public init(displaying bytes: some Collection<UInt8>, maximumByteCount: Int) {
        // Each input byte gives at least one output byte or none: nothing beyond the limit matters.
        self.init(displaying: String(decoding: bytes.prefix(maximumByteCount + 4), as: UTF8.self), maximumByteCount)
    }

    /// Does the same for text that is already valid UTF-8.
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
