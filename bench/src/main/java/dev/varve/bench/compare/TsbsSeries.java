package dev.varve.bench.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * The set cpu-only of the Time Series Benchmark Suite's use case DevOps: 500 hosts with ten tags
 * send ten integers every ten seconds for 24 hours. A value walks at random with normal steps
 * between 0 and 100.
 *
 * <p>In the late variant a tenth of the rows arrives up to 24 hours after the others of its time.
 */
final class TsbsSeries implements DataSet {
  static final long STEP = 10 * SECOND;
  static final int HOSTS = 500;
  static final List<String> FIELDS =
      List.of(
          "usage_user",
          "usage_system",
          "usage_idle",
          "usage_nice",
          "usage_iowait",
          "usage_irq",
          "usage_softirq",
          "usage_steal",
          "usage_guest",
          "usage_guest_nice");

  private static final int STEPS = 8_640;
  private static final List<String> REGIONS =
      List.of(
          "us-east-1",
          "us-west-1",
          "us-west-2",
          "eu-west-1",
          "eu-central-1",
          "ap-southeast-1",
          "ap-southeast-2",
          "ap-northeast-1",
          "sa-east-1");
  private static final List<String> SYSTEMS =
      List.of("Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10");
  private static final List<String> TEAMS = List.of("SF", "NYC", "LON", "CHI");
  private static final List<String> ENVIRONMENTS = List.of("production", "staging", "test");

  private final String name;
  private final boolean late;
  private final List<Entity> entities = new ArrayList<>();

  TsbsSeries(String name, double scale, boolean late) {
    this.name = name;
    this.late = late;
    SplittableRandom random = new SplittableRandom(123);
    for (int host = 0; host < DataSet.scaled(HOSTS, scale); host++) {
      entities.add(host(host, random));
    }
  }

  private static Entity host(int number, SplittableRandom random) {
    TreeMap<String, String> tags = new TreeMap<>();
    String region = one(REGIONS, random);
    tags.put("hostname", "host_" + number);
    tags.put("region", region);
    tags.put("datacenter", region + (char) ('a' + random.nextInt(3)));
    tags.put("rack", Integer.toString(random.nextInt(100)));
    tags.put("os", one(SYSTEMS, random));
    tags.put("arch", random.nextBoolean() ? "x64" : "x86");
    tags.put("team", one(TEAMS, random));
    tags.put("service", Integer.toString(random.nextInt(20)));
    tags.put("service_version", Integer.toString(random.nextInt(2)));
    tags.put("service_environment", one(ENVIRONMENTS, random));
    return new Entity("cpu", tags, FIELDS, true);
  }

  private static String one(List<String> choices, SplittableRandom random) {
    return choices.get(random.nextInt(choices.size()));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public List<Entity> entities() {
    return entities;
  }

  @Override
  public long end() {
    return START + STEPS * STEP;
  }

  @Override
  public void stream(int stream, Rows rows) {
    if (late) {
      lateRows(stream, rows);
    } else {
      rows(stream, rows);
    }
  }

  private void rows(int stream, Rows rows) {
    int hosts = entities.size();
    SplittableRandom random = new SplittableRandom(stream);
    double[][] states = new double[hosts][FIELDS.size()];
    for (double[] state : states) {
      Arrays.setAll(state, field -> random.nextDouble() * 100);
    }
    double[] values = new double[FIELDS.size()];
    for (int step = 0; step < STEPS; step++) {
      for (int host = stream; host < hosts; host += STREAMS) {
        double[] state = states[host];
        for (int field = 0; field < values.length; field++) {
          state[field] = Math.clamp(state[field] + random.nextGaussian(), 0, 100);
          values[field] = (long) state[field];
        }
        rows.row(host, START + step * STEP, values);
      }
    }
  }

  /** A row that waits for its time of arrival. */
  private record Waiting(long arrival, int host, long time, double[] values) {}

  private void lateRows(int stream, Rows rows) {
    SplittableRandom random = new SplittableRandom(1_000 + stream);
    PriorityQueue<Waiting> waiting =
        new PriorityQueue<>(
            Comparator.comparingLong(Waiting::arrival)
                .thenComparingLong(Waiting::time)
                .thenComparingInt(Waiting::host));
    rows(
        stream,
        (host, time, values) -> {
          deliver(waiting, time, rows);
          if (random.nextInt(10) == 0) {
            long arrival = time + random.nextLong(24 * HOUR);
            waiting.add(new Waiting(arrival, host, time, values.clone()));
          } else {
            rows.row(host, time, values);
          }
        });
    deliver(waiting, Long.MAX_VALUE, rows);
  }

  private static void deliver(PriorityQueue<Waiting> waiting, long now, Rows rows) {
    for (Waiting row = waiting.peek(); row != null && row.arrival() < now; row = waiting.peek()) {
      waiting.remove();
      rows.row(row.host(), row.time(), row.values());
    }
  }
}
