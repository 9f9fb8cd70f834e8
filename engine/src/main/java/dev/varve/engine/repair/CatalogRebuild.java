package dev.varve.engine.repair;

import dev.varve.engine.RebuildProgress;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.SeriesTable;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the series of a table that others have written, by its row keys, or by the layout's own
 * index where it has one. What is found is kept as it goes on, together with the place, so that an
 * interrupted rebuild goes on there.
 */
public final class CatalogRebuild {
  /*
   * Of a row one cell a family is read, unless the layout has fields: only cells tell which. The
   * extent of a series comes from the buckets of its rows, and is exact only as far as these are.
   * How many samples there are stays unknown.
   *
   * The place is a token of the scan. Where the layout has an index of its own, which is asked
   * metric by metric, the last metric stands in the token in place of a row.
   */
  private static final Logger LOG = LoggerFactory.getLogger(CatalogRebuild.class);
  private static final int DAMAGED_SHOWN = 10;

  private final OpenDataset dataset;
  private final PlacedLayout placed;
  private final Layout layout;
  private final RowShape shape;
  private final Consumer<RebuildProgress> progress;
  private final BooleanSupplier stopped;
  private final Map<GroupKey, Found> found = new HashMap<>();
  private long rows;
  private long series;
  private long damaged;

  /** What was found of a key since the last token. */
  private static final class Found {
    private final Set<String> fields = new HashSet<>();
    private @Nullable TimeRange extent;

    private void extend(TimeRange more) {
      TimeRange before = extent;
      extent =
          before == null
              ? more
              : new TimeRange(
                  Math.min(before.from(), more.from()), Math.max(before.to(), more.to()));
    }
  }

  /**
   * A rebuild of the catalog from the table of the first period's primary.
   *
   * @param progress told now and then
   * @param stopped asked now and then whether to stop
   */
  public CatalogRebuild(
      OpenDataset dataset, Consumer<RebuildProgress> progress, BooleanSupplier stopped) {
    this.dataset = dataset;
    this.placed = dataset.periods().all().getFirst().primary();
    this.layout = placed.layout();
    this.shape = layout.rows();
    this.progress = progress;
    this.stopped = stopped;
  }

  /**
   * Rebuilds from the start, or from where an earlier rebuild was interrupted.
   *
   * @return whether it came to the end
   * @throws StoreException if the store fails
   */
  public boolean run() {
    CatalogState state = dataset.home().identity().catalogState();
    Directory directory = layout.directory().orElse(null);
    boolean ended = directory == null ? scan(state.token()) : list(directory, state.token());
    if (ended) {
      keep(null, true);
    }
    progress.accept(new RebuildProgress(rows, series, damaged));
    return ended;
  }

  private boolean scan(@Nullable ResumeToken from) {
    CellBatch page = new CellBatch();
    Bytes last = Bytes.EMPTY;
    Bytes lastSignature = Bytes.EMPTY;
    @Nullable GroupKey key = null;
    try (CellCursor cursor = placed.dataTable().read(everything(), from)) {
      while (cursor.next(page)) {
        int end;
        for (int first = 0; first < page.size(); first = end) {
          end = first + 1;
          while (end < page.size() && page.sameRow(first, end)) {
            end++;
          }
          Bytes row = page.row(first);
          if (!row.equals(last)) {
            rows++;
            last = row;
          }
          try {
            Bytes signature = signature(row);
            if (key == null || !signature.equals(lastSignature)) {
              key = placed.run(layout.identify(row));
              lastSignature = signature;
            }
            take(key, row, page, first, end);
          } catch (DamagedCellException e) {
            key = null;
            tellDamaged(row.hex(), e);
          }
        }
        keep(cursor.token(), false);
        if (stopped.getAsBoolean()) {
          return false;
        }
      }
    }
    return true;
  }

