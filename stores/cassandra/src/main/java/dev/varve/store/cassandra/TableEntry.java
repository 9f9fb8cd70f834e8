package dev.varve.store.cassandra;

import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/** The state of one existing table, shared by its handles. */
final class TableEntry {
  private static final int LOCKS = 64;

  private final TableSpec spec;
  private final UUID id;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];
  private final List<CellWeight> weights;
  private volatile boolean dropped;

  /**
   * Creates an entry.
   *
   * @param id changes whenever a table of this name is created again
   */
  TableEntry(TableSpec spec, UUID id) {
    this.spec = spec;
    this.id = id;
    this.weights = spec.families().stream().map(family -> new CellWeight()).toList();
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

  /** Returns the estimated size of a family's cells. */
  CellWeight weight(int family) {
    return weights.get(family);
  }

  /**
   * Returns the lock to hold while deciding about cells of a partition, so that this process does
   * not compete with itself. Cassandra isolates other processes.
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

  /** Translates the failure of a request to this table. */
  StoreException failure(StoreException failure) {
    Throwable cause = failure.getCause();
    if (cause != null && Failures.isMissingTable(cause)) {
      return new StoreException(whyGone(), failure);
    }
    return failure;
  }
}
