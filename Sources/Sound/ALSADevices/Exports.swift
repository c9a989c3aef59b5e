// What the devices' public interface speaks of: formats and times, rights of threads, what a device is.

@_exported import AudioCore
@_exported import HostSystem
@_exported import Playout
