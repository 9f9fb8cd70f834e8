package dev.varve.bench;

import dev.varve.engine.Dataset;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * 4,000 series of monitored servers, one sample every ten seconds for six hours: 3,000 counters of
 * processor time, and 1,000 buckets of 100 histograms.
 */
final class MonitoringSeries {
  /** Time between two samples, in ms. */
  static final long STEP = 10_000;

  /** Number of samples of each series. */
  static final int SAMPLES = 2_160;

  /** One step after the last sample, in ms since 1970. */
  static final long END = 1_750_010_400_000L;

  static final long START = END - SAMPLES * STEP;

  private static final List<String> BOUNDS =
      List.of("0.005", "0.01", "0.05", "0.1", "0.5", "1", "5", "10", "60", "+Inf");

  private final List<Map<String, String>> labels = new ArrayList<>();
  private final double[] last;
  private final int[] rates;
  private final SplittableRandom random = new SplittableRandom(4);

  /** Creates the first {@code count} of the 4,000 series. */
  MonitoringSeries(int count) {
    for (int instance = 0; instance < 150; instance++) {
      for (int cpu = 0; cpu < 10; cpu++) {
        for (String mode : List.of("user", "system")) {
          labels.add(
              Map.of(
                  "__name__",
                  "cpu_seconds_total",
                  "instance",
                  "web-" + instance,
                  "cpu",
                  Integer.toString(cpu),
                  "mode",
                  mode,
                  "job",
                  "node"));
        }
      }
    }
    for (int instance = 0; instance < 100; instance++) {
      for (String bound : BOUNDS) {
        labels.add(
            Map.of(
                "__name__",
                "latency_seconds_bucket",
                "instance",
                "web-" + instance,
                "le",
                bound,
                "job",
                "web"));
      }
    }
    labels.subList(Math.min(count, labels.size()), labels.size()).clear();
    last = new double[labels.size()];
    rates = new int[labels.size()];
    for (int i = 0; i < rates.length; i++) {
      String bound = labels.get(i).get("le");
      rates[i] = bound == null ? 1 + random.nextInt(100) : 10 * (1 + BOUNDS.indexOf(bound));
    }
  }

  int count() {
    return labels.size();
  }

  Map<String, String> labels(int series) {
    return labels.get(series);
  }

  GroupKey key(int series) {
    Map<String, String> tags = new TreeMap<>(labels.get(series));
    return new GroupKey(String.valueOf(tags.remove("__name__")), Tags.of(tags), Tags.EMPTY);
  }

  /** Writes all samples, one batch for each series. */
  void write(Dataset dataset) {
    for (int i = 0; i < count(); i++) {
      BatchBuilder batch = new BatchBuilder();
      BatchBuilder.GroupBuilder group = batch.group(key(i));
      for (int sample = 0; sample < SAMPLES; sample++) {
        group.add("value", START + sample * STEP, next(i));
      }
      if (dataset.write(batch.build()).refused() > 0) {
        throw new IllegalStateException("samples were refused");
      }
    }
  }

  /**
   * Returns the next value of a series. The series are counters with integer steps that are
   * sometimes reset to 0.
   */
  double next(int series) {
    boolean bucket = labels.get(series).containsKey("le");
    last[series] =
        !bucket && random.nextInt(20_000) == 0
            ? 0
            : last[series] + (bucket ? rates[series] : random.nextInt(rates[series]));
    return last[series];
  }
}
