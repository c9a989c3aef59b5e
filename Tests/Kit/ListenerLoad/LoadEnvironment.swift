import AudioCore
import Glibc

/// What all listeners of one load share.
final class LoadEnvironment {
    let song: LoadSong
    let broadcaster: LoadAddress
    /// Our own addresses, which listeners take in turn; empty lets the kernel choose.
    let sources: [UInt32]
    let started = Int64(time(nil))
    let poll: LoadPoll
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    /// Of listeners that read all they are sent, and of the others.
    var margins = (steady: DeliveryMargins(), disturbed: DeliveryMargins())
    /// Of the same.
    var clockErrors = (steady: ClockErrors(), disturbed: ClockErrors())
    /// What went wrong, the first few times.
    private(set) var complaints: [String] = []

    init(song: LoadSong, broadcaster: LoadAddress, sources: [UInt32]) throws(LoadSocket.Failure) {
        self.song = song
        self.broadcaster = broadcaster
        self.sources = sources
        poll = try LoadPoll()
    }

    deinit { buffer.deallocate() }

    func complain(_ text: String) {
        if complaints.count < 16 { complaints.append(text) }
    }
}
