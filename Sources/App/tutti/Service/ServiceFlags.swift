/// Whether a command runs as a service.
enum ServiceFlags {
    static let service = CommandSyntax.Option.flag(
        "--service",
        "Run as a service, as the units for systemd do: wait for a sound device, a port or a network that is not there, "
            + "tell the service manager and the journal what goes on, and read the configuration anew at SIGHUP."
    )
    .scoped(.nowhere)
}
