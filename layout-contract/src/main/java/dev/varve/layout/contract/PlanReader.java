package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Recurring;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Partitioning;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Executes a plan cell by cell and checks what every plan promises: rows stay in the partition of
 * their slice if the store requires it, rows of one series are in time order, and an unfiltered
 * read returns no rows of other series. Simple enough to be the oracle of faster readers.
 */
public final class PlanReader {
  private final Layout layout;
  private final List<? extends Table> tables;

  /**
   * The result of reading a plan.
   *
   * @param hits all samples, in the order of the plan
   * @param damages descriptions of damaged cells
   * @param rows number of rows read
   * @param foreignRows number of those rows that belonged to other series and were dropped
   */
  public record Found(
      List<Hit> hits,
      List<Attribute> attributes,
      List<String> damages,
      long rows,
      long foreignRows) {

    /** Returns the sample with the highest stamp of each instant and kind. */
    public Map<Series, Map<Instant, Value>> latest() {
      return latest(null);
    }

    /**
     * Returns the sample with the highest stamp of each instant and kind.
     *
     * @param recurring the wanted times; samples at other times are dropped, since a plan may or
     *     may not read them. Null for all times
     */
    public Map<Series, Map<Instant, Value>> latest(@Nullable Recurring recurring) {
      Map<Series, TreeMap<Instant, Hit>> latest = new HashMap<>();
      for (Hit hit : hits) {
        if (recurring != null && recurring.nextAt(hit.time()) != hit.time()) {
          continue;
        }
        latest
            .computeIfAbsent(hit.series(), series -> new TreeMap<>())
            .merge(hit.instant(), hit, (a, b) -> b.stamp() >= a.stamp() ? b : a);
      }
      Map<Series, Map<Instant, Value>> values = new HashMap<>();
      latest.forEach((series, samples) -> {
        Map<Instant, Value> plain = new TreeMap<>();
        samples.forEach((instant, hit) -> plain.put(instant, hit.value()));
        values.put(series, plain);
      });
      return values;
    }
  }

  /** A sample that was read. */
  public record Hit(Series series, long time, Value value, long stamp) {
    Instant instant() {
      return new Instant(time, value.kind());
    }
  }

  /** Creates a reader on the open tables of the layout, in the layout's order. */
  public PlanReader(Layout layout, List<? extends Table> tables) {
    this.layout = layout;
    this.tables = List.copyOf(tables);
  }

  /** Executes a plan of the request. */
  public Found read(PlanRequest request, Plan plan) {
    Reading reading = new Reading(request);
    for (Plan.StrandGroup group : plan.groups()) {
      for (Plan.Strand strand : group.strands()) {
        reading.read(group, strand);
      }
    }
    return reading.found();
  }

  /** The unit of time order: within a strand, samples of one series and kind are in time order. */
  private record Track(Series series, Kind kind) {}

  /** A plan being read. */
  private final class Reading {
    private final List<? extends Binding> bindings;
    private final @Nullable Set<String> fields;
    private final boolean newestFirst;
    private final boolean partitioned;
    private final List<Hit> hits = new ArrayList<>();
    private final List<Attribute> attributes = new ArrayList<>();
    private final List<String> damages = new ArrayList<>();
    private long rows;
    private long foreignRows;

    private Reading(PlanRequest request) {
      bindings = request.bindings();
      fields = request.scope().fields();
      newestFirst = request.newestFirst() > 0;
      partitioned = request.order() == RowOrder.PARTITION;
    }

    private Found found() {
      return new Found(hits, attributes, damages, rows, foreignRows);
    }

    private void read(Plan.StrandGroup group, Plan.Strand strand) {
      StrandReading reading = new StrandReading(this, group, strand);
      try (CellCursor cursor = tables.get(strand.table()).read(strand.read(), null)) {
        CellBatch page = new CellBatch();
        CellBatch row = new CellBatch();
        while (cursor.next(page)) {
          for (int i = 0; i < page.size(); i++) {
            if (!row.isEmpty() && !page.row(i).equals(row.row(0))) {
              reading.take(row);
              row.clear();
            }
            row.addFrom(page, i);
          }
        }
        if (!row.isEmpty()) {
          reading.take(row);
        }
      }
    }
  }

