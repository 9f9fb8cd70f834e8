package dev.varve.acceptance;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records what was sent to a server and what it acknowledged, outside of the server, so that it is
 * true whatever happens there. Each series has one sender, so the order of its values is known.
 *
 * <p>A value that was sent but not acknowledged may be there or not until the server is restarted
 * and read. From then on a found value must stay, and a missing one must not appear.
 */
final class Ledger {
  /** A series in a dataset. */
  record Key(String dataset, KairosQuery.Wanted series) {}

  /**
   * The possible values at one instant of a series.
   *
   * @param acknowledged the last value known to be there; null if there is none
   * @param unknown values sent after it, with unknown outcome
   */
  private record Entry(@Nullable String acknowledged, List<String> unknown) {
    private static final Entry NONE = new Entry(null, List.of());

    private Entry send(String value) {
      List<String> sent = new ArrayList<>(unknown);
      sent.add(value);
      return new Entry(acknowledged, sent);
    }

    /** Acknowledges a value, which replaces all that were sent before it. */
    private Entry acknowledge(String value) {
      int place = unknown.lastIndexOf(value);
      return new Entry(value, List.copyOf(unknown.subList(place + 1, unknown.size())));
    }

    private boolean allows(@Nullable BigDecimal found) {
      if (found == null) {
        return acknowledged == null;
      }
      return (acknowledged != null && same(acknowledged, found))
          || unknown.stream().anyMatch(value -> same(value, found));
    }

    private Entry settle(@Nullable BigDecimal found) {
      return found == null ? NONE : new Entry(found.toString(), List.of());
    }

    /** Returns whether a found value is the sent one: an integer as such, a double bit for bit. */
    private static boolean same(String sent, BigDecimal found) {
      boolean integer = !sent.contains(".") && !sent.contains("E");
      return integer
          ? found.scale() == 0 && found.compareTo(new BigDecimal(sent)) == 0
          : found.doubleValue() == Double.parseDouble(sent);
    }
  }

  private final Map<Key, NavigableMap<Long, Entry>> series = new LinkedHashMap<>();

  /** Records a value before it is sent. */
  synchronized void send(Key key, long time, String value) {
    NavigableMap<Long, Entry> entries = series.computeIfAbsent(key, k -> new TreeMap<>());
    entries.put(time, entries.getOrDefault(time, Entry.NONE).send(value));
  }

  /** Records that the server has acknowledged a value. */
  synchronized void acknowledge(Key key, long time, String value) {
    Objects.requireNonNull(series.get(key), "acknowledged, never sent")
        .computeIfPresent(time, (t, entry) -> entry.acknowledge(value));
  }

  synchronized List<Key> keys() {
    return List.copyOf(series.keySet());
  }

  /**
   * Compares the values found in a series after a start with the possible ones. From then on the
   * found values are known.
   *
   * @return a line for each lost, changed or invented value
   */
  synchronized List<String> settle(Key key, NavigableMap<Long, BigDecimal> found) {
    List<String> problems = new ArrayList<>();
    NavigableMap<Long, Entry> entries = series.computeIfAbsent(key, k -> new TreeMap<>());
    TreeSet<Long> times = new TreeSet<>(entries.keySet());
    times.addAll(found.keySet());
    for (Long time : times) {
      Entry entry = entries.getOrDefault(time, Entry.NONE);
      BigDecimal value = found.get(time);
      if (!entry.allows(value)) {
        String what = value == null ? "lost" : entry.equals(Entry.NONE) ? "invented" : "changed";
        problems.add("%s: %s at %d: found %s, may be %s".formatted(what, key, time, value, entry));
      }
      entries.put(time, entry.settle(value));
    }
    return problems;
  }

  /** Returns the number of values known to be there. */
  synchronized long acknowledged() {
    return series.values().stream()
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.acknowledged() != null)
        .count();
  }
}
