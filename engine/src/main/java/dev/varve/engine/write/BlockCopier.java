package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.Period;
import dev.varve.engine.write.Destination.Outcome;
import dev.varve.model.SampleGroup;
import java.util.List;

/**
 * Writes samples into a period in blocks that it does not answer for yet. They count neither as
 * accepted nor as samples of their series. Safe for use by several threads.
 */
public final class BlockCopier {
  private final WriteJob.Path path;
  private final BatchBudget admission;

  BlockCopier(WriteJob.Path path, BatchBudget admission) {
    this.path = path;
    this.admission = admission;
  }

  /**
   * Writes samples of known series. They are as durable as the journal of the period makes them.
   *
   * @param bytes that the groups take
   * @throws OverloadedException if too much is waiting to be written; nothing was written
   * @throws WriteFailedException if a store failed
   */
  public void write(Period into, List<SampleGroup> groups, long bytes) {
    int room = admission.enter(bytes);
    try {
      RefusedSamples tally = new RefusedSamples();
      List<Part> parts =
          groups.stream()
              .map(group -> new Part(path.series().of(group.key()), into, group, tally))
              .toList();
      GatheredBatch batch = new GatheredBatch(parts, List.of(), tally, null, 0);
      if (path.blocks().write(batch) != Outcome.WRITTEN) {
        throw new WriteFailedException("the store rejects the numbers of series in blocks", false);
      }
    } finally {
      admission.leave(room);
    }
  }
}
