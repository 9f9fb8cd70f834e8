package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.config.DatasetConfig.Duplicates;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.Companions;
import dev.varve.layout.Directory;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads known series for the jobs of a dataset, such as deletes, conversions and repairs. Nothing
 * is refused because of its cost. Safe for use by several threads; the objects that its methods
 * return are not.
 */
public final class JobReader {
  private final OpenDataset dataset;
  private final PeriodPlanner planner;
  private final PeriodPlanner plannerOfPrimaries;

  /**
   * Creates the reader of a dataset.
   *
   * @param companions markers of writes into companions; null if there are no companions
   */
  JobReader(OpenDataset dataset, PeriodPlanner planner, @Nullable Companions companions) {
    this.dataset = dataset;
    this.planner = planner;
    this.plannerOfPrimaries = new PeriodPlanner(dataset, companions, true);
  }

  /**
   * Returns the rows of some series in one layout of a period, in pieces, with all versions of
   * their cells. Neither the retention nor deletes limit what is visited. The caller must close the
   * walk.
   *
   * @throws QueryRefusedException if there is no way to read them
   */
  public RowWalk pieces(Period period, PlacedLayout layout, List<Match> series, TimeRange times) {
    return walk(period, layout, series, times, false);
  }

  private RowWalk walk(
      Period period, PlacedLayout layout, List<Match> series, TimeRange times, boolean attributes) {
    ReadRequest request = everything(times, layout.layout().domain().versions());
    Reading reading =
        new Reading(
            request,
            dataset,
            times,
            series,
            field -> true,
            new VersionRule(request.versions(), Duplicates.LAST),
            DeleteFilter.NONE,
            ReadGuard.NONE);
    try {
      return new RowWalk(reading, planner.plan(reading, period, layout, attributes), false);
    } catch (RuntimeException e) {
      reading.close();
      throw e;
    }
  }

  /**
   * Returns whether a layout of a period may have any cell of a key, be it a sample, an attribute
   * or damaged. Neither the retention nor deletes limit what is found. If rows have times, the
   * extent bounds the rows to check. A key without an extent that may have attributes counts as a
   * key that has them.
   *
   * @param key with all its fields
   * @throws QueryRefusedException if there is no way to read it
   */
  public boolean hasCells(Period period, PlacedLayout layout, Match key) {
    Directory directory = layout.layout().directory().orElse(null);
    if (directory != null) {
      // A plan would list all rows of the metric.
      return layout
          .findHeld(key.key())
          .map(binding -> hasAny(layout.dataTable(), layout.run(directory.possibleRows(binding))))
          .orElse(false);
    }
    boolean attributes = layout.layout().domain().attributes();
    if (attributes
        && layout.layout().rows().timePart() >= 0
        && dataset.index().extent(key.series()).isEmpty()) {
      return true;
    }
    try (RowWalk walk = walk(period, layout, List.of(key), TimeRange.ALL, attributes)) {
      return walk.next((cells, from, to) -> {});
    }
  }

  private static boolean hasAny(Table table, List<Bytes> rows) {
    if (rows.isEmpty()) {
      return false;
    }
    List<Slice> slices = new ArrayList<>(rows.size());
    for (Bytes row : rows) {
      int prefix = table.spec().partitioning().prefixLength(row.toArray(), 0, row.length());
      slices.add(Slice.row(row.slice(0, prefix), row));
    }
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    ReadPlan plan = ReadPlan.of(slices, families).with(Limits.NONE.withCells(1)).withoutValues();
    try (CellCursor cursor = table.read(plan, null)) {
      return cursor.next(new CellBatch());
    }
  }

  /**
   * Returns all samples of one key that the primary of a period has in a range, in all versions if
   * it keeps versions, whatever the policy for duplicates.
   */
  public RunCursor primary(Period period, GroupKey key, TimeRange times) {
    return ofPrimary(period, key, times, false);
  }

  /**
   * Returns the samples of one key as a query would, one per instant; null if the catalog does not
   * have the key.
   */
  public @Nullable RunCursor ofKey(GroupKey key, TimeRange times) {
    int series = dataset.index().find(SeriesIdentity.of(key));
    if (series < 0) {
      return null;
    }
    long oldest = dataset.oldestKept();
    TimeRange kept = times.intersect(new TimeRange(oldest, Long.MAX_VALUE));
    ReadRequest request =
        new ReadRequest(
            new Selector(List.of()),
            kept,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.TIME_WITHIN_SERIES,
            0,
            true,
            Budget.UNLIMITED);
    Match match = new Match(series, key, dataset.index().fields(series));
    return begin(
        new Reading(
            request,
            dataset,
            kept,
            List.of(match),
            field -> true,
            new VersionRule(request.versions(), dataset.config().duplicates()),
            dataset.deletes().filter(kept, dataset.index(), ReadGuard.NONE),
            ReadGuard.NONE),
        dataset.periods().within(kept));
  }

  /**
   * Returns the samples of some series that some periods have in a range, as a query would, series
   * by series.
   *
   * @param periods in the order of time; their times count
   */
  public RunCursor ofPeriods(List<Period> periods, List<Match> series, TimeRange times) {
    ReadRequest request =
        new ReadRequest(
            new Selector(List.of()),
            times,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.SERIES_BY_SERIES,
            0,
            true,
            Budget.UNLIMITED);
    Reading reading =
        new Reading(
            request,
            dataset,
            times,
            SeriesFinder.byField(series),
            field -> true,
            new VersionRule(request.versions(), dataset.config().duplicates()),
            dataset.deletes().filter(times, dataset.index(), ReadGuard.NONE),
            ReadGuard.NONE);
    return begin(reading, periods);
  }

  private RunStream begin(Reading reading, List<Period> periods) {
    return RunStream.begin(reading, DeliveryPlanner.ofSamples(reading, planner, periods));
  }

  /** Returns the attributes of one key that the primary of a period has in a range. */
  public Stream<Attribute> attributesOfPrimary(Period period, GroupKey key, TimeRange times) {
    if (!period.primary().layout().domain().attributes()) {
      return Stream.of();
    }
    return ofPrimary(period, key, times, true).attributes(times);
  }

  private RunStream ofPrimary(Period period, GroupKey key, TimeRange times, boolean attributes) {
    Reading reading = readingOf(period, key, times);
    List<Period> periods = List.of(period);
    return RunStream.begin(
        reading,
        attributes
            ? DeliveryPlanner.ofAttributes(reading, plannerOfPrimaries, periods)
            : DeliveryPlanner.ofSamples(reading, plannerOfPrimaries, periods));
  }

  private Reading readingOf(Period period, GroupKey key, TimeRange times) {
    ReadRequest request = everything(times, period.primary().layout().domain().versions());
    Match match = new Match(dataset.index().find(SeriesIdentity.of(key)), key, List.of());
    return new Reading(
        request,
        dataset,
        times,
        List.of(match),
        field -> true,
        new VersionRule(request.versions(), Duplicates.LAST),
        dataset.deletes().filter(times, dataset.index(), ReadGuard.NONE),
        ReadGuard.NONE);
  }

  /**
   * Returns a request for everything that is stored in a range.
   *
   * @param versions whether the layout keeps versions, all of which are read then
   */
  static ReadRequest everything(TimeRange times, boolean versions) {
    return new ReadRequest(
        new Selector(List.of()),
        times,
        null,
        versions ? Versions.ALL : Versions.LATEST,
        Kinds.EACH,
        Order.TIME_WITHIN_SERIES,
        0,
        true,
        Budget.UNLIMITED);
  }
}
