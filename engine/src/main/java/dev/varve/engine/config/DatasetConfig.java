package dev.varve.engine.config;

import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.opentsdb.RollupConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a dataset.
 *
 * @param name 1 to 64 characters of {@code a-z A-Z 0-9 _ -}
 * @param store the kind of store, such as {@code rocksdb} or {@code memory}, with its options
 * @param periods at least one, in the order of their starts, all of one resolution
 * @param retention how long samples are kept, by their own time; null means forever
 * @param duplicates which of two samples of one series and instant is kept
 * @param resources names of tags that become resource identifiers, from protocols without resources
 * @param wholeTableScans whether queries may scan whole tables without requesting it
 * @param refresh the delays after which writes of other servers become visible
 * @param journal the configuration of the journal of periods in blocks; without effect on periods
 *     in cells
 * @param attached the foreign tables of the dataset; null for tables of our own
 * @param rollups the configuration of OpenTSDB's roll-ups, which are kept in datasets of their own;
 *     null for no roll-ups
 * @param histograms the number of OpenTSDB's codec of histograms, 0 to 255; null for no histograms
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
    JournalConfig journal,
    @Nullable Attached attached,
    @Nullable RollupConfig rollups,
    @Nullable Integer histograms) {
  public DatasetConfig {
    periods = List.copyOf(periods);
    resources = Set.copyOf(resources);
  }

  /** Creates the declaration of a dataset with its own tables. */
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
        JournalConfig.DEFAULTS,
        null,
        null,
        null);
  }

  public static DatasetConfig of(String name, StorageLayout layout) {
    return of(name, new PeriodConfig(Instant.MIN, List.of(layout)));
  }

  /** Creates the declaration of a dataset of one period, in RocksDB. */
  public static DatasetConfig of(String name, PeriodConfig period) {
    return new DatasetConfig(
        name,
        new StoreConfig("rocksdb", Map.of()),
        List.of(period),
        null,
        Duplicates.LAST,
        Set.of(),
        false);
  }

  /** Returns a copy of this declaration, attached to foreign tables. */
  public DatasetConfig with(Attached other) {
    return copy(periods, refresh, journal, other, rollups, histograms);
  }

  /** Returns a copy of this declaration with other periods. */
  public DatasetConfig withPeriods(List<PeriodConfig> others) {
    return copy(others, refresh, journal, attached, rollups, histograms);
  }

  public DatasetConfig with(Refresh other) {
    return copy(periods, other, journal, attached, rollups, histograms);
  }

  public DatasetConfig with(JournalConfig other) {
    return copy(periods, refresh, other, attached, rollups, histograms);
  }

  /** Returns a copy of this declaration with roll-ups. */
  public DatasetConfig with(RollupConfig other) {
    return copy(periods, refresh, journal, attached, other, histograms);
  }

  /**
   * Returns a copy of this declaration with histograms.
   *
   * @param codec the number of their codec, 0 to 255
   */
  public DatasetConfig withHistograms(int codec) {
    return copy(periods, refresh, journal, attached, rollups, codec);
  }

  private DatasetConfig copy(
      List<PeriodConfig> otherPeriods,
      Refresh otherRefresh,
      JournalConfig otherJournal,
      @Nullable Attached otherAttached,
      @Nullable RollupConfig otherRollups,
      @Nullable Integer otherHistograms) {
    return new DatasetConfig(
        name,
        store,
        otherPeriods,
        retention,
        duplicates,
        resources,
        wholeTableScans,
        otherRefresh,
        otherJournal,
        otherAttached,
        otherRollups,
        otherHistograms);
  }

  /** Returns the store of the home. */
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

  /** Returns whether nothing is ever written to the dataset's store. */
  public boolean isReadOnly() {
    return attached != null && attached.access() == Access.READ_ONLY;
  }

  /** The kind of a store and its options. */
  public record StoreConfig(String kind, Map<String, String> options) {
    /** Returns the kind and the names of the options, without values, which may be secret. */
    @Override
    public String toString() {
      return kind + " with options " + options.keySet();
    }
  }

  /**
   * Foreign tables, which another server may still read and write.
   *
   * @param tables names of tables in the store, by their names in the layout. Others have the names
   *     that the original uses
   * @param home the store of the home; null for the dataset's store, or for a local store if the
   *     dataset is read-only
   * @param runsTasks whether Varve runs the roll-up tasks that the original keeps in its tables; if
   *     not, the original has to
   */
  public record Attached(
      Access access, Map<String, String> tables, @Nullable StoreConfig home, boolean runsTasks) {
    public Attached {
      tables = Map.copyOf(tables);
    }

    /** Creates an attachment that leaves roll-up tasks to the original. */
    public Attached(Access access, Map<String, String> tables, @Nullable StoreConfig home) {
      this(access, tables, home, false);
    }

    public static Attached of(Access access) {
      return new Attached(access, Map.of(), null);
    }
  }

  /** The mode of attaching foreign tables. */
  public enum Access {
    /** Tables are read. Nothing is ever written to their store. */
    READ_ONLY,
    /** Samples and the layout's other cells are written as the original server writes them. */
    CO_WRITE
  }

  /**
   * The delays after which writes of other servers become visible.
   *
   * @param within maximum delay until new series are known if they are cheap to find: in the home
   *     or in an index of the layout
   * @param rescan pause between two searches of all rows, or of a whole index
   * @param believed how long cached names and index rows are trusted in tables that other servers
   *     also write and may delete from; longer than any write takes
   * @param rowsPerSecond limit on rows or index entries that such a search reads per second; 0 for
   *     none. Not applied to the first search, for which queries wait
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
   * A period, which lasts until the start of the next one.
   *
   * @param from the first instant; {@link Instant#MIN} for the first period
   * @param layouts the primary, which acknowledges writes, and its companions
   * @param byDefault whether the declaration names no layout. A dataset that exists then keeps the
   *     layout that was the default when it was created
   */
  public record PeriodConfig(Instant from, List<StorageLayout> layouts, boolean byDefault) {
    public PeriodConfig {
      layouts = List.copyOf(layouts);
    }

    /** Creates the declaration of a period that names its layouts. */
    public PeriodConfig(Instant from, List<StorageLayout> layouts) {
      this(from, layouts, false);
    }

    /** Returns the layouts of cells: all layouts, or none if the period is stored in blocks. */
    public List<Layout> cells() {
      return cells(layouts);
    }

    /** Returns the layout of blocks; null if the period is stored in cells. */
    public @Nullable BlockLayout blocks() {
      return blocks(layouts);
    }

    public static List<Layout> cells(List<StorageLayout> layouts) {
      return layouts.stream().filter(Layout.class::isInstance).map(Layout.class::cast).toList();
    }

    public static @Nullable BlockLayout blocks(List<StorageLayout> layouts) {
      for (StorageLayout layout : layouts) {
        if (layout instanceof BlockLayout blocks) {
          return blocks;
        }
      }
      return null;
    }
  }

  /** The choice between two samples of one series and instant. */
  public enum Duplicates {
    /** The last sample accepted. */
    LAST,
    /** The first sample accepted. */
    FIRST,
    /** The larger number; the last sample accepted if they are strings. */
    MAX,
    /** The smaller number; the last sample accepted if they are strings. */
    MIN
  }
}