  /** A strand being read. */
  private final class StrandReading {
    private final Reading reading;
    private final Plan.Strand strand;
    private final Map<Bytes, GroupKey> members = new HashMap<>();
    private final Set<Bytes> partitions;
    private final Map<Track, Long> lastTimes = new HashMap<>();
    private final RowSamples decoded = new RowSamples();

    private StrandReading(Reading reading, Plan.StrandGroup group, Plan.Strand strand) {
      this.reading = reading;
      this.strand = strand;
      this.partitions =
          strand.read().slices().stream().map(Slice::partition).collect(Collectors.toSet());
      for (int place : group.bindings()) {
        Binding binding = reading.bindings.get(place);
        members.put(layout.rows().signature(binding), binding.key());
      }
    }

    private void take(CellBatch row) {
      reading.rows++;
      Bytes rowKey = row.row(0);
      if (reading.partitioned) {
        checkPartition(rowKey);
      }
      GroupKey key = keyOf(rowKey);
      if (key == null) {
        assertThat(strand.filtered()).as("row %s is of no series of its group", rowKey).isTrue();
        reading.foreignRows++;
        return;
      }
      decoded.clear();
      layout.decode(row, 0, row.size(), decoded);
      Map<Track, Long> rowLasts = new HashMap<>();
      for (RowSamples.Vector vector : decoded.vectors()) {
        if (reading.fields == null || reading.fields.contains(vector.field())) {
          take(key.field(vector.field()), vector.samples(), rowLasts);
        }
      }
      lastTimes.putAll(rowLasts);
      for (RowSamples.Found found : decoded.attributes()) {
        Long time = found.time();
        if (time == null || strand.trimmed().contains(time)) {
          reading.attributes.add(new Attribute(key, found.name(), time, found.value()));
        }
      }
      for (RowSamples.Damage damage : decoded.damages()) {
        reading.damages.add(row.cell(damage.cell()) + ": " + damage.reason());
      }
    }

    private void checkPartition(Bytes row) {
      byte[] bytes = row.toArray();
      Partitioning partitioning = layout.tables().get(strand.table()).partitioning();
      Bytes partition = row.slice(0, partitioning.prefixLength(bytes, 0, bytes.length));
      assertThat(partitions).as("partitions of the slices, row %s", row).contains(partition);
    }

    private @Nullable GroupKey keyOf(Bytes row) {
      try {
        byte[] bytes = row.toArray();
        KeyBytes signature = new KeyBytes();
        layout.rows().signature(bytes, 0, bytes.length, signature);
        return members.get(signature.toBytes());
      } catch (DamagedCellException e) {
        reading.damages.add("row " + row + ": " + e.getMessage());
        return null;
      }
    }

    private void take(Series series, Samples vector, Map<Track, Long> rowLasts) {
      if (vector.isEmpty()) {
        return;
      }
      Track track = new Track(series, vector.kind());
      long last = vector.time(0);
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      for (int i = 0; i < vector.size(); i++) {
        long time = vector.time(i);
        assertThat(!layout.rowsInTimeOrder() || time >= last)
            .as("%s: time %d comes after %d within a row", series, time, last)
            .isTrue();
        last = time;
        if (strand.trimmed().contains(time)) {
          min = Math.min(min, time);
          max = Math.max(max, time);
          reading.hits.add(new Hit(series, time, vector.value(i), vector.stamp(i)));
        }
      }
      if (min > max) {
        return;
      }
      Long before = lastTimes.get(track);
      if (before != null) {
        assertThat(reading.newestFirst ? max <= before : min >= before)
            .as(
                "%s: a row of times %d to %d comes after one that ends at %d",
                series, min, max, before)
            .isTrue();
      }
      rowLasts.put(track, reading.newestFirst ? min : max);
    }
  }
}
