package dev.varve.engine.repair;

import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Directory;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the series of one period from the row keys of its primary's data table, or from the
 * layout's own index if it has one. The rebuild saves its finds and its position as it proceeds. An
 * interrupted rebuild resumes at that position.
 */
final class CatalogRebuild {
  /*
   * The scan reads one cell per row, without its value. If the layout has fields, it reads whole
   * rows, because only cells show which fields exist. The extent of a series is derived from the
   * buckets of its rows and is only as exact as they are. The number of samples remains unknown.
   *
   * Identifying the series of a row can require lookups, so rows are recognised by the part of
   * their key that names the series. If a rebuild needs nothing else from rows, it remembers series
   * from one search to the next. Unreadable series are remembered within one search only.
   *
   * The position is a resume token of the scan. A layout's own index is read metric by metric; the
   * token then contains the last metric instead of a row.
   */
  private static final Logger LOG = LoggerFactory.getLogger(CatalogRebuild.class);
  private static final int DAMAGED_SHOWN = 10;
  private static final int ENTRIES_OF_PAGE = 10_000;

  /**
   * Interval at which a search of a complete catalog saves its position. Resuming a little earlier
   * costs little.
   */
  private static final long NANOS_BETWEEN_PLACES = 5_000_000_000L;

  private final OpenDataset dataset;
  private final int period;
  private final PlacedLayout placed;
  private final Layout layout;
  private final RowShape shape;
  private final CatalogFinds finds;
  private final Consumer<RebuildProgress> progress;
  private final BooleanSupplier stopped;
  private final boolean wasComplete;
  private final SeenHashes found;
  private final Pace pace;
  private final SeenHashes unreadable = new SeenHashes();
  private final List<Bytes> foundSinceKept = new ArrayList<>();
  private long placeKept = System.nanoTime();
  private long rows;
  private long series;
  private long damaged;
  private long bytes;

  /**
   * @param found series found by earlier searches of this process
   * @param progress receives progress from time to time
   * @param stopped polled from time to time; true stops the rebuild
   */
  CatalogRebuild(
      OpenDataset dataset,
      DatasetWriter writer,
      Period period,
      SeenHashes found,
      Consumer<RebuildProgress> progress,
      BooleanSupplier stopped) {
    this.dataset = dataset;
    this.period = period.index();
    this.placed = period.primary();
    this.layout = placed.layout();
    this.shape = layout.rows();
    this.finds = new CatalogFinds(dataset, writer, layout.domain());
    this.found = found;
    this.progress = progress;
    this.stopped = stopped;
    this.wasComplete = dataset.home().identity().catalogState().complete();
    this.pace = new Pace(wasComplete ? dataset.config().refresh().rowsPerSecond() : 0, stopped);
  }

  /**
   * Rebuilds from a position.
   *
   * @param from the position at which an earlier rebuild of this period was interrupted; null for
   *     the start
   * @return whether the rebuild reached the end of the table
   * @throws StoreException if the store fails
   */
  boolean run(@Nullable ResumeToken from) {
    Directory directory = layout.directory().orElse(null);
    return directory == null ? scan(from) : list(directory, from);
  }

  RebuildProgress progress() {
    return new RebuildProgress(rows, series, damaged, bytes);
  }

