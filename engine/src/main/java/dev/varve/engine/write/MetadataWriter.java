package dev.varve.engine.write;

import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.AttributeTable;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.model.HeapShares;
import dev.varve.model.MetricMetadata;
import dev.varve.store.MutationBatch;
import dev.varve.store.StoreException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Stores metadata of metrics in the home. Senders repeat it, so metadata that this server wrote
 * recently is not written again. Safe for use by several threads.
 */
public final class MetadataWriter {
  /** Number of metrics whose written metadata is remembered. */
  private static final int REMEMBERED_MAX = 32_768;

  /** Memory that they may take, in bytes. */
  private static final long REMEMBERED_BYTES_MAX = HeapShares.OF_THIS_PROCESS.smallCache();

  /** Memory of a remembered metric in addition to its texts, in bytes. */
  private static final int OVERHEAD_BYTES = 250;

  /** Maximum characters of a help text. Longer ones are cut, because they are kept in memory. */
  static final int HELP_MAX = 4_096;

  private static final int WORD_MAX = 256;

  /**
   * Maximum characters of a metric, of at most 3 bytes each, so that its row key fits every store.
   */
  private static final int METRIC_MAX = 1_024;

  private final OpenDataset dataset;

  /** Guarded by itself; in the order of their last use. */
  private final LinkedHashMap<String, MetricMetadata> written =
      new LinkedHashMap<>(16, 0.75f, true);

  /** Memory of the remembered metadata, in bytes; guarded by {@code written}. */
  private long bytes;

  public MetadataWriter(OpenDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * Stores metadata and returns once it is durable. Metrics without a name, or with one that is too
   * long, are skipped.
   *
   * @throws WriteFailedException if the store failed
   */
  public void write(Collection<MetricMetadata> all) {
    Map<String, MetricMetadata> changed = new LinkedHashMap<>();
    MutationBatch edits = new MutationBatch();
    for (MetricMetadata given : all) {
      int length = given.metric().length();
      if (length > 0 && length <= METRIC_MAX && !dataset.config().isReadOnly()) {
        add(bounded(given), changed, edits);
      }
    }
    if (edits.isEmpty()) {
      return;
    }
    AttributeTable table = dataset.home().attributes();
    try {
      table.apply(edits);
    } catch (StoreException e) {
      throw new WriteFailedException(
          "the metadata of metrics cannot be written: " + e.getMessage(), true);
    }
    synchronized (written) {
      changed.forEach((metric, metadata) -> {
        MetricMetadata before = written.put(metric, metadata);
        bytes += bytes(metadata) - (before == null ? 0 : bytes(before));
      });
      var eldest = written.values().iterator();
      while (written.size() > REMEMBERED_MAX || bytes > REMEMBERED_BYTES_MAX) {
        bytes -= bytes(eldest.next());
        eldest.remove();
      }
    }
  }

  private static long bytes(MetricMetadata metadata) {
    int characters =
        metadata.metric().length()
            + metadata.type().length()
            + metadata.unit().length()
            + metadata.help().length();
    return OVERHEAD_BYTES + 2L * characters;
  }

  private void add(MetricMetadata given, Map<String, MetricMetadata> changed, MutationBatch edits) {
    MetricMetadata before = changed.get(given.metric());
    if (before == null) {
      synchronized (written) {
        before = written.get(given.metric());
      }
    }
    MetricMetadata after = before == null ? given : merged(before, given);
    if (!after.equals(before)) {
      long stamp = dataset.clock().next();
      dataset.marks().reach(stamp, ClockTable.MARK_AHEAD_MICROS);
      AttributeTable.put(edits, given, stamp);
      changed.put(given.metric(), after);
    }
  }

  private static MetricMetadata merged(MetricMetadata before, MetricMetadata given) {
    return new MetricMetadata(
        given.metric(),
        given.type().equals(MetricMetadata.UNKNOWN) ? before.type() : given.type(),
        given.unit().isEmpty() ? before.unit() : given.unit(),
        given.help().isEmpty() ? before.help() : given.help());
  }

  private static MetricMetadata bounded(MetricMetadata given) {
    return new MetricMetadata(
        given.metric(),
        cut(given.type(), WORD_MAX),
        cut(given.unit(), WORD_MAX),
        cut(given.help(), HELP_MAX));
  }

  private static String cut(String text, int max) {
    if (text.length() <= max) {
      return text;
    }
    return text.substring(0, Character.isHighSurrogate(text.charAt(max - 1)) ? max - 1 : max);
  }
}
