package dev.varve.server.heroic.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.heroic.HeroicLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.Analysis;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.Runs;
import dev.varve.server.heroic.aggregation.Session;
import dev.varve.server.heroic.aggregation.Sketch;
import dev.varve.server.heroic.aggregation.Stage;
import dev.varve.server.heroic.aggregation.Values;
import dev.varve.server.heroic.error.Limit;
import dev.varve.server.heroic.error.LimitExceededException;
import dev.varve.server.heroic.series.HeroicSeries;
import dev.varve.server.heroic.series.Millis;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the points or distributions of a query into a session. For one thread. */
final class SampleReader {
  /** Maximum number of errors reported about distributions that are not digests. */
  private static final int ERRORS_MAX = 20;

  private final Dataset dataset;
  private final QueryUse use;
  private final PreparedQuery query;
  private final List<String> errors;
  private final TimeRange times;

  /** Receives figures; null if the query is not analysed. */
  private final @Nullable Analysis<Stage, ReadRequest> analysis;

  private long[] millis = new long[0];
  private double[] numbers = new double[0];
  private long read;

  SampleReader(
      Dataset dataset,
      QueryUse use,
      PreparedQuery query,
      List<String> errors,
      @Nullable Analysis<Stage, ReadRequest> analysis) {
    this.analysis = analysis;
    this.dataset = dataset;
    this.use = use;
    this.query = query;
    this.errors = errors;
    this.times = Millis.after(query.range().start(), query.range().end(), dataset.resolution());
  }

  /**
   * A series with the parts that its updates need.
   *
   * @param wanted whether the request asks for its samples
   */
  private record Known(
      Object of, Set<HeroicSeries> series, Map<String, String> key, boolean wanted) {
    static Known of(Object of, HeroicSeries series, Predicate<HeroicSeries> test) {
      return new Known(of, Set.of(series), series.groupingKey(), test.test(series));
    }
  }

  /**
   * Reads the series of a selector that pass a test.
   *
   * @return whether any value was read
   * @throws LimitExceededException if it reads more samples than the request allows
   */
  boolean read(Selector selector, Predicate<HeroicSeries> test, Session session) {
    if (times.isEmpty()) {
      return false;
    }
    return query.distributions()
        ? readDistributions(selector, test, session)
        : readPoints(selector, test, session);
  }

  private boolean readPoints(Selector selector, Predicate<HeroicSeries> test, Session session) {
    Runs runs = use.runs(dataset);
    ReadRequest request = request(selector);
    boolean any = false;
    Known known = null;
    try (RunCursor cursor = measured(request, runs.read(request))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        Series series = run.series();
        if (known == null || !series.equals(known.of())) {
          known = Known.of(series, HeroicSeries.of(series), test);
        }
        // Heroic knows numbers alone.
        if (known.wanted() && run.samples().kind() != Kind.STRING && !run.samples().isEmpty()) {
          count(run.samples().size());
          session.update(known.key(), known.series(), points(run.samples()));
          any = true;
        }
      }
      if (analysis != null) {
        analysis.read(request).cost(cursor.cost());
      }
    }
    return any;
  }

  /** Returns the request for the points of a selector. */
  ReadRequest request(Selector selector) {
    return ReadRequest.of(selector, times).with(ReadRequest.Order.SERIES_BY_SERIES);
  }

  private RunCursor measured(ReadRequest request, RunCursor cursor) {
    return analysis == null ? cursor : analysis.read(request).through(cursor);
  }

  private void count(long more) {
    read += more;
    if (read > query.limits().data()) {
      throw new LimitExceededException(Limit.QUOTA, "Query exceeded quota");
    }
  }

  /** Returns samples as points, in arrays that the next call reuses. */
  private Values points(Samples samples) {
    int size = samples.size();
    boolean plain = samples.kind() == Kind.DOUBLE;
    Resolution resolution = dataset.resolution();
    if (plain && resolution == Resolution.MILLISECONDS) {
      return new Values.Points(samples.times(), samples.doubles(), size);
    }
    if (millis.length < size) {
      millis = new long[Math.max(size, 2 * millis.length)];
      numbers = new double[millis.length];
    }
    for (int i = 0; i < size; i++) {
      millis[i] = Millis.of(samples.time(i), resolution);
      numbers[i] = samples.number(i);
    }
    return new Values.Points(millis, numbers, size);
  }

  private boolean readDistributions(
      Selector selector, Predicate<HeroicSeries> test, Session session) {
    boolean any = false;
    Known known = null;
    try (Stream<Attribute> attributes = dataset.attributes(selector, times, use)) {
      for (Iterator<Attribute> i = attributes.iterator(); i.hasNext(); ) {
        Attribute attribute = i.next();
        use.ensureWanted();
        if (known == null || !attribute.key().equals(known.of())) {
          known = Known.of(attribute.key(), HeroicSeries.of(attribute.key()), test);
        }
        Values.Distribution distribution =
            known.wanted() ? distribution(attribute, known.series()) : null;
        if (distribution != null) {
          count(1);
          session.update(
              known.key(), known.series(), new Values.Distributions(List.of(distribution)));
          any = true;
        }
      }
    }
    return any;
  }

  /** Returns a distribution; null if the attribute is none, or is not a digest. */
  private Values.@Nullable Distribution distribution(
      Attribute attribute, Set<HeroicSeries> series) {
    Long time = attribute.time();
    if (!attribute.name().equals(HeroicLayout.DISTRIBUTION)
        || time == null
        || !(attribute.value() instanceof Value.Raw raw)) {
      return null;
    }
    long at = Millis.of(time, dataset.resolution());
    try {
      Sketch sketch = Sketch.of(raw.value());
      use.held(sketch.bytes(), "distributions");
      return new Values.Distribution(at, sketch);
    } catch (IllegalArgumentException e) {
      if (errors.size() < ERRORS_MAX) {
        errors.add(
            "the distribution of %s at %d is left out: %s"
                .formatted(series.iterator().next(), at, e.getMessage()));
      }
      return null;
    }
  }
}
