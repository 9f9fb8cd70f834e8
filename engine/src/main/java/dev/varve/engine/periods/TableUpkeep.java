package dev.varve.engine.periods;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.RowShape;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Upkeep;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a store may do for the table of samples of a layout. Other tables are kept as they are. */
public final class TableUpkeep {
  /**
   * How far ahead of the clock samples are taken where a store may remove cells by the time of
   * their writing.
   */
  public static final Duration AHEAD = Duration.ofDays(1);

  /** A store that is split into more parts from the start has more of them than it has machines. */
  private static final int SPLITS_MAX = 63;

  private TableUpkeep() {}

  /**
   * The upkeep of a table of samples.
   *
   * @param retention how long the dataset keeps samples by their own time; null for ever
   */
  static Upkeep of(Layout layout, @Nullable Duration retention) {
    return new Upkeep(
        retention(layout, retention),
        bucket(layout.rows(), layout.resolution()),
        splits(layout.rows()));
  }

  /*
   * A store counts from the writing of a cell. A late sample is removed later than need be, and none
   * early as long as samples are at most so far ahead of the clock. What has no time is needed for
   * ever, so that tables with attributes keep all.
   */
  private static @Nullable Duration retention(Layout layout, @Nullable Duration retention) {
    return retention == null || layout.domain().attributes()
        ? null
        : retention.plus(AHEAD.multipliedBy(2));
  }

  /** The width of the rows' buckets, where these are stretches of time. */
  private static @Nullable Duration bucket(RowShape rows, Resolution resolution) {
    int part = rows.lastTimePart();
    if (part < 0) {
      return null;
    }
    KeyPart.Time time = (KeyPart.Time) rows.parts().get(part);
    long first = time.floor(0);
    long next = time.next(first);
    if (time.instant() || next == Long.MAX_VALUE) {
      return null;
    }
    long width = next - first;
    long perSecond = resolution.perSecond();
    return Duration.ofSeconds(width / perSecond)
        .plusNanos(width % perSecond * (1_000_000_000L / perSecond));
  }

  /** Between the salts that row keys begin with, rising. */
  private static List<Bytes> splits(RowShape rows) {
    if (!(rows.parts().getFirst() instanceof KeyPart.Salt salt)) {
      return List.of();
    }
    int parts = Math.min(salt.buckets(), SPLITS_MAX + 1);
    TreeSet<Bytes> splits = new TreeSet<>();
    for (int part = 1; part < parts; part++) {
      KeyBytes key = new KeyBytes();
      salt.encodeBucket((int) ((long) part * salt.buckets() / parts), key);
      splits.add(key.toBytes());
    }
    return List.copyOf(splits);
  }
}
