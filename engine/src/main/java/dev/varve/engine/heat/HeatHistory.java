package dev.varve.engine.heat;

import dev.varve.engine.home.HeatTable;
import dev.varve.engine.home.HeatTable.Stored;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Bytes;
import dev.varve.store.Power;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The slices of a dataset's tables in its home. Old ones of this server become coarser, then they
 * expire. Safe for use by several threads, of which one writes.
 */
public final class HeatHistory {
  /**
   * A fineness of slices.
   *
   * @param width of a slice
   * @param kept how long slices are kept; then they become parts of slices of the next level
   */
  private record Level(Duration width, Duration kept) {}

  private static final List<Level> LEVELS =
      List.of(
          new Level(Duration.ofMinutes(1), Duration.ofHours(3)),
          new Level(Duration.ofMinutes(15), Duration.ofDays(2)),
          new Level(Duration.ofHours(4), Duration.ofDays(30)));

  /** Longest time for which there are slices. */
  public static final Duration KEPT = LEVELS.getLast().kept();

  /** Heap bytes of a decoded slice in comparison to its stored form, at most. */
  private static final int DECODED = 12;

  private final HeatTable slices;
  private final LongSupplier stamps;

  /**
   * @param stamps source of stamps that rise
   */
  public HeatHistory(HeatTable slices, LongSupplier stamps) {
    this.slices = slices;
    this.stamps = stamps;
  }

  /** Returns the width of a slice's level in milliseconds. A slice may end somewhat later. */
  static long width(HeatSlice slice) {
    long width = LEVELS.getFirst().width().toMillis();
    for (Level level : LEVELS) {
      if (slice.to() - slice.from() >= level.width().toMillis()) {
        width = level.width().toMillis();
      }
    }
    return width;
  }

  /**
   * Returns whether the loads of a slice were counted in its ranges. In a slice that was joined of
   * several, they may be spread over ranges that had none.
   */
  static boolean isExact(HeatSlice slice) {
    return width(slice) == LEVELS.getFirst().width().toMillis();
  }

  /**
   * Writes a slice of this server.
   *
   * @throws StoreException if the write fails
   */
  void put(String table, HeatSlice slice) {
    slices.put(table, 0, slice.from(), HeatSliceCode.encode(slice), List.of(), stamps.getAsLong());
  }

  /**
   * Returns the slices of all servers that start in a range of time, in no particular order.
   *
   * @param from milliseconds since 1970, not negative
   * @param guard accounts for their memory, and may end the read
   * @throws StoreException if the store fails or a slice is damaged
   */
  public List<HeatSlice> read(String table, long from, long to, ReadGuard guard) {
    List<HeatSlice> found = new ArrayList<>();
    Map<Long, TreeMap<Long, Long>> coarser = new LinkedHashMap<>();
    for (int level = LEVELS.size() - 1; level >= 0; level--) {
      Map<Long, TreeMap<Long, Long>> here = new LinkedHashMap<>();
      slices.read(
          table,
          level,
          from,
          to,
          stored -> {
            guard.ensureWanted();
            guard.held((long) DECODED * stored.value().length(), "slices of key counters");
            HeatSlice slice = decode(stored);
            // A process that ended between two writes leaves both, the slice and its parts.
            TreeMap<Long, Long> covered = coarser.getOrDefault(stored.server(), new TreeMap<>());
            Map.Entry<Long, Long> over = covered.floorEntry(slice.from());
            if (over == null || over.getValue() <= slice.from()) {
              found.add(slice);
              here.computeIfAbsent(stored.server(), server -> new TreeMap<>())
                  .put(slice.from(), slice.to());
            }
          });
      here.forEach(
          (server, times) -> coarser.computeIfAbsent(server, one -> new TreeMap<>()).putAll(times));
    }
    return found;
  }

  private static HeatSlice decode(Stored stored) {
    try {
      return HeatSliceCode.decode(stored.value());
    } catch (IllegalArgumentException e) {
      throw new StoreException(
          "a slice of key counters of table '%s', from %d, is damaged: %s"
              .formatted(stored.table(), stored.start(), e.getMessage()));
    }
  }

  /**
   * Makes old slices coarser and deletes those that have expired.
   *
   * @param now milliseconds since 1970
   * @throws StoreException if the store fails
   */
  void age(String table, long now) {
    for (int level = 0; level < LEVELS.size(); level++) {
      Level of = LEVELS.get(level);
      if (level + 1 < LEVELS.size()) {
        coarsen(table, level, now - of.kept().toMillis());
      }
      List<Stored> expired = new ArrayList<>();
      slices.read(table, level, 0, Math.max(0, now - KEPT.toMillis()), expired::add);
      slices.delete(expired);
    }
  }

  /** Joins the slices of this server that end before a time. */
  private void coarsen(String table, int level, long before) {
    long width = LEVELS.get(level + 1).width().toMillis();
    long end = Math.floorDiv(before, width) * width;
    Map<Long, List<Stored>> groups = new TreeMap<>();
    slices.read(
        table,
        level,
        0,
        Math.max(0, end),
        stored -> {
          if (stored.own()) {
            groups
                .computeIfAbsent(
                    Math.floorDiv(stored.start(), width) * width, start -> new ArrayList<>())
                .add(stored);
          }
        });
    groups.forEach((start, parts) -> {
      HeatSlice joined = HeatMerge.of(parts.stream().map(HeatHistory::decode).toList());
      HeatSlice whole =
          new HeatSlice(
              start,
              start + width,
              joined.ranges(),
              joined.written(),
              joined.busiestRead(),
              joined.busiestWritten(),
              joined.largest());
      Bytes code = HeatSliceCode.encode(whole);
      slices.put(table, level + 1, start, code, parts, stamps.getAsLong());
    });
  }

  /**
   * Takes keys out of all slices of a table, but not yet out of the files of the store. A slice
   * that is damaged is deleted, since it may have them.
   *
   * @throws StoreException if the store fails
   */
  void forget(String table, Predicate<Bytes> gone) {
    for (int level = 0; level < LEVELS.size(); level++) {
      Map<Stored, Bytes> changed = new LinkedHashMap<>();
      List<Stored> damaged = new ArrayList<>();
      slices.read(
          table,
          level,
          0,
          Long.MAX_VALUE,
          stored -> {
            try {
              HeatSlice slice = HeatSliceCode.decode(stored.value());
              HeatSlice kept = slice.without(gone);
              if (!kept.equals(slice)) {
                changed.put(stored, HeatSliceCode.encode(kept));
              }
            } catch (IllegalArgumentException e) {
              damaged.add(stored);
            }
          });
      int of = level;
      changed.forEach((stored, code) ->
          slices.put(table, of, stored.start(), code, List.of(), stamps.getAsLong()));
      slices.delete(damaged);
    }
  }

  /** Takes deleted and replaced slices out of the files of stores that keep files here. */
  void reclaim() {
    slices.table().power(Power.Reclaim.class).ifPresent(power -> power.reclaim(Bytes.EMPTY, null));
  }

  /** Returns the ranges of this server's last slice of some time; only the empty bound if none. */
  List<Bytes> lastBounds(String table, long now) {
    List<Bytes> bounds = new ArrayList<>(List.of(Bytes.EMPTY));
    long from = Math.max(0, now - LEVELS.getFirst().kept().toMillis());
    slices.read(
        table,
        0,
        from,
        now + 1,
        stored -> {
          if (stored.own()) {
            bounds.clear();
            decode(stored).ranges().forEach(range -> bounds.add(range.from()));
          }
        });
    return bounds;
  }
}
