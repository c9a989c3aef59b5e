import AudioCore

// Tags after the last frame come too late for a display, and a footer without a header comes too late for a forward
// reader. With random access they are read before the first frame: one jump to the last 160 bytes, where the ID3v1 tag
// and APE's footer stand, one to APE's items, and one back.

/// The tags at the end of a file with random access.
struct TrailingTags {
    private enum Stage {
        case begin, footers, done
        case items(APETagReader)
    }

    private static let footersByteCount = APETagReader.headerByteCount + ID3v1Tag.byteCount

    /// The contents of the tags, not yet taken by ``takeFindings()``.
    private var findings: [TagFinding] = []
    /// Offset in the file where the first of them begins; the file's end if there are none.
    private(set) var start: Int64

    private let fileByteCount: Int64
    private var stage = Stage.begin
    /// Offset in the file where the frames continue.
    private var framesOffset: Int64 = 0
    private var old: [TagFinding] = []

    init(fileByteCount: Int64) {
        self.fileByteCount = fileByteCount
        start = fileByteCount
    }

    /// Returns the contents of the tags, once: a picture or lyrics need not be held while the song plays.
    mutating func takeFindings() -> [TagFinding] {
        defer { findings = [] }
        return findings
    }

    /// - Returns: the next request; nil when the tags were read and the window is at the frames again.
    mutating func read(_ bytes: RawSpan, at offset: Int64, isLast: Bool) -> Progress? {
        switch stage {
        case .done: return nil
        case .begin:
            framesOffset = offset
            guard offset < fileByteCount - Int64(Self.footersByteCount) else {
                stage = .done
                return nil
            }
            stage = .footers
            return Progress(
                consumed: 0, needed: Self.footersByteCount, jump: fileByteCount - Int64(Self.footersByteCount))
        case .footers:
            guard bytes.byteCount >= Self.footersByteCount else {
                return Progress(consumed: isLast ? bytes.byteCount : 0, needed: Self.footersByteCount)
            }
            return readFooters(bytes)
        case .items(var reader):
            stage = .done
            let consumed = reader.consume(bytes, from: 0)
            findings += reader.found
            if reader.isDone { return goBack() }
            stage = .items(reader)
            return Progress(consumed: consumed, needed: 1)
        }
    }

    private mutating func readFooters(_ bytes: RawSpan) -> Progress {
        var footer = ID3v1Tag.byteCount
        if bytes.has("TAG", at: APETagReader.headerByteCount) {
            old = ID3v1Tag.fields(bytes, at: APETagReader.headerByteCount).map { .text($0.0, $0.1) }
            start -= Int64(ID3v1Tag.byteCount)
            footer = 0
        }
        guard let tag = APETagReader.behind(bytes, footerAt: footer), start - Int64(tag.byteCount) >= framesOffset
        else {
            return goBack()
        }
        let items = start - Int64(tag.itemsByteCount + APETagReader.headerByteCount)
        start -= Int64(tag.byteCount)
        guard tag.itemsByteCount > 0 else { return goBack() }
        stage = .items(tag.reader)
        return Progress(consumed: 0, needed: 1, jump: items)
    }

    private mutating func goBack() -> Progress {
        findings += old
        old = []
        stage = .done
        return Progress(consumed: 0, needed: 1, jump: framesOffset)
    }
}
