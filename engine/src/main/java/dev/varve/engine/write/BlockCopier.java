package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.Period;
import dev.varve.engine.write.Destination.Outcome;
import dev.varve.model.SampleGroup;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;

/**
 * Writes samples into a period in blocks that it does not answer for yet. They count neither as
 * accepted nor as samples of their series. Safe for use by several threads.
 */
public final class BlockCopier {
  private final WriteJob.Path path;
  private final BatchBudget admission;
  private final Lock writing;

  /**
   * @param writing the lock that every writer of samples holds
   */
  BlockCopier(WriteJob.Path path, BatchBudget admission, Lock writing) {
    this.path = path;
    this.admission = admission;
    this.writing = writing;
  }

  /**
   * Takes room for writes of one thread, one after the other. A caller that keeps writers out while
   * it copies takes it before that: writers hold their room while they wait, and could hold all.
   *
   * @param bytes that the groups of one write take
   * @return the room, to be closed
   * @throws OverloadedException if too much is waiting to be written
   */
  public Room enter(long bytes) {
    return new Room(admission.enter(bytes));
  }

  /** Room in the admission budget. Closed once, by the thread that took it. */
  public final class Room implements AutoCloseable {
    private final int taken;

    private Room(int taken) {
      this.taken = taken;
    }

    /**
     * Writes samples of known series, unless they are outdated. They are as durable as the journal
     * of the period makes them.
     *
     * @param outdated whether nothing may be written any more; asked while no delete can be
     *     accepted, because a copy of a deleted sample would have a higher stamp than the delete
     * @return whether they were written
     * @throws OverloadedException if too much is waiting to be sealed; nothing was written
     * @throws WriteFailedException if a store failed
     */
    public boolean write(Period into, List<SampleGroup> groups, BooleanSupplier outdated) {
      writing.lock();
      try {
        if (outdated.getAsBoolean()) {
          return false;
        }
        write(into, groups);
        return true;
      } finally {
        writing.unlock();
      }
    }

    private void write(Period into, List<SampleGroup> groups) {
      RefusedSamples tally = new RefusedSamples();
      List<Part> parts =
          groups.stream()
              .map(group -> new Part(path.series().of(group.key()), into, group, tally))
              .toList();
      GatheredBatch batch = new GatheredBatch(parts, List.of(), tally, null, 0);
      if (path.blocks().write(batch) != Outcome.WRITTEN) {
        throw new WriteFailedException("the store rejects the numbers of series in blocks", false);
      }
    }

    @Override
    public void close() {
      admission.leave(taken);
    }
  }
}
