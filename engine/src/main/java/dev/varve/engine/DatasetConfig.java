package dev.varve.engine;

import dev.varve.layout.Layout;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A dataset as it is declared.
 *
 * @param name 1 to 64 characters of {@code a-z A-Z 0-9 _ -}
 * @param store the kind of store, such as {@code rocksdb} or {@code memory}, with its options
 * @param periods at least one, in the order of their starts, all of one resolution
 * @param retention how long samples are kept by their own time; null for ever
 * @param duplicates which of two samples of one series and instant is kept
 * @param resources tags of these names, from writers that know no resource, are resource
 *     identifiers
 * @param wholeTableScans whether queries may scan a whole table without asking for it
 */
public record DatasetConfig(
    String name,
    StoreConfig store,
    List<PeriodConfig> periods,
    @Nullable Duration retention,
    Duplicates duplicates,
    Set<String> resources,
    boolean wholeTableScans) {
  public DatasetConfig {
    periods = List.copyOf(periods);
    resources = Set.copyOf(resources);
  }

  public static DatasetConfig of(String name, Layout layout) {
    return new DatasetConfig(
        name,
        new StoreConfig("rocksdb", Map.of()),
        List.of(new PeriodConfig(Instant.MIN, List.of(layout))),
        null,
        Duplicates.LAST,
        Set.of(),
        false);
  }

  /** Where the cells lie. */
  public record StoreConfig(String kind, Map<String, String> options) {}

  /**
   * A stretch of time in which one layout is valid, up to the start of the next period.
   *
   * @param from the first instant; {@link Instant#MIN} for the first period
   * @param layouts the primary, which acknowledges, and its companions
   */
  public record PeriodConfig(Instant from, List<Layout> layouts) {
    public PeriodConfig {
      layouts = List.copyOf(layouts);
    }
  }

  /** Which of two samples of one series and instant is kept. */
  public enum Duplicates {
    /** The last accepted. */
    LAST,
    /** The first accepted. */
    FIRST,
    /** The larger number; of texts the last accepted. */
    MAX,
    /** The smaller number; of texts the last accepted. */
    MIN
  }
}
