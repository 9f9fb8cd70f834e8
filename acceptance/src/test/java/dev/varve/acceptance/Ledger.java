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
 * What was sent to a server, and what of it was acknowledged: kept outside of the server, and true
 * whatever becomes of it. Each series has one sender, so that the order of its values is known.
 *
 * <p>A value that was sent and not acknowledged may be there or not, until the server has been
 * started again and looked into: what was found then has to stay, and what was not may not come.
 */
final class Ledger {
  /** A series in a dataset. */
  record Key(String dataset, KairosQuery.Wanted series) {}

  /**
   * What may be found at one instant of a series.
   *
   * @param acknowledged the last value known to be there, or null where there is none
   * @param unknown values sent after it, whose outcome is not known
   */
  private record Entry(@Nullable String acknowledged, List<String> unknown) {
    private static final Entry NONE = new Entry(null, List.of());

    private Entry send(String value) {
      List<String> sent = new ArrayList<>(unknown);
      sent.add(value);
      return new Entry(acknowledged, sent);
    }

    /** An acknowledged value takes the place of all that were sent before it. */
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

    /** An integer is found as one, a double bit for bit. */
    private static boolean same(String sent, BigDecimal found) {
      boolean integer = !sent.contains(".") && !sent.contains("E");
      return integer
          ? found.scale() == 0 && found.compareTo(new BigDecimal(sent)) == 0
          : found.doubleValue() == Double.parseDouble(sent);
    }
  }

  private final Map<Key, NavigableMap<Long, Entry>> series = new LinkedHashMap<>();

  /** Notes, before it is sent, that a value will be. */
  synchronized void send(Key key, long time, String value) {
    NavigableMap<Long, Entry> entries = series.computeIfAbsent(key, k -> new TreeMap<>());
    entries.put(time, entries.getOrDefault(time, Entry.NONE).send(value));
  }

  /** Notes that the server has promised to keep a value. */
  synchronized void acknowledge(Key key, long time, String value) {
    Objects.requireNonNull(series.get(key), "acknowledged, never sent")
        .computeIfPresent(time, (t, entry) -> entry.acknowledge(value));
  }

  synchronized List<Key> keys() {
    return List.copyOf(series.keySet());
  }

  /**
   * Compares what was found in a series, after a start, with what may be there, and takes it for
   * what is.
   *
   * @return what is wrong, a line for each lost, changed or invented value
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

  /** How many values are known to be there. */
  synchronized long acknowledged() {
    return series.values().stream()
        .flatMap(entries -> entries.values().stream())
        .filter(entry -> entry.acknowledged() != null)
        .count();
  }
}