  private ReadPlan everything() {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < placed.dataTable().spec().families().size(); family++) {
      families.add(FamilySelect.latest(family));
    }
    ReadPlan plan = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families);
    return layout.domain().fields() ? plan : plan.with(Limits.NONE.withCellsPerRow(1));
  }

  private Bytes signature(Bytes row) {
    dev.varve.layout.KeyBytes signature = new dev.varve.layout.KeyBytes();
    byte[] bytes = row.toArray();
    shape.signature(bytes, 0, bytes.length, signature);
    return signature.toBytes();
  }

  private void take(GroupKey key, Bytes row, CellBatch cells, int first, int end) {
    Found of = found.computeIfAbsent(key, k -> new Found());
    of.extend(times(row));
    if (!layout.domain().fields()) {
      of.fields.add(Series.DEFAULT_FIELD);
      return;
    }
    RowSamples samples = new RowSamples();
    layout.decode(cells, first, end, samples);
    for (Vector vector : samples.vectors()) {
      if (!vector.samples().isEmpty()) {
        of.fields.add(vector.field());
      }
    }
  }

  /** The times that the samples of a row can have. */
  private TimeRange times(Bytes row) {
    int part = shape.lastTimePart();
    if (part < 0) {
      return TimeRange.ALL;
    }
    byte[] bytes = row.toArray();
    KeyPart.Time time = (KeyPart.Time) shape.parts().get(part);
    long from = shape.time(bytes, 0, bytes.length);
    return time.instant() ? TimeRange.closed(from, from) : new TimeRange(from, time.next(from));
  }

  private boolean list(Directory directory, @Nullable ResumeToken from) {
    String last = from == null ? null : from.row().toUtf8();
    for (String metric : placed.run(directory.metrics())) {
      if (last != null && metric.compareTo(last) <= 0) {
        continue;
      }
      Directory.Listing listing = placed.run(directory.rows(metric, List.of(), TimeRange.ALL));
      listing.damaged().forEach(reason -> tellDamaged(metric, new DamagedCellException(reason)));
      for (Directory.Row row : listing.rows()) {
        rows++;
        Found of = found.computeIfAbsent(row.key(), key -> new Found());
        of.extend(times(row.row()));
        of.fields.add(Series.DEFAULT_FIELD);
      }
      keep(new ResumeToken(0, Bytes.utf8(metric), 0, Bytes.EMPTY, 0, 0, 0, 0, 0), false);
      if (stopped.getAsBoolean()) {
        return false;
      }
    }
    return true;
  }

  private void tellDamaged(String place, DamagedCellException e) {
    damaged++;
    if (damaged <= DAMAGED_SHOWN) {
      LOG.warn(
          "dataset '{}': rebuilding the catalog leaves out {}: {}",
          dataset.name(),
          place,
          e.getMessage());
    }
  }

  /** Writes what was found, and then the place behind it. */
  private void keep(@Nullable ResumeToken token, boolean complete) {
    long stamp = dataset.clock().next();
    dataset.marks().reach(stamp, 1_000_000);
    MutationBatch edits = new MutationBatch();
    found.forEach((key, of) -> put(edits, key, of, stamp));
    for (RowOutcome outcome : dataset.home().series().table().apply(edits, Durability.ORDERED)) {
      if (!outcome.applied()) {
        throw new StoreException("the catalog cannot be written: " + outcome.reason());
      }
    }
    found.forEach(this::remember);
    found.clear();
    boolean wasComplete = dataset.home().identity().catalogState().complete();
    dataset.home().identity().catalogState(new CatalogState(complete || wasComplete, token), stamp);
    progress.accept(new RebuildProgress(rows, series, damaged));
  }

  private void put(MutationBatch edits, GroupKey key, Found of, long stamp) {
    SeriesIndex index = dataset.index();
    SeriesIdentity identity = SeriesIdentity.of(key);
    int number = index.find(identity);
    if (number < 0) {
      series++;
      SeriesTable.putKey(edits, identity, key, stamp);
    }
    for (String field : of.fields) {
      for (Kind kind : layout.domain().kinds()) {
        if (number < 0 || !index.hasField(number, field, kind)) {
          SeriesTable.putField(edits, identity, field, kind, stamp);
        }
      }
    }
    TimeRange extent = of.extent;
    if (extent != null && (number < 0 || !covers(index.extent(number), extent))) {
      SeriesTable.putExtent(edits, identity, extent, 0, stamp);
    }
  }

  private static boolean covers(TimeRange standing, TimeRange extent) {
    return !standing.isEmpty() && standing.from() <= extent.from() && standing.to() >= extent.to();
  }

  private void remember(GroupKey key, Found of) {
    SeriesIndex index = dataset.index();
    int number = index.add(SeriesIdentity.of(key), key);
    for (String field : of.fields) {
      layout.domain().kinds().forEach(kind -> index.addField(number, field, kind));
    }
    TimeRange extent = of.extent;
    if (extent != null) {
      index.extend(number, extent);
    }
  }
}
