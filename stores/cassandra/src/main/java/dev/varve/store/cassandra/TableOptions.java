package dev.varve.store.cassandra;

import dev.varve.store.Upkeep;
import java.time.Duration;

/** The options with which a table is made, from what the store may do for it. */
final class TableOptions {
  /** Cassandra takes no longer life: 20 years. */
  private static final long TTL_MAX_SECONDS = 630_720_000;

  /** As many windows over the retention: files enough to be dropped whole, few enough to read. */
  private static final int WINDOWS = 25;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private TableOptions() {}

  static String of(Upkeep upkeep, CassandraOptions options) {
    String compression = options.tableCompression();
    // Cells that could not end by their TTL from the start are kept for ever.
    long life = TimeToLive.of(timeToLive(upkeep)).seconds();
    return "gc_grace_seconds = %d AND default_time_to_live = %d AND compression = {%s} AND compaction = {%s}"
        .formatted(
            options.gcGrace().toSeconds(),
            life,
            compression == null ? "'enabled': false" : "'class': '" + compression + "'",
            compaction(upkeep));
  }

  /** Seconds, 0 for ever. */
  static long timeToLive(Upkeep upkeep) {
    Duration retention = upkeep.retention();
    if (retention == null) {
      return 0;
    }
    if (retention.compareTo(Duration.ofSeconds(TTL_MAX_SECONDS)) > 0) {
      return 0;
    }
    return Math.max(1, retention.plusNanos(999_999_999).toSeconds());
  }

  /** Windows of time where cells end by their time; the usual way for cells kept for ever. */
  static String compaction(Upkeep upkeep) {
    Duration retention = upkeep.retention();
    if (retention == null || TimeToLive.of(timeToLive(upkeep)).seconds() == 0) {
      return "'class': 'SizeTieredCompactionStrategy'";
    }
    Duration bucket = upkeep.bucket();
    Duration window = retention.dividedBy(WINDOWS);
    if (bucket != null && bucket.compareTo(window) > 0) {
      window = bucket;
    }
    if (window.compareTo(Duration.ofDays(1)) >= 0) {
      return windows(up(window, Duration.ofDays(1)), "DAYS");
    }
    return window.compareTo(Duration.ofHours(1)) >= 0
        ? windows(up(window, Duration.ofHours(1)), "HOURS")
        : windows(up(window, MINUTE), "MINUTES");
  }

  private static long up(Duration length, Duration unit) {
    return Math.max(1, length.plus(unit).minusNanos(1).dividedBy(unit));
  }

  private static String windows(long size, String unit) {
    return "'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': '%s', 'compaction_window_size': %d"
        .formatted(unit, size);
  }
}
