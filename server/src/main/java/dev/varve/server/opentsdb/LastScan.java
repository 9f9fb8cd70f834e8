package dev.varve.server.opentsdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.TagFilter;
import dev.varve.model.TimeRange;
import dev.varve.query.Analysis;
import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.Names;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.Tsuid;
import dev.varve.server.opentsdb.query.UidNames;
import dev.varve.store.Budget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the newest points of the series of one request. */
final class LastScan {
  private static final long HOUR = 3_600_000;

  /** The newest sample may be a marker of Prometheus, and then the one before counts. */
  private static final int SAMPLES = 2;

  private final Dataset dataset;
  private final long backScan;
  private final long now;
  private final QueryUse use;

  /**
   * @param backScan as in {@link LastRequest}
   * @param now in milliseconds since 1970
   */
  LastScan(Dataset dataset, long backScan, long now, QueryUse use) {
    this.dataset = dataset;
    this.backScan = backScan;
    this.now = now;
    this.use = use;
  }

  /**
   * Series to read.
   *
   * @param only the exact tags that a series must have; null for any
   */
  record Wanted(ReadRequest request, @Nullable Map<String, String> only) {
    private boolean takes(Series series) {
      return only == null || series.labels().equals(only);
    }
  }

  /** Receives the newest point of each series: one of some samples. */
  interface Sink {
    void accept(Series series, Samples samples, int newest);
  }

  /**
   * Returns the series to read for a part of the request.
   *
   * @throws OpenTsdbError 400 if it has a name that the dataset does not know, or has no metric, or
   *     has no tags although the search is limited in time
   */
  List<Wanted> wanted(LastRequest.Sub sub) {
    if (sub.tsuids().isEmpty()) {
      return List.of(named(sub));
    }
    UidNames uids = new UidNames(dataset, use);
    List<Wanted> wanted = new ArrayList<>();
    for (String tsuid : sub.tsuids()) {
      uids.require(tsuid.strip());
      Series series = uids.series(tsuid);
      List<TagFilter> filters = new ArrayList<>();
      series.labels().forEach((name, value) -> filters.add(new TagFilter.Equal(name, value)));
      wanted.add(new Wanted(request(series.metric(), filters), series.labels()));
    }
    return wanted;
  }

  private Wanted named(LastRequest.Sub sub) {
    String metric = sub.metric();
    if (metric == null || metric.isEmpty()) {
      throw OpenTsdbError.amid("Metric cannot be null or empty");
    }
    Names names = new Names(dataset, use);
    names.require(Tsuid.Kind.METRIC, metric);
    List<TagFilter> filters = new ArrayList<>();
    sub.tags()
        .forEach((name, value) -> {
          names.require(Tsuid.Kind.TAGK, name);
          names.require(Tsuid.Kind.TAGV, value);
          filters.add(new TagFilter.Equal(name, value));
        });
    if (backScan > 0 && sub.tags().isEmpty()) {
      throw OpenTsdbError.amid("Tags cannot be null or empty when getting a TSUID");
    }
    // Only a search in hours takes the tags for those of one series, as in OpenTSDB.
    return new Wanted(request(metric, filters), backScan > 0 ? sub.tags() : null);
  }

  private ReadRequest request(String metric, List<TagFilter> filters) {
    return new ReadRequest(
        Selector.metric(metric, filters.toArray(TagFilter[]::new)),
        times(),
        null,
        Versions.LATEST,
        Kinds.ONE,
        Order.SERIES_BY_SERIES,
        SAMPLES,
        false,
        new Budget(use.limits().cells(), use.limits().bytes()));
  }

  private TimeRange times() {
    if (backScan <= 0) {
      return TimeRange.ALL;
    }
    Resolution resolution = dataset.resolution();
    long hour = Math.floorDiv(now, HOUR);
    return new TimeRange(
        Resolution.MILLISECONDS.convert(Math.max(0, hour - backScan) * HOUR, resolution),
        Resolution.MILLISECONDS.convert((hour + 1) * HOUR, resolution));
  }

  /**
   * Reads the newest points of some series.
   *
   * @param analysis receives the cost of the read; null if the query is not analysed
   */
  void read(Wanted wanted, @Nullable Analysis<String, ReadRequest> analysis, Sink into) {
    ReadRequest request = wanted.request();
    RunCursor read = use.runs(dataset).read(request);
    try (RunCursor runs = analysis == null ? read : analysis.read(request).through(read)) {
      Series done = null;
      for (Run run = runs.next(); run != null; run = runs.next()) {
        Series series = run.series();
        int newest = newest(run.samples());
        if (wanted.takes(series) && newest >= 0 && !series.equals(done)) {
          done = series;
          use.pointsReturned(1);
          into.accept(series, run.samples(), newest);
        }
      }
      if (analysis != null) {
        analysis.read(request).cost(runs.cost());
      }
    }
  }

  /** Returns the index of the newest number; -1 if there is none. */
  private static int newest(Samples samples) {
    for (int i = samples.size() - 1; i >= 0; i--) {
      boolean number =
          switch (samples.kind()) {
            case INT64 -> true;
            case DOUBLE -> !StaleMarker.is(samples.doubleAt(i));
            case STRING -> false;
          };
      if (number) {
        return i;
      }
    }
    return -1;
  }
}
