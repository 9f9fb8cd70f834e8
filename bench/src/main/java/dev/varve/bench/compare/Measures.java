package dev.varve.bench.compare;

import java.util.List;

/** What is measured, in the words of the tables. */
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

  /** The columns of the table of writing. */
  static final List<String> WRITING =
      List.of(
          RATE, CPU_ACKED, CPU_SETTLED, PEAK_RSS, DISK_RUNNING, DISK_REST, DISK_STOPPED,
          DISK_RESTARTED, WRITTEN, ACK_MEDIAN, ACK_P99, ACK_MAX, REPEATED, LOST, STOP, START);

  private Measures() {}
}
