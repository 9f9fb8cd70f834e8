package dev.varve.query.promql.eval;

import dev.varve.model.StaleMarker;
import dev.varve.query.promql.QueryGenerator.Label;
import dev.varve.query.promql.QueryGenerator.Vocabulary;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;

/**
 * Pseudo-random series of the kinds that servers write: counters with resets, gauges, intact and
 * broken classic histograms, information with changing labels, times, and values at the limits of a
 * double; with gaps, jitter, staleness markers, NaN and infinities.
 */
final class RandomSeries {
  /** Start of the series, in ms since 1970; fixed, so that the seed determines everything. */
  static final long START = 1_750_000_020_000L;

  static final long END = START + 3 * 3_600_000L;

  static final Vocabulary VOCABULARY =
      new Vocabulary(
          List.of(
              "requests_total",
              "requests_total",
              "temperature",
              "temperature",
              "queue",
              "ratio",
              "weird",
              "boot_time_seconds",
              "build_info",
              "latency_bucket",
              "latency_sum",
              "latency_count",
              "broken_bucket",
              "disk.free bytes",
              "lonely",
              "nothing"),
          List.of("latency_bucket", "latency_bucket", "latency_bucket", "broken_bucket"),
          List.of(
              new Label("job", List.of("api", "db", ""), List.of(".+", "a.*", "api|db", "(.)(.*)")),
              new Label("instance", List.of("0", "1", "2"), List.of(".+", "0|1", "[12]", "(.*)")),
              new Label("code", List.of("200", "500", ""), List.of(".+", "2..", "(.)0+", "")),
              new Label("le", List.of("0.5", "+Inf", ""), List.of(".+", "0.*", "1|2.5|\\+Inf")),
              new Label("mount.point", List.of("/", "/data é", ""), List.of(".+", "/.*"))),
          List.of("x", "job", "mount.point", "$1", "a-$1", "${2}$1", "", "é b"),
          1_000,
          20 * 60_000,
          START,
          END);

  private static final long STALE = StaleMarker.BITS;
  private static final List<Double> WEIRD =
      List.of(
          0.0,
          -0.0,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY,
          1e308,
          -1e308,
          Double.MIN_VALUE,
          9007199254740992.0,
          1e-300,
          -3.5);

  /**
   * A series.
   *
   * @param labels the labels, including the name
   * @param times in ms since 1970, ascending
   */
  record Made(Map<String, String> labels, List<Long> times, List<Double> values) {
    private void add(long time, double value) {
      times.add(time);
      values.add(value);
    }
  }

  private final Random random;
  private final List<Made> all = new ArrayList<>();

  private RandomSeries(long seed) {
    this.random = new Random(seed);
  }

  static List<Made> of(long seed) {
    RandomSeries series = new RandomSeries(seed);
    series.make();
    return series.all;
  }

  private void make() {
    for (String job : List.of("api", "db")) {
      for (int i = 0; i < 3; i++) {
        Map<String, String> target = Map.of("job", job, "instance", Integer.toString(i));
        for (String code : List.of("200", "500")) {
          double rate = 1 + random.nextInt(8);
          walk(
              labels("requests_total", target, "code", code),
              0,
              last -> random.nextInt(60) == 0 ? 0 : last + rate * random.nextInt(5));
        }
        walk(labels("temperature", target), 20, last -> last + random.nextInt(-16, 17) / 8.0);
        walk(labels("queue", target), 0, last -> random.nextInt(-3, 8));
        walk(labels("ratio", target), 0, last -> random.nextInt(-80, 81) / 64.0);
        walk(
            labels("boot_time_seconds", target),
            0,
            last -> random.nextInt(20) > 0 ? last : random.nextLong(-1_000_000_000L, 1L << 33));
        churn(target);
      }
      for (int i = 0; i < 2; i++) {
        Map<String, String> target = Map.of("job", job, "instance", Integer.toString(i));
        walk(
            labels("weird", target),
            0,
            last -> random.nextInt(3) == 0 ? last : WEIRD.get(random.nextInt(WEIRD.size())));
      }
      histogram("latency", job, List.of("0.1", "0.5", "1", "2.5", "+Inf"), 0);
      histogram("broken", job, List.of("0.5", "1", "many", job.equals("db") ? "+Inf" : "7"), 3);
      for (String place : List.of("/", "/data é")) {
        walk(
            labels("disk.free bytes", Map.of("job", job), "mount.point", place),
            1 << 30,
            last -> last - random.nextInt(-2, 4) * 4096);
      }
    }
    walk(labels("lonely", Map.of("job", "cron")), 7, last -> last);
  }

