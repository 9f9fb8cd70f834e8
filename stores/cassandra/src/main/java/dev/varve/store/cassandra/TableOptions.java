package dev.varve.store.cassandra;

import dev.varve.store.Upkeep;
import java.time.Duration;

/** Derives the options of a new table from its upkeep. */
final class TableOptions {
  /** The longest TTL that Cassandra accepts: 20 years. */
  private static final long TTL_MAX_SECONDS = 630_720_000;

  /**
   * Number of compaction windows per retention: enough for whole files to be dropped, and few
   * enough to read.
   */
  private static final int WINDOWS = 25;

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private TableOptions() {}

  static String of(Upkeep upkeep, CassandraOptions options) {
    String compression = options.tableCompression();
    // Cells whose TTL would be too long from the start are kept forever.
    long life = TimeToLive.of(timeToLive(upkeep)).seconds();
    return "gc_grace_seconds = %d AND default_time_to_live = %d AND compression = {%s} AND compaction = {%s}"
        .formatted(
            options.gcGrace().toSeconds(),
            life,
            compression == null ? "'enabled': false" : "'class': '" + compression + "'",
            compaction(upkeep));
  }

  /** Returns seconds; 0 for forever. */
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

  /** Returns time windows if cells expire, and size tiers if they are kept forever. */
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
