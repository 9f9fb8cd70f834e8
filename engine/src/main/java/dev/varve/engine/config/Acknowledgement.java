package dev.varve.engine.config;

import dev.varve.engine.config.JournalConfig.Sync;
import dev.varve.store.SyncedTo;
import java.util.Locale;

/** The durability of samples when a write to a dataset returns. */
public enum Acknowledgement {
  /** On the disk: they survive a power failure. */
  FSYNC,
  /** In the operating system: they survive the end of this process. The disk has them soon. */
  OS,
  /** In the memory of this process. The disk has them soon. */
  ASYNC,
  /** In the memory of this process. They never reach the disk. */
  MEMORY,
  /** In the store of another process, whose settings determine the durability. */
  STORE;

  /** Returns the word that configurations and HTTP headers use. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the acknowledgement of a dataset.
   *
   * @param journals whether new samples go through a journal
   */
  public static Acknowledgement of(SyncedTo store, boolean journals, Sync sync) {
    return switch (store) {
      case MEMORY -> MEMORY;
      case ANOTHER_PROCESS -> STORE;
      case OPERATING_SYSTEM -> journals && sync == Sync.ASYNC ? ASYNC : OS;
      case DISK ->
          switch (journals ? sync : Sync.FSYNC) {
            case FSYNC -> FSYNC;
            case OS -> OS;
            case ASYNC -> ASYNC;
          };
    };
  }
}
