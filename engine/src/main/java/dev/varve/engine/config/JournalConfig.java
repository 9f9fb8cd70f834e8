package dev.varve.engine.config;

/**
 * The configuration of the journal of a dataset in blocks.
 *
 * @param sync when a batch is acknowledged
 * @param maxBytes bytes of journal entries at which samples are sealed into blocks, even if there
 *     is memory for more; at least 1 MiB. Bounds the time that a start after a crash takes
 */
public record JournalConfig(Sync sync, long maxBytes) {
  public static final long BYTES_MIN = 1 << 20;

  public static final JournalConfig DEFAULTS = new JournalConfig(Sync.FSYNC, 1L << 30);

  /** The point at which a batch is acknowledged. */
  public enum Sync {
    /** Once the disk has the batch, which then survives a power failure. */
    FSYNC,
    /**
     * Once the operating system has the batch, which then survives the end of this process, but not
     * a power failure.
     */
    OS,
    /** At once: if this process crashes, the batches of the last moments may be lost. */
    ASYNC
  }
}
