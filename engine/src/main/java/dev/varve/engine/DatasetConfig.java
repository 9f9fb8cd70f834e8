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
 * @param refresh how soon what other servers write is seen
 * @param attached what there is to say of tables that another server has made; null for tables of
 *     our own
 */
public record DatasetConfig(
    String name,
    StoreConfig store,
    List<PeriodConfig> periods,
    @Nullable Duration retention,
    Duplicates duplicates,
    Set<String> resources,
    boolean wholeTableScans,
    Refresh refresh,
    @Nullable Attached attached) {
  public DatasetConfig {
    periods = List.copyOf(periods);
    resources = Set.copyOf(resources);
  }

  /** A dataset of tables of its own. */
  public DatasetConfig(
      String name,
      StoreConfig store,
      List<PeriodConfig> periods,
      @Nullable Duration retention,
      Duplicates duplicates,
      Set<String> resources,
      boolean wholeTableScans) {
    this(
        name,
        store,
        periods,
        retention,
        duplicates,
        resources,
        wholeTableScans,
        Refresh.DEFAULTS,
        null);
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

  /** The same dataset at tables that another server has made. */
  public DatasetConfig with(Attached other) {
    return new DatasetConfig(
        name, store, periods, retention, duplicates, resources, wholeTableScans, refresh, other);
  }

  public DatasetConfig with(Refresh other) {
    return new DatasetConfig(
        name, store, periods, retention, duplicates, resources, wholeTableScans, other, attached);
  }

  /** The store of the tables of our own in which the catalog is kept. */
  public StoreConfig home() {
    Attached foreign = attached;
    if (foreign == null) {
      return store;
    }
    if (foreign.home() != null) {
      return foreign.home();
    }
    return isReadOnly() ? new StoreConfig("rocksdb", Map.of()) : store;
  }

  /** Whether nothing at all is written to the dataset's store. */
  public boolean isReadOnly() {
    return attached != null && attached.access() == Access.READ_ONLY;
  }

  /** Where the cells lie. */
  public record StoreConfig(String kind, Map<String, String> options) {
    /** The kind and the names of the options: what these say may be secret. */
    @Override
    public String toString() {
      return kind + " with options " + options.keySet();
    }
  }

  /**
   * Tables that another server has made, and may still read and write.
   *
   * @param tables the names of the tables in the store, by those that the layout gives them; those
   *     that are missing are called as the original calls them
   * @param home the store of the tables of our own; null for the store of the dataset, or where
   *     that is only read a local one
   */
  public record Attached(Access access, Map<String, String> tables, @Nullable StoreConfig home) {
    public Attached {
      tables = Map.copyOf(tables);
    }

    public static Attached of(Access access) {
      return new Attached(access, Map.of(), null);
    }
  }

  /** What may be done with the tables of another server. */
  public enum Access {
    /** They are read, and nothing at all is written to their store. */
    READ_ONLY,
    /** Samples, and what the layout keeps beside them, are written as the other server does. */
    CO_WRITE
  }

  /**
   * How soon what other servers write is seen.
   *
   * @param within after this time at most series are known that are listed where they can be read
   *     cheaply: in our own home, or in an index of the layout
   * @param rescan so long after a search of all rows, or of a whole index, the next one begins
   * @param believed for so long names and index rows that stood in tables that others write too are
   *     taken to stand, though they may delete them; longer than any write takes
   * @param rowsPerSecond so many rows, or entries of an index, such a search reads at most, but for
   *     the first one, for which queries wait; 0 for as many as it can
   */
  public record Refresh(Duration within, Duration rescan, Duration believed, int rowsPerSecond) {
    public static final Refresh DEFAULTS =
        new Refresh(
            Duration.ofSeconds(10), Duration.ofMinutes(15), Duration.ofMinutes(10), 100_000);

    public Refresh(Duration within, Duration rescan) {
      this(within, rescan, DEFAULTS.believed);
    }

    public Refresh(Duration within, Duration rescan, Duration believed) {
      this(within, rescan, believed, DEFAULTS.rowsPerSecond);
    }
  }

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
