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

/** Derives the upkeep of the data table of a layout. Other tables have none. */
public final class TableUpkeep {
  /**
   * Maximum time by which samples may lie in the future if the store expires cells by the time of
   * the write.
   */
  public static final Duration AHEAD = Duration.ofDays(1);

  /** Maximum number of initial splits. More would exceed the number of machines of a store. */
  private static final int SPLITS_MAX = 63;

  private TableUpkeep() {}

  /**
   * Returns the upkeep of a data table.
   *
   * @param retention how long the dataset keeps samples, by their own time; null means forever
   */
  static Upkeep of(Layout layout, @Nullable Duration retention) {
    return new Upkeep(
        retention(layout, retention),
        bucket(layout.rows(), layout.resolution()),
        splits(layout.rows()));
  }

  /*
   * A store measures age from the write of a cell. It removes late samples later than necessary,
   * but none too early as long as samples are at most AHEAD in the future. Attributes without a
   * time never expire, so tables with attributes keep everything.
   */
  private static @Nullable Duration retention(Layout layout, @Nullable Duration retention) {
    return retention == null || layout.domain().attributes()
        ? null
        : retention.plus(AHEAD.multipliedBy(2));
  }

  /** Returns the width of the rows' buckets; null if rows have no buckets of time. */
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

  /**
   * Returns ascending split points between the salts with which row keys begin; empty without a
   * salt.
   */
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
