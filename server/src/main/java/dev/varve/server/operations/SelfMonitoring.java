package dev.varve.server.operations;

import dev.varve.engine.Dataset;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.server.ingest.Intake;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot.InfoDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the server's metrics into a dataset periodically, so that a new server has something to
 * query within seconds. All values are doubles and all names use plain letters, so that they fit
 * into every layout with free tags. Histograms are reduced to count and sum.
 */
public final class SelfMonitoring implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SelfMonitoring.class);

  /** Short, so that a new server holds data ten seconds after its start. */
  private static final Duration FIRST = Duration.ofSeconds(1);

  private final ServerMetrics metrics;
  private final Dataset dataset;
  private final String instance;
  private final Duration interval;
  private final Clock clock;
  private final Thread thread;
  private boolean complained;

  /**
   * Starts the loop.
   *
   * @param instance value of the tag {@code instance} of all series
   */
  public SelfMonitoring(
      ServerMetrics metrics, Dataset dataset, String instance, Duration interval, Clock clock) {
    this.metrics = metrics;
    this.dataset = dataset;
    this.instance = plain(instance);
    this.interval = interval;
    this.clock = clock;
    this.thread = Thread.ofVirtual().name("varve-self-monitoring").start(this::run);
  }

  private void run() {
    try {
      Thread.sleep(FIRST.compareTo(interval) < 0 ? FIRST : interval);
      while (!Thread.currentThread().isInterrupted()) {
        writeOnce();
        Thread.sleep(interval);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeOnce() {
    try {
      new Intake(dataset, "self", metrics)
          .write(batch(metrics.scrape(), instance, clock.millis()), false);
    } catch (RuntimeException e) {
      complain("the server's own metrics could not be written", e);
    }
  }

  /** Logs a problem once instead of every ten seconds; counters count all of them. */
  private void complain(String message, @Nullable RuntimeException cause) {
    if (!complained) {
      complained = true;
      LOG.warn(message, cause);
    }
  }

  /** Returns the metrics as samples of one instant. */
  static Batch batch(MetricSnapshots snapshots, String instance, long millis) {
    BatchBuilder batch = new BatchBuilder();
    for (MetricSnapshot snapshot : snapshots) {
      String name = snapshot.getMetadata().getPrometheusName();
      for (DataPointSnapshot point : snapshot.getDataPoints()) {
        Tags tags = tags(point, instance);
        switch (point) {
          case CounterDataPointSnapshot counter ->
              add(batch, name + "_total", tags, millis, counter.getValue());
          case GaugeDataPointSnapshot gauge -> add(batch, name, tags, millis, gauge.getValue());
          case HistogramDataPointSnapshot histogram -> {
            add(batch, name + "_count", tags, millis, (double) histogram.getCount());
            add(batch, name + "_sum", tags, millis, histogram.getSum());
          }
          case InfoDataPointSnapshot _ -> add(batch, name + "_info", tags, millis, 1);
          default -> throw new IllegalStateException("the server has no metric like " + name);
        }
      }
    }
    return batch.build();
  }

  private static void add(BatchBuilder batch, String name, Tags tags, long millis, double value) {
    if (Double.isFinite(value)) {
      batch.group(GroupKey.of(name, tags)).add(Series.DEFAULT_FIELD, millis, value);
    }
  }

  private static Tags tags(DataPointSnapshot point, String instance) {
    Map<String, String> tags = new TreeMap<>();
    point.getLabels().forEach(label -> tags.put(label.getName(), plain(label.getValue())));
    tags.put("instance", instance);
    return Tags.of(tags);
  }

  /**
   * Replaces everything but letters, digits and {@code - _ . /}, which every layout accepts in any
   * non-zero number.
   */
  static String plain(String text) {
    String plain = text.replaceAll("[^a-zA-Z0-9_./-]", "_");
    return plain.isEmpty() ? "none" : plain;
  }

  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(Duration.ofSeconds(5));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
