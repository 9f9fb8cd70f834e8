package dev.varve.bench.originals;

import java.util.Locale;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The data: one metric of hosts with four processors each, a sample of each series every minute.
 * Twenty-four of twenty-five hosts are in data center {@code east}. The data begin one day after a
 * row of KairosDB does, so that each series has one row there as long as it has at most 20 days.
 *
 * @param series number of series, a multiple of 4
 * @param samples number of samples of each series
 */
record Fleet(int series, int samples) {
  static final String METRIC = "cpu.usage";
  private static final int PROCESSORS = 4;
  private static final long STEP = 60_000;
  private static final long ROW = 1_814_400_000L;

  /** Time of the first sample, in 2025, in ms since 1970. */
  private static final long FROM = 1_747_000_000_000L / ROW * ROW + 86_400_000L;

  /** The hosts of a question about some series. */
  private static final int SOME_HOSTS = 20;

  Fleet {
    if (series % PROCESSORS != 0) {
      throw new IllegalArgumentException("series=%d is not a multiple of 4".formatted(series));
    }
  }

  long from() {
    return FROM;
  }

  /** Returns the time of the last sample. */
  long last() {
    return FROM + (samples - 1L) * STEP;
  }

  static long time(int sample) {
    return FROM + sample * STEP;
  }

  int hosts() {
    return series / PROCESSORS;
  }

  int hostsInEast() {
    return hosts() * 24 / 25;
  }

  private static String host(int number) {
    return "host-%04d".formatted(number);
  }

  /** Returns the hosts of a question about some series, each in double quotes. */
  String someHosts(String separator, String quote) {
    return IntStream.range(0, Math.min(SOME_HOSTS, hosts()))
        .mapToObj(host -> quote + host(host * hosts() / Math.min(SOME_HOSTS, hosts())) + quote)
        .collect(Collectors.joining(separator));
  }

  int someSeries() {
    return Math.min(SOME_HOSTS, hosts()) * PROCESSORS;
  }

  int seriesInEast() {
    return hostsInEast() * PROCESSORS;
  }

  /** Calls with the tags of each series, as a JSON object, and its values. */
  void each(BiConsumer<String, double[]> to) {
    Random random = new Random(18);
    for (int host = 0; host < hosts(); host++) {
      for (int processor = 0; processor < PROCESSORS; processor++) {
        double[] values = new double[samples];
        double value = 20 + random.nextInt(40);
        for (int i = 0; i < samples; i++) {
          value = Math.clamp(value + random.nextGaussian(), 0, 100);
          values[i] = Math.round(value * 100) / 100.0;
        }
        to.accept(
            "{\"host\":\"%s\",\"cpu\":\"%d\",\"dc\":\"%s\"}"
                .formatted(host(host), processor, host < hostsInEast() ? "east" : "west"),
            values);
      }
    }
  }

  static String text(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
