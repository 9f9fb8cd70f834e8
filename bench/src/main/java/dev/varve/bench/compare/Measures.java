package dev.varve.bench.compare;

import java.util.List;

/** The measured quantities, as the tables name them. */
final class Measures {
  static final String RATE = "samples/s";
  static final String CPU_ACKED = "CPU s/M, last ack";
  static final String CPU_SETTLED = "CPU s/M, settled";
  static final String PEAK_RSS = "peak RSS, MB";
  static final String DISK_RUNNING = "bytes/sample, settled";
  static final String DISK_REST = "bytes/sample, at rest";
  static final String DISK_STOPPED = "bytes/sample, stopped";
  static final String DISK_RESTARTED = "bytes/sample, restarted";
  static final String WRITTEN = "written, bytes/sample";
  static final String ACK_MEDIAN = "ack p50, ms";
  static final String ACK_P99 = "ack p99, ms";
  static final String ACK_MAX = "ack max, ms";
  static final String REPEATED = "refused requests";
  static final String LOST = "samples lost";
  static final String STOP = "stop, s";
  static final String START = "start, s";

  static final String HALF_MEDIAN = "half load: ack p50, ms";
  static final String HALF_P99 = "half load: ack p99, ms";
  static final String HALF_MAX = "half load: ack max, ms";

  static final String QUERY_RSS = "peak RSS while asking, MB";
  static final String MEDIAN = "median, ms";
  static final String P95 = "p95, ms";
  static final String QUERY_CPU = "CPU, ms";
  static final String WARMING_CPU = "CPU while warming up, ms";
  static final String ANSWER = "answer, kB";

  /** The rows of the table of writing. */
  static final List<String> WRITING =
      List.of(
          RATE,
          CPU_ACKED,
          CPU_SETTLED,
          PEAK_RSS,
          DISK_RUNNING,
          DISK_REST,
          DISK_STOPPED,
          DISK_RESTARTED,
          WRITTEN,
          ACK_MEDIAN,
          ACK_P99,
          ACK_MAX,
          REPEATED,
          LOST,
          STOP,
          START,
          HALF_MEDIAN,
          HALF_P99,
          HALF_MAX);

  static final List<String> ASKING =
      List.of(QUERY_CPU, MEDIAN, P95, WARMING_CPU, ANSWER, QUERY_RSS);

  /** Quantities for which a ratio is meaningful. */
  static final List<String> COMPARED =
      List.of(
          RATE,
          CPU_ACKED,
          CPU_SETTLED,
          PEAK_RSS,
          DISK_RUNNING,
          DISK_REST,
          WRITTEN,
          ACK_MEDIAN,
          ACK_P99,
          HALF_MEDIAN,
          HALF_P99,
          QUERY_RSS,
          QUERY_CPU,
          WARMING_CPU,
          MEDIAN,
          P95);

  private Measures() {}
}
