import Glibc

extension SoftwareCard {
    /// Makes this process's ALSA know the software cards, and no default; for tests that open devices by name.
    ///
    /// ALSA reads the path of its configuration whenever a device is opened, and in one process only one can hold. So
    /// all cards share one file, and each is named in full (``deviceName``). It goes when the process ends.
    public static func useOwnConfiguration() { _ = ownConfiguration }

    private static let ownConfiguration: String = {
        let path = String(cString: mkdtemp(strdup("/tmp/tutti-alsa-XXXXXX"))) + "/asound.conf"
        try? writeConfiguration(to: path, default: nil)
        setenv("ALSA_CONFIG_PATH", path, 1)
        atexit { SoftwareCard.removeOwnConfiguration() }
        return path
    }()

    private static func removeOwnConfiguration() {
        unlink(ownConfiguration)
        rmdir(String(ownConfiguration.dropLast("/asound.conf".count)))
    }
}