  private static Map<String, String> labels(
      String name, Map<String, String> target, String... more) {
    Map<String, String> labels = new TreeMap<>(target);
    labels.put("__name__", name);
    for (int i = 0; i < more.length; i += 2) {
      labels.put(more[i], more[i + 1]);
    }
    return labels;
  }

  private void walk(Map<String, String> labels, double first, DoubleUnaryOperator next) {
    Made made = new Made(labels, new ArrayList<>(), new ArrayList<>());
    long interval = random.nextInt(4) == 0 ? 60_000 : 15_000;
    int jitter = random.nextBoolean() ? 0 : 400;
    double value = first;
    for (long time = START + random.nextInt(15_000); time < END; time += interval) {
      value = next.applyAsDouble(value);
      long at = jitter == 0 ? time : time + random.nextInt(jitter);
      if (random.nextInt(90) == 0) {
        made.add(at, Double.longBitsToDouble(STALE));
        time += random.nextInt(20) * interval;
      } else if (random.nextInt(90) == 0) {
        time += random.nextInt(50) * interval;
      } else {
        made.add(at, random.nextInt(150) == 0 ? Double.NaN : value);
      }
    }
    all.add(made);
  }

  /** Adds a series whose label changes from time to time, as after an upgrade. */
  private void churn(Map<String, String> target) {
    long time = START;
    for (int version = 1; time < END; version++) {
      Made made =
          new Made(
              labels("build_info", target, "version", "v" + version),
              new ArrayList<>(),
              new ArrayList<>());
      long end = time + random.nextInt(30, 200) * 15_000L;
      for (; time < Math.min(end, END); time += 15_000) {
        made.add(time, 1);
      }
      if (time < END && random.nextBoolean()) {
        made.add(time - 7_000, Double.longBitsToDouble(STALE));
      }
      all.add(made);
    }
  }

  /**
   * Adds a classic histogram.
   *
   * @param noise how far a bucket may fall below the next lower one
   */
  private void histogram(String name, String job, List<String> bounds, int noise) {
    List<Made> buckets = new ArrayList<>();
    for (String bound : bounds) {
      buckets.add(
          new Made(
              labels(name + "_bucket", Map.of("job", job), "le", bound),
              new ArrayList<>(),
              new ArrayList<>()));
    }
    Made sum =
        new Made(labels(name + "_sum", Map.of("job", job)), new ArrayList<>(), new ArrayList<>());
    Made count =
        new Made(labels(name + "_count", Map.of("job", job)), new ArrayList<>(), new ArrayList<>());
    double[] counts = new double[bounds.size()];
    double total = 0;
    for (long time = START + 5_000; time < END; time += 15_000) {
      if (random.nextInt(200) == 0) {
        counts = new double[bounds.size()];
        total = 0;
      }
      double below = 0;
      for (int i = 0; i < counts.length; i++) {
        below += random.nextInt(4);
        counts[i] += below;
        total += below / 4;
        buckets.get(i).add(time, counts[i] - (noise == 0 ? 0 : random.nextInt(noise)));
      }
      sum.add(time, total);
      count.add(time, counts[counts.length - 1]);
    }
    all.addAll(buckets);
    all.add(sum);
    all.add(count);
  }
}
