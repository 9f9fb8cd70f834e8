package dev.varve.store.cassandra;

import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/** What the store knows of one table that is there; shared by its handles. */
final class TableEntry {
  private static final int LOCKS = 64;

  private final TableSpec spec;
  private final UUID id;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];
  private volatile boolean dropped;

  /**
   * Notes a table.
   *
   * @param id another one whenever a table of this name is made anew
   */
  TableEntry(TableSpec spec, UUID id) {
    this.spec = spec;
    this.id = id;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  TableSpec spec() {
    return spec;
  }

  UUID id() {
    return id;
  }

  /**
   * Held by what decides about cells of a partition, so that this process does not outbid itself;
   * other processes are kept apart by Cassandra.
   */
  ReentrantLock lock(int partitionHash) {
    return locks[Math.floorMod(partitionHash, LOCKS)];
  }

  void drop() {
    dropped = true;
  }

  boolean isDropped() {
    return dropped;
  }

  String whyGone() {
    return "table '%s' was dropped".formatted(spec.name());
  }

  void ensureThere() {
    if (dropped) {
      throw new StoreException(whyGone());
    }
  }

  /** The failure of a request to this table, in our words. */
  StoreException failure(StoreException failure) {
    Throwable cause = failure.getCause();
    if (cause != null && Failures.isMissingTable(cause)) {
      return new StoreException(whyGone(), failure);
    }
    return failure;
  }
}
