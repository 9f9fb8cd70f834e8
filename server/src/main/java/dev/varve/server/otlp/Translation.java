package dev.varve.server.otlp;

import dev.varve.formats.number.GoNumber;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.http.HeldPart;
import dev.varve.server.ingest.Intake;
import dev.varve.server.otlp.CumulativeSums.Added;
import dev.varve.server.otlp.CumulativeSums.Running;
import dev.varve.server.otlp.OtlpMetric.Exponential;
import dev.varve.server.otlp.OtlpMetric.Gauge;
import dev.varve.server.otlp.OtlpMetric.Histogram;
import dev.varve.server.otlp.OtlpMetric.HistogramPoint;
import dev.varve.server.otlp.OtlpMetric.NumberPoint;
import dev.varve.server.otlp.OtlpMetric.Point;
import dev.varve.server.otlp.OtlpMetric.Sum;
import dev.varve.server.otlp.OtlpMetric.Summary;
import dev.varve.server.otlp.OtlpMetric.SummaryPoint;
import dev.varve.server.otlp.OtlpMetric.Temporality;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Translates the OpenTelemetry metrics of one request to Prometheus' series and writes them.
 * Source: package {@code storage/remote/otlptranslator} of Prometheus 3.5.0. Unlike Prometheus it
 * adds up deltas, which Prometheus rejects, and it rejects exponential histograms.
 */
final class Translation implements OtlpSink {
  private static final String SERVICE_NAME = "service.name";
  private static final String SERVICE_NAMESPACE = "service.namespace";
  private static final String SERVICE_INSTANCE = "service.instance.id";
  private static final Set<String> IDENTIFYING =
      Set.of(SERVICE_NAME, SERVICE_NAMESPACE, SERVICE_INSTANCE);

  private static final int REASONS_MAX = 10;

  /** Memory of a metric's metadata, and of a delta, in bytes without their texts. */
  private static final int METADATA_BYTES = 200;

  private static final int DIFFERENCE_BYTES = 600;

  /**
   * Values of attributes whose names collide are joined; the limit bounds the time that this takes.
   */
  private static final int ATTRIBUTES_MAX = 1_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** An earlier start says nothing about the last interval: no zero is written for it. */
  private static final long ZERO_WITHIN_NANOS = 3_600_000_000_000L;

  private final Intake intake;
  private final String dataset;
  private final boolean holdsMarkers;
  private final CumulativeSums sums;
  private final BatchBuilder batch;

  /** Memory of everything besides the batch that is not written yet. */
  private final HeldPart waiting;

  /**
   * Deltas are added up when they are written, so that no other request waits while this one is
   * read.
   */
  private final List<Difference> differences = new ArrayList<>();

  private int differenceSamples;
  private final Map<String, MetricMetadata> metadata = new LinkedHashMap<>();
  private final Set<String> reasons = new LinkedHashSet<>();
  private Map<String, String> resource = Map.of();
  private long newestOfResource;
  private long points;
  private long refused;

  /**
   * @param holdsMarkers whether every layout can hold staleness markers; if not, they are left out
   */
  Translation(Intake intake, String dataset, boolean holdsMarkers, CumulativeSums sums) {
    this.intake = intake;
    this.batch = intake.newBatch();
    this.waiting = new HeldPart(intake.memory());
    this.dataset = dataset;
    this.holdsMarkers = holdsMarkers;
    this.sums = sums;
  }

  /** A point that is added to the sum of its series. */
  private record Difference(CumulativeSums.Key key, Consumer<CumulativeSums.Request> adding) {}

  /** Returns the number of rejected points. */
  long refused() {
    // A dataset counts rejected samples; a point of a histogram consists of several.
    return refused + Math.min(points, intake.refused());
  }

  /** Returns the first reasons for rejections. */
  Set<String> reasons() {
    return reasons;
  }

  @Override
  public void resource(Map<String, String> attributes) {
    resource = attributes;
    newestOfResource = 0;
  }

