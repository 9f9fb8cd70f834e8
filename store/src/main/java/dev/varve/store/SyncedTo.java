package dev.varve.store;

/** The medium that holds a {@link Durability#SYNCED} write when the call returns. */
public enum SyncedTo {
  /** The memory of this process. */
  MEMORY,
  /** The operating system, which writes it to the disk soon. */
  OPERATING_SYSTEM,
  DISK,
  /** Another process, whose own settings determine when it acknowledges a write. */
  ANOTHER_PROCESS
}
