package dev.varve.store;

/** The place that has a {@link Durability#SYNCED} write when it returns. */
public enum SyncedTo {
  /** In the memory of this process. */
  MEMORY,
  /** In the operating system, which writes it to the disk soon. */
  OPERATING_SYSTEM,
  DISK,
  /** In another process, which says by its own settings when a write is done. */
  ANOTHER_PROCESS
}
