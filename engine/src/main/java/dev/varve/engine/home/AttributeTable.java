package dev.varve.engine.home;

import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The metadata of metrics: named attributes. For each attribute of a metric the last write wins.
 *
 * <pre>
 * row        metric, UTF-8                 // all rows are one partition
 * family     a
 * qualifier  type, unit or help, ASCII     // others are ignored
 * value      UTF-8
 * </pre>
 */
public final class AttributeTable implements AutoCloseable {
  /** Heap bytes of the metadata of a metric in addition to its characters. */
  private static final long METRIC_BYTES = 200;

  private static final String TYPE = "type";
  private static final String UNIT = "unit";
  private static final String HELP = "help";

  private final Table table;

  AttributeTable(Store store, String name) {
    TableSpec spec =
        new TableSpec(
            name, List.of(FamilySpec.latest("a")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  Table table() {
    return table;
  }

  /** Adds edits that write the given metadata. Unset properties keep their stored values. */
  public static void put(MutationBatch into, MetricMetadata given, long stamp) {
    if (!given.type().equals(MetricMetadata.UNKNOWN)) {
      put(into, given.metric(), TYPE, given.type(), stamp);
    }
    if (!given.unit().isEmpty()) {
      put(into, given.metric(), UNIT, given.unit(), stamp);
    }
    if (!given.help().isEmpty()) {
      put(into, given.metric(), HELP, given.help(), stamp);
    }
  }

  private static void put(
      MutationBatch into, String metric, String name, String value, long stamp) {
    into.put(utf8(metric), 0, utf8(name), stamp, utf8(value));
  }

  /**
   * Applies edits durably.
   *
   * @throws StoreException if the write fails
   */
  public void apply(MutationBatch edits) {
    HomeWrite.apply(table, edits);
  }

  /** Returns the metadata of a metric: one element, or none if there is no metadata. */
  public List<MetricMetadata> of(String metric) {
    return read(Slice.row(Bytes.EMPTY, utf8(metric)), 1, ReadGuard.NONE);
  }

  /**
   * Returns the metadata of all metrics, in the order of their names.
   *
   * @param limit maximum number returned
   * @param guard accounts for the memory of the result
   */
  public List<MetricMetadata> all(int limit, ReadGuard guard) {
    return read(Slice.partition(Bytes.EMPTY), limit, guard);
  }

  private List<MetricMetadata> read(Slice rows, int limit, ReadGuard guard) {
    List<MetricMetadata> found = new ArrayList<>();
    CellBatch page = new CellBatch();
    Bytes row = Bytes.EMPTY;
    MetricMetadata metric = new MetricMetadata("", MetricMetadata.UNKNOWN, "", "");
    ReadPlan plan = ReadPlan.of(List.of(rows), List.of(FamilySelect.latest(0)));
    try (CellCursor cursor = table.read(plan, null)) {
      while (found.size() < limit && cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          Bytes next = page.row(cell);
          if (!next.equals(row)) {
            add(metric, found, limit, guard);
            row = next;
            metric = new MetricMetadata(text(row), MetricMetadata.UNKNOWN, "", "");
          }
          metric = with(metric, text(page.qualifier(cell)), text(page.value(cell)));
        }
      }
    }
    add(metric, found, limit, guard);
    return found;
  }

  private static void add(
      MetricMetadata metric, List<MetricMetadata> into, int limit, ReadGuard guard) {
    if (!metric.metric().isEmpty() && into.size() < limit) {
      int characters = metric.metric().length() + metric.unit().length() + metric.help().length();
      guard.held(METRIC_BYTES + 2L * characters, "metadata of metrics");
      into.add(metric);
    }
  }

  private static MetricMetadata with(MetricMetadata metric, String name, String value) {
    return switch (name) {
      case TYPE -> new MetricMetadata(metric.metric(), value, metric.unit(), metric.help());
      case UNIT -> new MetricMetadata(metric.metric(), metric.type(), value, metric.help());
      case HELP -> new MetricMetadata(metric.metric(), metric.type(), metric.unit(), value);
      default -> metric;
    };
  }

  private static Bytes utf8(String text) {
    return Bytes.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(Bytes bytes) {
    return new String(bytes.toArray(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    table.close();
  }
}
