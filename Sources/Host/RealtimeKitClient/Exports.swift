// Whoever may ask for real-time priority, and on whose behalf.

@_exported import HostSystem
