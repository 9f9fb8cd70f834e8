package dev.varve.engine.config;

/**
 * The journal of a dataset in blocks.
 *
 * @param sync what a batch waits for before it is acknowledged
 * @param maxBytes bytes of entries from which samples are sealed into blocks, even if there is
 *     memory for more; at least 1 MiB. Bounds the time of a recovery
 */
public record JournalConfig(Sync sync, long maxBytes) {
  public static final long BYTES_MIN = 1 << 20;

  public static final JournalConfig DEFAULTS = new JournalConfig(Sync.FSYNC, 1L << 30);

  /** The event that a batch waits for. */
  public enum Sync {
    /** The disk has it: it survives a power failure. */
    FSYNC,
    /**
     * The operating system has it: it survives the end of this process, but not a power failure.
     */
    OS,
    /** None: samples of the last moments may be lost with this process. */
    ASYNC
  }
}
