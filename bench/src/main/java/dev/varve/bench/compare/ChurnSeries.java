package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * 10,000 pods that come and go within ten hours. Each lives for 30 scrapes of 30 seconds and has 20
 * series, so 5,000 series of 200,000 are alive at any time.
 */
final class ChurnSeries implements DataSet {
  private static final long STEP = 30 * SECOND;
  private static final int PODS = 10_000;
  private static final int LIFE = 30;

  /** Scrapes from the start of the first pod to that of the last. */
  private static final int STARTS = 1_170;

  /** Letters of names that Kubernetes makes: no vowels. */
  private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";

  private static final List<String> METRICS =
      List.of(
          "container_cpu_usage_seconds_total",
          "container_cpu_user_seconds_total",
          "container_cpu_system_seconds_total",
          "container_cpu_cfs_periods_total",
          "container_cpu_cfs_throttled_periods_total",
          "container_cpu_cfs_throttled_seconds_total",
          "container_network_receive_bytes_total",
          "container_network_receive_packets_total",
          "container_network_transmit_bytes_total",
          "container_network_transmit_packets_total",
          "container_fs_reads_bytes_total",
          "container_fs_writes_bytes_total",
          "container_memory_usage_bytes",
          "container_memory_working_set_bytes",
          "container_memory_rss",
          "container_memory_cache",
          "container_memory_failcnt",
          "container_threads",
          "container_spec_memory_limit_bytes",
          "container_start_time_seconds");

  private final List<Entity> entities = new ArrayList<>();
  private final int pods;

  ChurnSeries(double scale) {
    pods = DataSet.scaled(PODS, scale);
    SplittableRandom random = new SplittableRandom(5);
    for (int pod = 0; pod < pods; pod++) {
      TreeMap<String, String> tags = new TreeMap<>();
      String app = "app-" + random.nextInt(80);
      tags.put("namespace", "team-" + random.nextInt(12));
      tags.put("pod", app + "-" + letters(random, 9) + "-" + letters(random, 5));
      tags.put("container", app);
      tags.put("node", "ip-10-0-%d-%d.internal".formatted(random.nextInt(4), random.nextInt(250)));
      tags.put("job", "kubelet");
      for (String metric : METRICS) {
        entities.add(new Entity(metric, tags, Entity.VALUE, false));
      }
    }
  }

  private static String letters(SplittableRandom random, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return text.toString();
  }

  @Override
  public String name() {
    return "churn";
  }

  @Override
  public List<Entity> entities() {
    return entities;
  }

  @Override
  public long end() {
    return START + (STARTS + LIFE) * STEP;
  }

  private int firstStep(int pod) {
    return (int) ((long) pod * STARTS / pods);
  }

  @Override
  public void stream(int stream, Rows rows) {
    SplittableRandom random = new SplittableRandom(stream);
    Map<Integer, double[]> states = new HashMap<>();
    double[] value = new double[1];
    int oldest = stream;
    for (int step = 0; step < STARTS + LIFE; step++) {
      while (oldest < pods && firstStep(oldest) + LIFE <= step) {
        states.remove(oldest);
        oldest += STREAMS;
      }
      for (int pod = oldest; pod < pods && firstStep(pod) <= step; pod += STREAMS) {
        double[] state = states.computeIfAbsent(pod, _ -> new double[METRICS.size()]);
        long time = START + step * STEP + pod * 7_919L % STEP + random.nextInt(10);
        scrape(state, random, START + firstStep(pod) * STEP);
        for (int metric = 0; metric < METRICS.size(); metric++) {
          value[0] = state[metric];
          rows.row(pod * METRICS.size() + metric, time, value);
        }
      }
    }
  }

  private static void scrape(double[] state, SplittableRandom random, long started) {
    for (int metric = 0; metric < state.length; metric++) {
      state[metric] =
          switch (METRICS.get(metric)) {
            // Nanoseconds as seconds.
            case "container_cpu_usage_seconds_total",
                "container_cpu_user_seconds_total",
                "container_cpu_system_seconds_total" ->
                Math.rint(state[metric] * 1e9 + random.nextInt(1_000_000_000)) / 1e9;
            case "container_cpu_cfs_periods_total" -> state[metric] + 300;
            case "container_cpu_cfs_throttled_periods_total" -> state[metric] + random.nextInt(9);
            case "container_cpu_cfs_throttled_seconds_total" ->
                Math.rint(state[metric] * 1e6 + random.nextInt(900_000)) / 1e6;
            case "container_memory_failcnt" -> 0;
            case "container_threads" -> 12 + random.nextInt(3);
            case "container_spec_memory_limit_bytes" -> 1L << 29;
            case "container_start_time_seconds" -> started / 1e3;
            case String name when name.startsWith("container_memory") ->
                Math.max(1, state[metric] / 4_096 + random.nextInt(-200, 400)) * 4_096;
            case String name when name.startsWith("container_fs") ->
                state[metric] + random.nextInt(40) * 4_096;
            case String _ -> state[metric] + random.nextInt(200_000);
          };
    }
  }
}
