import AudioCore

// Places of an edited song in fragments, as they are given and as they lie in the media.

extension StreamedSong {
    /// A place from which one can go on, and what is given there.
    struct Entry {
        /// Nil for the beginning of a table in front of all fragments.
        var fragment: FragmentIndex.Entry?
        var stretch: Int
        var isOpen: Bool
        /// Of what is given.
        var packet: Int64
        var frame: Int64
    }

    /// The last place at which a packet comes or one before it.
    func entry(atOrBefore packet: Int64, of fragments: FragmentIndex) -> Entry? {
        guard let index = known.lastIndex(where: { $0.number <= packet }) else { return nil }
        let stretch = known[index]
        return entry(in: index, of: fragments) {
            $0.packet <= stretch.last && $0.frame < stretch.frames.upperBound
                && $0.packet - stretch.first <= packet - stretch.number
        }
    }

    /// The last place at which a frame comes or one before it.
    func entry(atOrBeforeFrame frame: Int64, of fragments: FragmentIndex) -> Entry? {
        guard let index = known.lastIndex(where: { $0.frame <= frame }) else { return nil }
        let stretch = known[index]
        return entry(in: index, of: fragments) {
            $0.frame < stretch.frames.upperBound && $0.frame - stretch.frames.lowerBound <= frame - stretch.frame
        }
    }

    /// Those of which it is known which packet they begin with.
    private var known: ArraySlice<EditedSong.Stretch> {
        song.stretches.prefix { $0.number != EditedSong.Stretch.unknown }
    }

    /// - Parameter holds: for all fragments up to the one that is sought.
    private func entry(
        in index: Int, of fragments: FragmentIndex, where holds: (FragmentIndex.Entry) -> Bool
    ) -> Entry? {
        let stretch = song.stretches[index]
        // One that goes back is gone back for.
        let isFollowed = index + 1 < song.stretches.count && !song.stretches[index + 1].goesBack
        if let inside = fragments.last(where: { holds($0) && (!isFollowed || isBeforeSplice(of: index + 1, $0)) }),
            index == 0 || inside.packet > stretch.first
        {
            return Entry(
                fragment: inside, stretch: index, isOpen: true,
                packet: stretch.number + inside.packet - stretch.first,
                frame: stretch.frame + inside.frame - stretch.frames.lowerBound)
        }
        return beginning(of: index, in: fragments)
    }

    func beginning(of index: Int, in fragments: FragmentIndex) -> Entry {
        let stretch = song.stretches[index]
        return Entry(
            fragment: fragments.last { isBeforeSplice(of: index, $0) }, stretch: index, isOpen: index == 0,
            packet: stretch.number, frame: stretch.frame)
    }

    /// All that the splice of a stretch can need is behind.
    private func isBeforeSplice(of index: Int, _ fragment: FragmentIndex.Entry) -> Bool {
        fragment.frame <= max(0, song.stretches[index].frames.lowerBound - song.prerollFrameCount)
    }

    /// The packet that one of the media is given as, or one near it.
    func packet(ofMedia packet: Int64) -> Int64 {
        let stretch =
            song.stretches.first { $0.first <= packet && packet <= $0.last }
            ?? song.stretches.last { $0.first <= packet } ?? song.stretches[0]
        return stretch.number + min(packet, stretch.last) - stretch.first
    }
}
