package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.rocksdb.CompressionType;

/**
 * The settings of a RocksDB store.
 *
 * @param memoryBytes what caches and write buffers take together; 8 MB at least
 * @param readers threads for reads that come from virtual threads; 1 to 64
 * @param compression of all levels but the last; the last one uses zstd unless this is none
 * @param sync whether a synced write waits for the disk; without it a loss of power may take the
 *     last second or more, a crash of the process still takes nothing
 */
record RocksOptions(long memoryBytes, int readers, Compression compression, boolean sync) {
  static final RocksOptions DEFAULTS =
      new RocksOptions(
          256L << 20,
          Math.max(2, Runtime.getRuntime().availableProcessors()),
          Compression.LZ4,
          true);

  private static final long MEMORY_MIN = 8L << 20;
  private static final int READERS_MAX = 64;
  private static final List<String> NAMES = List.of("memory", "readers", "compression", "sync");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*(B|KB|MB|GB|)");

  enum Compression {
    NONE(CompressionType.NO_COMPRESSION, CompressionType.NO_COMPRESSION),
    LZ4(CompressionType.LZ4_COMPRESSION, CompressionType.ZSTD_COMPRESSION),
    ZSTD(CompressionType.ZSTD_COMPRESSION, CompressionType.ZSTD_COMPRESSION);

    final CompressionType upper;
    final CompressionType last;

    Compression(CompressionType upper, CompressionType last) {
      this.upper = upper;
      this.last = last;
    }
  }

  /**
   * Reads settings.
   *
   * @param memory bytes to use where no setting says so; 8 MB are used at least
   * @throws StoreException naming every setting that is unknown or out of its range
   */
  static RocksOptions parse(long memory, Map<String, String> settings) {
    List<String> wrong = new ArrayList<>();
    Map<String, String> sorted = new TreeMap<>(settings);
    for (String name : sorted.keySet()) {
      if (!NAMES.contains(name)) {
        wrong.add("unknown option '%s' (did you mean '%s'?)".formatted(name, nearest(name)));
      }
    }
    long memoryBytes =
        read(sorted, "memory", RocksOptions::size, "a size of 8MB at least, such as 256MB", wrong)
            .orElse(Math.max(MEMORY_MIN, memory));
    int readers =
        read(sorted, "readers", RocksOptions::readerCount, "a number from 1 to 64", wrong)
            .orElse(DEFAULTS.readers);
    Compression compression =
        read(sorted, "compression", RocksOptions::compression, "none, lz4 or zstd", wrong)
            .orElse(DEFAULTS.compression);
    boolean sync =
        read(sorted, "sync", RocksOptions::flag, "true or false", wrong).orElse(DEFAULTS.sync);
    if (!wrong.isEmpty()) {
      throw new StoreException("rocksdb store: " + String.join("; ", wrong));
    }
    return new RocksOptions(memoryBytes, readers, compression, sync);
  }

  private static <T> Optional<T> read(
      Map<String, String> settings,
      String name,
      Function<String, Optional<T>> parser,
      String expected,
      List<String> wrong) {
    String text = settings.get(name);
    if (text == null) {
      return Optional.empty();
    }
    Optional<T> value = parser.apply(text.strip());
    if (value.isEmpty()) {
      wrong.add("option %s: '%s' is not %s".formatted(name, text, expected));
    }
    return value;
  }

  private static Optional<Long> size(String text) {
    Matcher matcher = SIZE.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (matcher.group(2)) {
          case "KB" -> 10;
          case "MB" -> 20;
          case "GB" -> 30;
          default -> 0;
        };
    long count = Long.parseLong(matcher.group(1));
    return count > Long.MAX_VALUE >> shift || count << shift < MEMORY_MIN
        ? Optional.empty()
        : Optional.of(count << shift);
  }

  private static Optional<Integer> readerCount(String text) {
    if (!text.matches("\\d{1,3}")) {
      return Optional.empty();
    }
    int count = Integer.parseInt(text);
    return count < 1 || count > READERS_MAX ? Optional.empty() : Optional.of(count);
  }

  private static Optional<Compression> compression(String text) {
    for (Compression compression : Compression.values()) {
      if (compression.name().equalsIgnoreCase(text)) {
        return Optional.of(compression);
      }
    }
    return Optional.empty();
  }

  private static Optional<Boolean> flag(String text) {
    return switch (text) {
      case "true" -> Optional.of(true);
      case "false" -> Optional.of(false);
      default -> Optional.empty();
    };
  }

  private static String nearest(String unknown) {
    String best = NAMES.getFirst();
    for (String name : NAMES) {
      if (distance(unknown, name) < distance(unknown, best)) {
        best = name;
      }
    }
    return best;
  }

  /** How many letters must be put, taken or changed to turn one word into the other. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