  @Override
  public void metric(OtlpMetric metric) {
    switch (metric.points()) {
      case null -> {
        note(metric, "has no points of a known kind");
        intake.report("kind.unknown", 1, () -> words(metric, "has no points of a known kind"));
      }
      case Gauge gauge -> {
        String name = describe(metric, "gauge", false, true);
        gauge
            .points()
            .forEach(point -> {
              number(metric, name, null, point);
              writeIfFull();
            });
      }
      case Sum sum -> sum(metric, sum);
      case Histogram histogram -> histogram(metric, histogram);
      case Summary summary -> {
        String name = describe(metric, "summary", false, false);
        summary.points().forEach(point -> summary(metric, name, point));
      }
      case Exponential exponential ->
          refuse(
              "histogram.native",
              metric,
              exponential.count(),
              "is an exponential histogram, which is not supported");
    }
    writeIfFull();
  }

  private String describe(OtlpMetric metric, String type, boolean counter, boolean gauge) {
    String name = PrometheusNames.metric(metric.name(), metric.unit(), counter, gauge);
    if (!name.isEmpty()) {
      waiting.hold(
          METADATA_BYTES
              + 2L * (name.length() + metric.unit().length() + metric.description().length()));
      metadata.put(name, new MetricMetadata(name, type, metric.unit(), metric.description()));
    }
    return name;
  }

  private void sum(OtlpMetric metric, Sum sum) {
    if (sum.temporality() == Temporality.UNSPECIFIED) {
      refuse(
          "temporality",
          metric,
          sum.count(),
          "does not say whether its sums are delta or cumulative");
      return;
    }
    String type = sum.monotonic() ? "counter" : "gauge";
    String name = describe(metric, type, sum.monotonic(), false);
    Sum differences = sum.temporality() == Temporality.DELTA ? sum : null;
    sum.points().forEach(point -> number(metric, name, differences, point));
  }

  /**
   * Adds a point.
   *
   * @param sum the sum of which the point is a delta; null if the point is a value
   */
  private void number(OtlpMetric metric, String name, @Nullable Sum sum, NumberPoint point) {
    if (!isGood(metric, name, point)) {
      return;
    }
    GroupKey key = key(name, labels(point.attributes()));
    Double value = point.value();
    if (point.hasNoValue()) {
      if (sum != null) {
        endSum(key);
      }
      add(key, point, StaleMarker.VALUE);
    } else if (value == null) {
      refuse("value.missing", metric, 1, "has a point without a value");
    } else if (sum == null) {
      add(key, point, value);
    } else {
      addUp(
          key,
          1,
          metric,
          point,
          Running.number(point.timeNanos(), value),
          added -> {
            if (added.restarted() && sum.monotonic()) {
              addZero(key, point);
            }
            add(key, point, added.sum().value());
          });
    }
  }

  private void endSum(GroupKey series) {
    waiting.hold(DIFFERENCE_BYTES);
    CumulativeSums.Key key = new CumulativeSums.Key(dataset, series);
    differences.add(new Difference(key, adding -> adding.end(key)));
    differenceSamples++;
  }

  /**
   * Adds a delta to its sum when the batch is written.
   *
   * @param samples approximate number of resulting samples
   * @param then receives the sum
   */
  private void addUp(
      GroupKey series,
      int samples,
      OtlpMetric metric,
      Point point,
      Running difference,
      Consumer<Added> then) {
    // Covers the key, the point and their content; labels are held twice.
    waiting.hold(DIFFERENCE_BYTES + 3 * series.byteCount() + 32L * samples);
    CumulativeSums.Key key = new CumulativeSums.Key(dataset, series);
    differenceSamples += samples;
    differences.add(
        new Difference(
            key,
            adding -> {
              switch (adding.add(key, point.startNanos(), difference)) {
                case Added added -> then.accept(added);
                case CumulativeSums.Known _ -> {
                  // Already stored.
                }
                case CumulativeSums.Late _ -> refuseLate(metric);
              }
            }));
  }

  private void refuseLate(OtlpMetric metric) {
    refuse("delta.late", metric, 1, "has a delta that is older than the sum of its series");
  }

  private void histogram(OtlpMetric metric, Histogram histogram) {
    if (histogram.temporality() == Temporality.UNSPECIFIED) {
      refuse(
          "temporality",
          metric,
          histogram.count(),
          "does not say whether it is delta or cumulative");
      return;
    }
    String name = describe(metric, "histogram", false, false);
    boolean delta = histogram.temporality() == Temporality.DELTA;
    histogram.points().forEach(point -> histogram(metric, name, delta, point));
  }