  /**
   * Reads rows of recent times from the layout's own index, which must exist. Saves no position.
   * Lists all rows of new metrics.
   *
   * @param times the times of the samples
   * @param known the metrics already known; new ones are added
   * @return whether the search reached the end
   */
  boolean listRecent(TimeRange times, Set<String> known) {
    Directory directory = layout.directory().orElseThrow();
    for (String metric : placed.run(directory.metrics())) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      if (!list(directory, metric, known.contains(metric) ? times : TimeRange.ALL)) {
        return false;
      }
      known.add(metric);
    }
    progress.accept(progress());
    return true;
  }

  /** Returns whether further rows of a known series can be skipped. */
  private boolean seenIsEnough() {
    return !layout.domain().fields() && !dataset.trustsExtents();
  }

  /**
   * Reads all rows of the table, from where an interrupted scan ended.
   *
   * @return false if it was stopped
   */
  private boolean scan(@Nullable ResumeToken from) {
    CellBatch page = new CellBatch();
    RowVisit visit = new RowVisit();
    try (CellCursor cursor = placed.dataTable().read(everything(), from)) {
      while (cursor.next(page)) {
        int end;
        for (int first = 0; first < page.size(); first = end) {
          end = first + 1;
          while (end < page.size() && page.sameRow(first, end)) {
            end++;
          }
          visit.see(page, first, end);
        }
        bytes = cursor.cost().bytesRead();
        keep(cursor.token());
        pace.keep(rows);
        if (stopped.getAsBoolean()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Finds the series of rows, in the order of the scan. */
  private final class RowVisit {
    private final boolean seenIsEnough = seenIsEnough();
    private Bytes last = Bytes.EMPTY;
    private Bytes lastSignature = Bytes.EMPTY;

    /** The series of the last row; null if there was none, or its key is damaged. */
    private @Nullable GroupKey key;

    /** Takes cells of one row; a long row comes in several pages. */
    void see(CellBatch page, int first, int end) {
      Bytes row = page.row(first);
      if (!row.equals(last)) {
        rows++;
        last = row;
      }
      @Nullable Bytes signature = null;
      try {
        signature = signature(row);
        see(signature, row, page, first, end);
      } catch (DamagedCellException e) {
        key = null;
        lastSignature = Bytes.EMPTY;
        tellDamaged(row.hex(), e);
        if (signature != null && isSound(row)) {
          unreadable.add(signature);
        }
      }
    }

    private void see(Bytes signature, Bytes row, CellBatch page, int first, int end) {
      boolean isAnother = !signature.equals(lastSignature);
      if (isAnother && unreadable.contains(signature)) {
        damaged++;
        return;
      }
      if (isAnother && seenIsEnough && found.contains(signature)) {
        return;
      }
      if (key == null || isAnother) {
        key = placed.run(layout.identify(row));
        lastSignature = signature;
      }
      take(key, row, page, first, end);
      if (isAnother && seenIsEnough) {
        foundSinceKept.add(signature);
      }
    }
  }

  /**
   * Returns whether the row key itself is valid. All rows of its series then fail in the same way.
   */
  private boolean isSound(Bytes row) {
    byte[] bytes = row.toArray();
    try {
      shape.decode(bytes, 0, bytes.length, new KeyOutput());
      return !layout.domain().fields();
    } catch (DamagedCellException e) {
      return false;
    }
  }

  private ReadPlan everything() {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < placed.dataTable().spec().families().size(); family++) {
      families.add(FamilySelect.latest(family));
    }
    ReadPlan plan = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families);
    return layout.domain().fields()
        ? plan
        : plan.with(Limits.NONE.withCellsPerRow(1)).withoutValues();
  }

  private Bytes signature(Bytes row) {
    KeyBytes signature = new KeyBytes();
    byte[] bytes = row.toArray();
    shape.signature(bytes, 0, bytes.length, signature);
    return signature.toBytes();
  }

  private void take(GroupKey key, Bytes row, CellBatch cells, int first, int end) {
    finds.add(key, times(row));
    if (!layout.domain().fields()) {
      finds.addField(key, Series.DEFAULT_FIELD);
      return;
    }
    RowSamples samples = new RowSamples();
    layout.decode(cells, first, end, samples);
    for (Vector vector : samples.vectors()) {
      if (!vector.samples().isEmpty()) {
        finds.addField(key, vector.field());
      }
    }
  }

  /** Returns the range of times that samples of a row can have. */
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
      if (!list(directory, metric, TimeRange.ALL)) {
        return false;
      }
      keep(new ResumeToken(0, Bytes.utf8(metric), 0, Bytes.EMPTY, 0, 0, 0, 0, 0));
      if (stopped.getAsBoolean()) {
        return false;
      }
    }
    return true;
  }

  /**
   * Adds the rows that the index lists for a metric, page by page. Returns whether it reached the
   * end.
   */
  private boolean list(Directory directory, String metric, TimeRange times) {
    @Nullable Bytes place = null;
    do {
      if (stopped.getAsBoolean()) {
        return false;
      }
      Directory.Page page = placed.run(directory.page(metric, times, place, ENTRIES_OF_PAGE));
      Directory.Listing listing = page.listing();
      listing.damaged().forEach(reason -> tellDamaged(metric, new DamagedCellException(reason)));
      for (Directory.Row row : listing.rows()) {
        rows++;
        finds.add(row.key(), times(row.row()));
        finds.addField(row.key(), Series.DEFAULT_FIELD);
      }
      series += finds.keep();
      pace.keep(rows);
      place = page.place();
    } while (place != null);
    return true;
  }

  private void tellDamaged(String place, DamagedCellException e) {
    damaged++;
    if (damaged <= DAMAGED_SHOWN) {
      LOG.warn(
          "dataset '{}': rebuilding the catalog skips {}: {}",
          dataset.name(),
          place,
          e.getMessage());
    }
  }

  /** Saves the finds, then the position after them. */
  private void keep(@Nullable ResumeToken token) {
    series += finds.keep();
    foundSinceKept.forEach(found::add);
    foundSinceKept.clear();
    long now = System.nanoTime();
    if (!wasComplete || now - placeKept > NANOS_BETWEEN_PLACES) {
      CatalogState state = new CatalogState(wasComplete, period, token);
      dataset.home().identity().catalogState(state, dataset.stamps(1));
      placeKept = now;
    }
    progress.accept(progress());
  }
}
