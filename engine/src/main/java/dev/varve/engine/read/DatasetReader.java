package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.config.DatasetConfig.Duplicates;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.standing.DeleteFilter;
import dev.varve.engine.write.Companions;
import dev.varve.layout.Directory;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
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
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a dataset. Safe for use by several threads; the cursors that it returns are not. */
public final class DatasetReader {
  private final OpenDataset dataset;
  private final PeriodPlanner planner;
  private final PeriodPlanner plannerOfPrimaries;

  /**
   * Creates the reader of a dataset.
   *
   * @param companions markers of writes into companions; null if there are no companions
   */
  public DatasetReader(OpenDataset dataset, @Nullable Companions companions) {
    this.dataset = dataset;
    this.planner = new PeriodPlanner(dataset, companions, false);
    this.plannerOfPrimaries = new PeriodPlanner(dataset, companions, true);
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if there is no way to read it, or none that is allowed
   */
  public RunCursor read(ReadRequest request, ReadGuard guard) {
    return stream(reading(request, true, guard));
  }

  /**
   * Finds the series of a request that is read in parts.
   *
   * @param request a request in the order of series
   * @throws QueryRefusedException if it is not allowed
   */
  public PartedRead inParts(ReadRequest request, ReadGuard guard) {
    Reading reading = reading(request, true, guard);
    List<Layout> layouts =
        periods(reading.times()).stream()
            .flatMap(period -> period.layouts().stream())
            .map(PlacedLayout::layout)
            .toList();
    // Planning reads the index of the metric, however many series are planned at a time.
    boolean indexed =
        request.newestFirst() == 0
            && layouts.stream().anyMatch(layout -> layout.directory().isPresent());
    return new ReadInParts(
        reading,
        this::stream,
        layouts.stream().anyMatch(GatheredRuns::mayPay),
        indexed ? SeriesInTurn.MOST_INDEXED : 1);
  }

  /**
   * Explains a read. All series are planned together as far as the order of delivery permits.
   *
   * @param analyze whether to run the read as well
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze, ReadGuard guard) {
    Found found = find(request, true, guard);
    // Fields of one key share its rows but are read one by one. One plan shows them together.
    boolean fieldsShareRows = found.inOrder().stream().anyMatch(match -> match.fields().size() > 1);
    ReadRequest shown = fieldsShareRows ? request.with(Order.TIME_WITHIN_SERIES) : request;
    Reading reading = reading(shown, found, guard);
    try (RunStream stream = stream(reading, true)) {
      return QueryExplainer.explain(reading, stream, analyze);
    }
  }

  private RunStream stream(Reading reading) {
    return stream(reading, false);
  }

  /**
   * Starts a stream.
   *
   * @param together whether to plan all series together, whatever their order
   */
  private RunStream stream(Reading reading, boolean together) {
    ReadRequest request = reading.request();
    try {
      List<Period> periods = periods(reading.times());
      refuseMissingVersions(request.versions(), periods);
      List<Period> inOrder = request.newestFirst() > 0 ? periods.reversed() : periods;
      return RunStream.begin(
          reading, new DeliveryPlanner(reading, planner, inOrder, false, together));
    } catch (RuntimeException e) {
      reading.close();
      throw e;
    }
  }

  /**
   * Returns the rows of the matching series: one walk for each wanted layout of each period. The
   * caller must close every walk.
   *
   * @throws QueryRefusedException as {@link #read}
   */
  public List<RowWalk> rows(ReadRequest request, Predicate<PlacedLayout> wanted) {
    List<RowWalk> walks = new ArrayList<>();
    for (Period period : periods(request.times())) {
      for (PlacedLayout layout : period.layouts()) {
        if (wanted.test(layout)) {
          Reading reading = reading(request, true, ReadGuard.NONE);
          walks.add(new RowWalk(reading, planner.plan(reading, period, layout, false), true));
        }
      }
    }
    return walks;
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
   * or damaged. Neither the retention nor deletes limit what is found. Where rows have times, the
   * extent tells which to look at; a key without one that may have attributes counts as one that
   * has them.
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

  /** Returns the attributes of matching series, without a time or with a time in range. */
  public Stream<Attribute> attributes(Selector selector, TimeRange times, ReadGuard guard) {
    return attributes(ReadRequest.of(selector, times), guard);
  }

  /** Returns the attributes of all series. The stream must be closed. */
  public Stream<Attribute> attributesOfAll() {
    return attributes(everything(TimeRange.ALL, false), ReadGuard.NONE);
  }

  private Stream<Attribute> attributes(ReadRequest request, ReadGuard guard) {
    List<Period> periods =
        dataset.periods().all().stream().filter(period -> period.domain().attributes()).toList();
    Reading reading = reading(request, false, guard);
    RunStream stream =
        RunStream.begin(reading, new DeliveryPlanner(reading, planner, periods, true, false));
    Runnable cancel = stream::cancel;
    guard.begun(cancel);
    return attributes(stream, request.times()).onClose(() -> guard.ended(cancel));
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
    return stream(
        new Reading(
            request,
            dataset,
            kept,
            List.of(match),
            field -> true,
            new VersionRule(request.versions(), dataset.config().duplicates()),
            dataset.deletes().filter(kept, dataset.index(), ReadGuard.NONE),
            ReadGuard.NONE));
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
            byField(series),
            field -> true,
            new VersionRule(request.versions(), dataset.config().duplicates()),
            dataset.deletes().filter(times, dataset.index(), ReadGuard.NONE),
            ReadGuard.NONE);
    return RunStream.begin(reading, new DeliveryPlanner(reading, planner, periods, false, false));
  }

  /** Returns the attributes of one key that the primary of a period has in a range. */
  public Stream<Attribute> attributesOfPrimary(Period period, GroupKey key, TimeRange times) {
    if (!period.primary().layout().domain().attributes()) {
      return Stream.of();
    }
    return attributes(ofPrimary(period, key, times, true), times);
  }

  private RunStream ofPrimary(Period period, GroupKey key, TimeRange times, boolean attributes) {
    Reading reading = readingOf(period, key, times);
    return RunStream.begin(
        reading,
        new DeliveryPlanner(reading, plannerOfPrimaries, List.of(period), attributes, false));
  }

  private static Stream<Attribute> attributes(RunStream stream, TimeRange times) {
    return Stream.generate(stream::nextAttribute)
        .takeWhile(attribute -> attribute != null)
        .filter(attribute -> attribute.time() == null || times.contains(attribute.time()))
        .onClose(stream::close);
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

  private static ReadRequest everything(TimeRange times, boolean versions) {
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

  /**
   * The series of a request.
   *
   * @param times times of the request within the retention
   */
  private record Found(TimeRange times, Matches matches, List<Match> inOrder) {}

  private Reading reading(ReadRequest request, boolean samplesOnly, ReadGuard guard) {
    return reading(request, find(request, samplesOnly, guard), guard);
  }

  /**
   * Finds the series of a request.
   *
   * @param samplesOnly whether to omit series that certainly have no sample in the range
   */
  private Found find(ReadRequest request, boolean samplesOnly, ReadGuard guard) {
    if (request.selector().filters().isEmpty()
        && !request.wholeTable()
        && !dataset.config().wholeTableScans()) {
      throw new QueryRefusedException(
          "the query selects every series: name a metric or a label, or allow whole-table scans");
    }
    long closed = dataset.periods().closedFrom();
    if (closed <= dataset.now() && request.times().to() > closed) {
      throw new QueryRefusedException(
          "dataset '%s' has a period from %d on that another server has added and this server's configuration lacks: declare it here too, or ask for times before"
              .formatted(dataset.name(), closed));
    }
    long oldest = dataset.oldestKept();
    TimeRange kept = request.times().intersect(new TimeRange(oldest, Long.MAX_VALUE));
    Matches matches = match(request.selector(), samplesOnly ? kept : null, Kind.ALL, guard);
    return new Found(kept, matches, matches.inOrder());
  }

  private Reading reading(ReadRequest request, Found found, ReadGuard guard) {
    Set<String> fields = request.fields();
    return new Reading(
        request,
        dataset,
        found.times(),
        request.order() == Order.SERIES_BY_SERIES ? byField(found.inOrder()) : found.inOrder(),
        field -> (fields == null || fields.contains(field)) && found.matches().wantsField(field),
        new VersionRule(request.versions(), dataset.config().duplicates()),
        dataset.deletes().filter(found.times(), dataset.index(), guard),
        guard);
  }

  /**
   * Lists each field of a key separately. Fields share rows, so one read of all fields would
   * interleave their runs or hold all of them.
   */
  private static List<Match> byField(List<Match> matches) {
    List<Match> all = new ArrayList<>(matches.size());
    for (Match match : matches) {
      if (match.fields().size() < 2) {
        all.add(match);
      } else {
        for (String field : match.fields()) {
          all.add(new Match(match.series(), match.key(), List.of(field)));
        }
      }
    }
    return all;
  }

  /** Returns the matching series, after the guard has accepted their number. */
  public Matches match(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    try {
      Matches matches =
          dataset.index().match(selector, dataset.trustsExtents() ? times : null, kinds, guard);
      guard.matched(matches.size());
      return matches;
    } catch (IllegalArgumentException e) {
      throw new QueryRefusedException(String.valueOf(e.getMessage()));
    }
  }

  private List<Period> periods(TimeRange times) {
    return dataset.periods().all().stream()
        .filter(period -> period.times().overlaps(times) && !period.times().isEmpty())
        .toList();
  }

  private void refuseMissingVersions(Versions versions, List<Period> periods) {
    if (versions instanceof Versions.Latest) {
      return;
    }
    for (Period period : periods) {
      if (!period.domain().versions()) {
        throw new QueryRefusedException(
            "layout '%s' of dataset '%s' keeps the last version of a sample only: it can answer neither 'as of' nor 'all versions'"
                .formatted(period.layoutName(), dataset.name()));
      }
    }
  }
}
