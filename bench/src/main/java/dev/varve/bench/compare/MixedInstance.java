package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * The hundred series of a monitored instance: 28 of two histograms, 24 counters, 22 gauges of few
 * digits, 15 constants, and 11 doubles of many digits. Counters restart at 0 about every six hours.
 */
final class MixedInstance {
  static final int SERIES = 100;
  static final List<String> BOUNDS =
      List.of(
          "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "+Inf");

  private static final int ONE_RESTART_OF = 1_440;
  private static final List<String> HANDLERS = List.of("/api/orders", "/api/search");

  private final SplittableRandom random;
  private final double[] state = new double[SERIES];
  private int at;

  MixedInstance(SplittableRandom random) {
    this.random = random;
  }

  /** Returns the series in the order of {@link #scrape}. */
  static List<Entity> entities(int instance) {
    List<Entity> all = new ArrayList<>();
    for (String handler : HANDLERS) {
      for (String bound : BOUNDS) {
        all.add(
            entity(
                instance, "http_request_duration_seconds_bucket", "handler", handler, "le", bound));
      }
      all.add(entity(instance, "http_request_duration_seconds_count", "handler", handler));
      all.add(entity(instance, "http_request_duration_seconds_sum", "handler", handler));
    }
    for (int cpu = 0; cpu < 4; cpu++) {
      for (String mode : List.of("user", "system", "idle", "iowait")) {
        all.add(entity(instance, "node_cpu_seconds_total", "cpu", "" + cpu, "mode", mode));
      }
    }
    for (String device : List.of("eth0", "eth1")) {
      all.add(entity(instance, "node_network_receive_bytes_total", "device", device));
      all.add(entity(instance, "node_network_transmit_bytes_total", "device", device));
    }
    for (String code : List.of("200", "302", "404", "500")) {
      all.add(entity(instance, "http_requests_total", "code", code));
    }
    for (String area :
        List.of("free", "cached", "buffers", "active", "heap", "stack", "slab", "dirty")) {
      all.add(entity(instance, "node_memory_bytes", "area", area));
    }
    for (String minutes : List.of("1", "5", "15")) {
      all.add(entity(instance, "node_load", "minutes", minutes));
    }
    for (int sensor = 0; sensor < 6; sensor++) {
      all.add(entity(instance, "node_temperature_celsius", "sensor", "temp" + sensor));
    }
    for (int queue = 0; queue < 5; queue++) {
      all.add(entity(instance, "queue_depth", "queue", "q" + queue));
    }
    for (int constant = 0; constant < 15; constant++) {
      all.add(entity(instance, "limit_bytes", "resource", "r" + constant));
    }
    for (int channel = 0; channel < 4; channel++) {
      all.add(entity(instance, "signal_level", "channel", "" + channel));
    }
    for (int cache = 0; cache < 5; cache++) {
      all.add(entity(instance, "cache_hit_ratio", "cache", "c" + cache));
    }
    for (int task = 0; task < 2; task++) {
      all.add(entity(instance, "task_seconds_sum", "task", "t" + task));
    }
    return all;
  }

  private static Entity entity(int instance, String metric, String... labels) {
    TreeMap<String, String> tags = new TreeMap<>();
    tags.put("instance", "10.0.%d.%d:9100".formatted(instance / 250, instance % 250));
    tags.put("job", "node");
    tags.put("cluster", "eu-1");
    for (int i = 0; i < labels.length; i += 2) {
      tags.put(labels[i], labels[i + 1]);
    }
    return new Entity(metric, tags, Entity.VALUE, false);
  }

  /** Makes the next value of each series. */
  void scrape(double[] values) {
    at = 0;
    if (random.nextInt(ONE_RESTART_OF) == 0) {
      Arrays.fill(state, 0);
    }
    for (int handler = 0; handler < HANDLERS.size(); handler++) {
      histogram(random.nextInt(40), values);
    }
    for (int cpu = 0; cpu < 4; cpu++) {
      // Hundredths of seconds: how the kernel counts.
      double user = random.nextInt(600);
      double system = random.nextInt(200);
      double waiting = random.nextInt(50);
      grow(user, 100, values);
      grow(system, 100, values);
      grow(1_500 - user - system - waiting, 100, values);
      grow(waiting, 100, values);
    }
    for (int counter = 0; counter < 4; counter++) {
      grow(random.nextInt(3_000_000), 1, values);
    }
    for (int code = 0; code < 4; code++) {
      grow(random.nextInt(1 + (60 >> (2 * code))), 1, values);
    }
    for (int area = 0; area < 8; area++) {
      walk(500_000, random.nextInt(-300, 301), 4_096, 1, values);
    }
    for (int load = 0; load < 3; load++) {
      walk(180, random.nextInt(-9 >> load, 10 >> load), 1, 100, values);
    }
    for (int sensor = 0; sensor < 6; sensor++) {
      walk(450, random.nextInt(-3, 4), 1, 10, values);
    }
    for (int queue = 0; queue < 5; queue++) {
      values[at++] = random.nextInt(4) == 0 ? random.nextInt(50) : 0;
    }
    for (int constant = 0; constant < 15; constant++) {
      values[at++] = (double) (constant + 1) * (1 << 28);
    }
    for (int channel = 0; channel < 4; channel++) {
      values[at++] = random.nextDouble();
    }
    for (int cache = 0; cache < 5; cache++) {
      int asked = 100 + random.nextInt(900);
      values[at++] = random.nextInt(asked) / (double) asked;
    }
    for (int task = 0; task < 2; task++) {
      state[at] += random.nextDouble();
      values[at] = state[at];
      at++;
    }
  }

  /** Adds requests to the buckets, the number and the sum of a histogram. */
  private void histogram(int requests, double[] values) {
    int bounds = BOUNDS.size();
    int count = at + bounds;
    int sum = count + 1;
    for (int request = 0; request < requests; request++) {
      double seconds = 0.02 * Math.exp(random.nextGaussian() * 1.3);
      for (int bound = 0; bound < bounds; bound++) {
        if (bound == bounds - 1 || seconds <= Double.parseDouble(BOUNDS.get(bound))) {
          state[at + bound]++;
        }
      }
      state[count]++;
      state[sum] += seconds;
    }
    System.arraycopy(state, at, values, at, bounds + 2);
    at += bounds + 2;
  }

  /** Makes the next value of a counter. */
  private void grow(double by, double divisor, double[] values) {
    state[at] += by;
    values[at] = state[at] / divisor;
    at++;
  }

  /** Makes the next value of a gauge that starts at {@code from}. */
  private void walk(int from, int by, int factor, int divisor, double[] values) {
    state[at] = Math.max(1, (state[at] == 0 ? from : state[at]) + by);
    values[at] = state[at] * factor / divisor;
    at++;
  }
}