  private void histogram(OtlpMetric metric, String name, boolean delta, HistogramPoint point) {
    if (!isGood(metric, name, point)) {
      return;
    }
    String wrong = problem(point.bucketCounts(), point.bounds());
    if (wrong != null) {
      refuse("histogram.buckets", metric, 1, wrong);
      return;
    }
    Map<String, String> labels = labels(point.attributes());
    GroupKey key = key(name, labels);
    Double sum = point.sum();
    Running value =
        new Running(
            point.timeNanos(),
            sum == null ? Double.NaN : sum,
            point.count(),
            point.bucketCounts(),
            point.bounds());
    if (delta && point.hasNoValue()) {
      endSum(key);
    }
    if (!delta || point.hasNoValue()) {
      add(name, labels, point, value, sum != null);
      return;
    }
    addUp(
        key,
        point.bounds().length + 3,
        metric,
        point,
        value,
        added -> {
          if (added.restarted()) {
            addZeros(name, labels, point);
          }
          add(name, labels, point, added.sum(), !Double.isNaN(added.sum().value()));
        });
  }

  private static @Nullable String problem(long[] counts, double[] bounds) {
    boolean none = counts.length == 0 && bounds.length == 0;
    if (!none && counts.length != bounds.length + 1) {
      return "has a point with %d bucket counts for %d bounds, not %d"
          .formatted(counts.length, bounds.length, bounds.length + 1);
    }
    for (int i = 0; i < bounds.length; i++) {
      if (Double.isNaN(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1])) {
        return "has a point whose bounds are not ascending";
      }
    }
    return null;
  }

  /**
   * Adds the series of a histogram. If the point has no value, all samples are staleness markers.
   */
  private void add(
      String name, Map<String, String> labels, Point point, Running value, boolean hasSum) {
    if (hasSum) {
      add(key(name + "_sum", labels), point, marked(point, value.value()));
    }
    double count = marked(point, unsigned(value.count()));
    add(key(name + "_count", labels), point, count);
    long upTo = 0;
    for (int i = 0; i < value.bounds().length; i++) {
      upTo += value.buckets()[i];
      if (value.bounds()[i] != Double.POSITIVE_INFINITY) {
        String bound = GoNumber.plain(value.bounds()[i]);
        add(bucket(name, labels, bound), point, marked(point, unsigned(upTo)));
      }
    }
    add(bucket(name, labels, "+Inf"), point, count);
  }

  private void addZeros(String name, Map<String, String> labels, HistogramPoint point) {
    if (point.sum() != null) {
      addZero(key(name + "_sum", labels), point);
    }
    addZero(key(name + "_count", labels), point);
    for (double bound : point.bounds()) {
      if (bound != Double.POSITIVE_INFINITY) {
        addZero(bucket(name, labels, GoNumber.plain(bound)), point);
      }
    }
    addZero(bucket(name, labels, "+Inf"), point);
  }

  private static GroupKey bucket(String name, Map<String, String> labels, String bound) {
    Map<String, String> withBound = new TreeMap<>(labels);
    withBound.put("le", bound);
    return key(name + "_bucket", withBound);
  }

  private static double marked(Point point, double value) {
    return point.hasNoValue() ? StaleMarker.VALUE : value;
  }

  private static double unsigned(long count) {
    return count >= 0 ? (double) count : (double) (count >>> 1) * 2;
  }

  private void summary(OtlpMetric metric, String name, SummaryPoint point) {
    if (!isGood(metric, name, point)) {
      return;
    }
    Map<String, String> labels = labels(point.attributes());
    add(key(name + "_sum", labels), point, marked(point, point.sum()));
    add(key(name + "_count", labels), point, marked(point, unsigned(point.count())));
    for (int i = 0; i < point.quantiles().length; i++) {
      Map<String, String> withQuantile = new TreeMap<>(labels);
      withQuantile.put("quantile", GoNumber.plain(point.quantiles()[i]));
      add(key(name, withQuantile), point, marked(point, point.values()[i]));
    }
  }

  private boolean isGood(OtlpMetric metric, String name, Point point) {
    if (name.isEmpty()) {
      refuse("series.name", metric, 1, "has a name without any allowed character");
      return false;
    }
    if (point.timeNanos() <= 0) {
      refuse("time.missing", metric, 1, "has a point without a time");
      return false;
    }
    if (point.attributes().size() > ATTRIBUTES_MAX) {
      refuse(
          "labels.count",
          metric,
          1,
          "has a point of %d attributes, at most %d are taken"
              .formatted(point.attributes().size(), ATTRIBUTES_MAX));
      return false;
    }
    newestOfResource = Math.max(newestOfResource, point.timeNanos());
    points++;
    return true;
  }

  /**
   * Returns the labels of a point: its attributes, whose translated names may collide, and its
   * target.
   */
  private Map<String, String> labels(Map<String, String> attributes) {
    Map<String, String> labels = new TreeMap<>();
    new TreeMap<>(attributes)
        .forEach((name, value) -> {
          if (!name.isEmpty()) {
            labels.merge(PrometheusNames.label(name), value, (one, other) -> one + ";" + other);
          }
        });
    String service = resource.get(SERVICE_NAME);
    if (service != null) {
      String namespace = resource.get(SERVICE_NAMESPACE);
      labels.put("job", namespace == null ? service : namespace + "/" + service);
    }
    String instance = resource.get(SERVICE_INSTANCE);
    if (instance != null) {
      labels.put("instance", instance);
    }
    return labels;
  }

  private static GroupKey key(String name, Map<String, String> labels) {
    Map<String, String> tags = new TreeMap<>(labels);
    tags.remove(Series.NAME_LABEL);
    tags.values().removeIf(String::isEmpty);
    return GroupKey.of(name, Tags.of(tags));
  }

  private void add(GroupKey key, Point point, double value) {
    if (holdsMarkers || !point.hasNoValue()) {
      batch.group(key).add(Series.DEFAULT_FIELD, point.timeNanos() / NANOS_PER_MILLI, value);
    }
  }

  /** Writes 0 at the start of a sum, so that a rate includes the first delta. */
  private void addZero(GroupKey key, Point point) {
    long start = point.startNanos();
    long within = point.timeNanos() - start;
    if (start > 0 && within >= NANOS_PER_MILLI && within <= ZERO_WITHIN_NANOS) {
      batch.group(key).add(Series.DEFAULT_FIELD, start / NANOS_PER_MILLI, 0.0);
    }
  }

  /** Writes the remaining attributes of the resource as a series of their own, to be joined. */
  @Override
  public void endOfResource() {
    boolean more = resource.keySet().stream().anyMatch(name -> !IDENTIFYING.contains(name));
    boolean known = resource.containsKey(SERVICE_NAME) || resource.containsKey(SERVICE_INSTANCE);
    if (newestOfResource > 0 && more && known && resource.size() <= ATTRIBUTES_MAX) {
      Map<String, String> others = new TreeMap<>(resource);
      others.keySet().removeAll(IDENTIFYING);
      batch
          .group(key("target_info", labels(others)))
          .add(Series.DEFAULT_FIELD, newestOfResource / NANOS_PER_MILLI, 1.0);
    }
    writeIfFull();
  }

  private void refuse(String rule, OtlpMetric metric, int count, String reason) {
    refused += count;
    intake.report(rule, count, () -> words(metric, reason));
    if (count > 0) {
      note(metric, reason);
    }
  }

  private void note(OtlpMetric metric, String reason) {
    if (reasons.size() < REASONS_MAX) {
      reasons.add(words(metric, reason));
    }
  }

  private static String words(OtlpMetric metric, String reason) {
    String name = metric.name();
    return "metric '%s' %s".formatted(name.length() > 200 ? name.substring(0, 200) : name, reason);
  }

  private void writeIfFull() {
    if (intake.isFull(batch) || batch.sampleCount() + differenceSamples >= Intake.BATCH) {
      write();
    }
  }

  /** Writes what was read since the last write and keeps the sums. */
  void write() {
    Set<CumulativeSums.Key> series =
        differences.stream().map(Difference::key).collect(Collectors.toSet());
    try (CumulativeSums.Request adding = sums.request(series)) {
      differences.forEach(difference -> difference.adding().accept(adding));
      differences.clear();
      differenceSamples = 0;
      if (!batch.isEmpty()) {
        intake.write(batch, false);
      }
      if (!metadata.isEmpty()) {
        intake.describe(metadata.values());
        metadata.clear();
      }
      adding.keep();
      waiting.letGo();
    }
  }
}
