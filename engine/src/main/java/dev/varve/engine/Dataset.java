package dev.varve.engine;

import dev.varve.engine.catalog.Matches;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.Periods;
import dev.varve.engine.periods.Periods.Declared;
import dev.varve.engine.read.DatasetReader;
import dev.varve.engine.write.Admission;
import dev.varve.engine.write.DatasetWriter;
import dev.varve.engine.write.PointExplainer;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a server holds under a name: points in, runs out. Safe for use by several threads; calls
 * block, and are meant for virtual threads.
 */
public final class Dataset implements AutoCloseable {
  private final OpenDataset open;
  private final DatasetWriter writer;
  private final DatasetReader reader;
  private final Catalog catalog;

  private Dataset(OpenDataset open, Admission admission) {
    this.open = open;
    this.writer = new DatasetWriter(open, admission);
    this.reader = new DatasetReader(open, writer.companions());
    this.catalog = new Catalog(open.index());
  }

  static Dataset open(
      DatasetConfig config, Stores.Opened store, StampClock clock, Admission admission) {
    Resolution resolution = resolution(config);
    List<Declared> declared = declared(config, resolution);
    List<String> reasons = Periods.check(config.name(), declared, store.store());
    if (!reasons.isEmpty()) {
      throw new InvalidConfigException(reasons);
    }
    Home home = Home.open(store.store(), config.name());
    long now = Resolution.MICROSECONDS.convert(clock.systemMicros(), resolution);
    makeOrCompare(
        config,
        home,
        IdentityCheck.declared(resolution, store.store().kind(), declared),
        now,
        clock);
    SeriesIndex index = new SeriesIndex();
    home.series().load(index, clock.next());
    Periods periods = Periods.open(config.name(), declared, store.store(), clock::next);
    return new Dataset(
        new OpenDataset(
            config, resolution, store.store(), home, index, periods, clock, store.marks()),
        admission);
  }

  private static void makeOrCompare(
      DatasetConfig config, Home home, Made declared, long now, StampClock clock) {
    Made made = home.identity().made();
    if (made == null) {
      home.identity().make(declared, clock.next());
      return;
    }
    for (MadePeriod period : IdentityCheck.compare(config.name(), made, declared, now)) {
      home.identity().append(period, clock.next());
    }
  }

  private static Resolution resolution(DatasetConfig config) {
    return config.periods().getFirst().layouts().getFirst().resolution();
  }

  private static List<Declared> declared(DatasetConfig config, Resolution resolution) {
    List<Declared> declared = new ArrayList<>();
    for (DatasetConfig.PeriodConfig period : config.periods()) {
      declared.add(new Declared(ConfigCheck.time(period.from(), resolution), period.layouts()));
    }
    return declared;
  }

  public String name() {
    return open.name();
  }

  /** The unit of all times. */
  public Resolution resolution() {
    return open.resolution();
  }

  public DatasetConfig config() {
    return open.config();
  }

  /**
   * Writes a batch and returns once what was accepted is durable.
   *
   * @throws OverloadedException if nothing was tried because too much waits
   * @throws WriteFailedException if a store failed
   */
  public WriteResult write(Batch batch) {
    return writer.write(batch);
  }

  /**
   * Starts a read.
   *
   * @throws QueryRefusedException if the plan would scan a whole table, or needs more than it may
   */
  public RunCursor read(ReadRequest request) {
    return reader.read(request);
  }

  /**
   * The attributes of the series that match, those without a time and those with a time in range.
   * The stream reads as it goes on and has to be closed.
   *
   * @throws QueryRefusedException as {@link #read}
   */
  public Stream<Attribute> attributes(Selector selector, TimeRange times) {
    return reader.attributes(selector, times);
  }

  /**
   * How a read would go; with {@code analyze} it is also run, and says what was really read and
   * returned.
   */
  public QueryExplanation explain(ReadRequest request, boolean analyze) {
    return reader.explain(request, analyze);
  }

  /**
   * What a batch would become: every cell, part by part. Nothing is written.
   *
   * @throws QueryRefusedException if a layout refuses something of it
   */
  public List<PointExplanation> explain(Batch batch) {
    return new PointExplainer(open, writer).explain(batch);
  }

  /**
   * The series that match, in the order of metric, then tags.
   *
   * @param times leaves out series that surely have no sample in the range; null for all
   * @throws QueryRefusedException if a filter is malformed
   */
  public Stream<Series> series(Selector selector, @Nullable TimeRange times) {
    Matches matches = reader.match(selector, times);
    return matches.inOrder().stream()
        .flatMap(match -> match.fields().stream().map(match.key()::field));
  }

  /** Which metrics, tags and values there are. */
  public Catalog catalog() {
    return catalog;
  }

  /** Figures by name. */
  Map<String, Double> figures() {
    Map<String, Double> figures = writer.figures();
    figures.put("catalog_series", (double) open.index().size());
    return figures;
  }

  @Override
  public void close() {
    open.periods().close();
    open.home().close();
  }
}
