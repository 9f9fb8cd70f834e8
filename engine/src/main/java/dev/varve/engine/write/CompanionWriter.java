package dev.varve.engine.write;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.tables.Applier.Rejected;
import dev.varve.model.Attribute;
import dev.varve.model.SampleGroup;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies samples and attributes of a primary into its companions. Safe for use by several threads.
 */
public final class CompanionWriter {
  private static final Logger LOG = LoggerFactory.getLogger(CompanionWriter.class);

  private final OpenDataset dataset;
  private final SeriesCache series;
  private final TableWriters tables;

  CompanionWriter(OpenDataset dataset, SeriesCache series, TableWriters tables) {
    this.dataset = dataset;
    this.series = series;
    this.tables = tables;
  }

  /**
   * Copies samples. They are durable with whatever is synced next.
   *
   * @param stamp of the first sample; 0 for new stamps
   * @throws WriteFailedException if the store fails or rejects a row
   */
  public void write(PlacedLayout companion, SampleGroup group, long stamp) {
    KnownSeries known = series.of(group.key());
    write(
        companion,
        edits ->
            companion
                .layout()
                .encode(
                    known.binding(companion),
                    group,
                    stamp == 0 ? dataset.stamps(group.size()) : stamp,
                    edits));
  }

  /**
   * Copies an attribute. It is durable with whatever is synced next.
   *
   * @throws WriteFailedException if the store fails or rejects a row
   */
  public void write(PlacedLayout companion, Attribute attribute) {
    KnownSeries known = series.of(attribute.key());
    write(
        companion,
        edits ->
            companion
                .layout()
                .encode(known.binding(companion), attribute, dataset.stamps(1), edits));
  }

  private void write(PlacedLayout companion, Consumer<LayoutEdits> encode) {
    LayoutEdits edits = tables.take(companion);
    tables.writing().lock();
    try {
      edits.refusals((column, index, refusal) ->
          LOG.warn(
              "dataset '{}': companion '{}' refuses what its primary holds: {}",
              dataset.name(),
              companion.name(),
              refusal.message()));
      encode.accept(edits);
      for (int table = 0; table < edits.tables(); table++) {
        apply(companion, table, edits.index(table));
      }
      for (int table = 0; table < edits.tables(); table++) {
        apply(companion, table, edits.data(table));
      }
    } finally {
      tables.writing().unlock();
      tables.giveBack(edits);
    }
  }

  private void apply(PlacedLayout companion, int table, MutationBatch edits) {
    List<Rejected> rejected = tables.apply(companion, table, edits, Durability.ORDERED);
    if (!rejected.isEmpty()) {
      throw new WriteFailedException(
          "companion '%s' rejects a row of its primary: %s"
              .formatted(companion.name(), rejected.getFirst().reason()),
          false);
    }
  }
}
