package dev.varve.engine.read;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Period;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.request.PartedRead;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.write.Companions;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Attribute;
import dev.varve.model.Kind;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
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
  private final SeriesFinder finder;
  private final JobReader jobs;

  /**
   * Creates the reader of a dataset.
   *
   * @param companions markers of writes into companions; null if there are no companions
   */
  public DatasetReader(OpenDataset dataset, @Nullable Companions companions) {
    this.dataset = dataset;
    this.planner = new PeriodPlanner(dataset, companions, false);
    this.finder = new SeriesFinder(dataset);
    this.jobs = new JobReader(dataset, planner, companions);
  }

  /** Returns the reader of known series, for the jobs of the dataset. */
  public JobReader jobs() {
    return jobs;
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if there is no way to read it, or none that is allowed
   */
  public RunCursor read(ReadRequest request, ReadGuard guard) {
    return stream(finder.reading(request, true, guard));
  }

  /**
   * Finds the series of a request that is read in parts.
   *
   * @param request a request in the order of series
   * @throws QueryRefusedException if it is not allowed
   */
  public PartedRead inParts(ReadRequest request, ReadGuard guard) {
    Reading reading = finder.reading(request, true, guard);
    List<Layout> layouts =
        dataset.periods().within(reading.times()).stream()
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
    SeriesFinder.Found found = finder.find(request, true, guard);
    // Fields of one key share its rows but are read one by one. One plan shows them together.
    boolean fieldsShareRows = found.inOrder().stream().anyMatch(match -> match.fields().size() > 1);
    ReadRequest shown = fieldsShareRows ? request.with(Order.TIME_WITHIN_SERIES) : request;
    Reading reading = finder.reading(shown, found, guard);
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
      List<Period> periods = dataset.periods().within(reading.times());
      refuseMissingVersions(request.versions(), periods);
      List<Period> inOrder = request.newestFirst() > 0 ? periods.reversed() : periods;
      return RunStream.begin(
          reading,
          together
              ? DeliveryPlanner.ofAllSamples(reading, planner, inOrder)
              : DeliveryPlanner.ofSamples(reading, planner, inOrder));
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
    for (Period period : dataset.periods().within(request.times())) {
      for (PlacedLayout layout : period.layouts()) {
        if (wanted.test(layout)) {
          Reading reading = finder.reading(request, true, ReadGuard.NONE);
          walks.add(new RowWalk(reading, planner.plan(reading, period, layout, false), true));
        }
      }
    }
    return walks;
  }

  /** Returns the attributes of matching series, without a time or with a time in range. */
  public Stream<Attribute> attributes(Selector selector, TimeRange times, ReadGuard guard) {
    return attributes(ReadRequest.of(selector, times), guard);
  }

  /** Returns the attributes of all series. The stream must be closed. */
  public Stream<Attribute> attributesOfAll() {
    return attributes(JobReader.everything(TimeRange.ALL, false), ReadGuard.NONE);
  }

  private Stream<Attribute> attributes(ReadRequest request, ReadGuard guard) {
    List<Period> periods =
        dataset.periods().all().stream().filter(period -> period.domain().attributes()).toList();
    Reading reading = finder.reading(request, false, guard);
    RunStream stream =
        RunStream.begin(reading, DeliveryPlanner.ofAttributes(reading, planner, periods));
    Runnable cancel = stream::cancel;
    guard.begun(cancel);
    return stream.attributes(request.times()).onClose(() -> guard.ended(cancel));
  }

  /**
   * Returns the matching series, after the guard has accepted their number.
   *
   * @param times omits series that certainly have no sample in them; null to omit none
   * @throws QueryRefusedException if the selector is not valid
   */
  public Matches match(
      Selector selector, @Nullable TimeRange times, Set<Kind> kinds, ReadGuard guard) {
    return finder.match(selector, times, kinds, guard);
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
