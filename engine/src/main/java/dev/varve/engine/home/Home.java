package dev.varve.engine.home;

import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.model.Bytes;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowSpan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The home of a dataset. The names of its tables begin with a dot. Names of datasets cannot, so no
 * table of a layout has the same name.
 */
public final class Home implements AutoCloseable {
  /** The names of the {@link #lasting} tables, after that of the dataset, in their order. */
  static final List<String> LASTING =
      List.of("series", "markers", "attributes", "services", "deletes", "dataset");

  /** The names of the other tables. */
  private static final List<String> PASSING = List.of("heat", "usage", "changes");

  private final IdentityTable identity;
  private final SeriesTable series;
  private final MarkerTable markers;
  private final AttributeTable attributes;
  private final ServiceTable services;
  private final DeleteTable deletes;
  private final HeatTable heat;
  private final UsageTable usage;
  private final @Nullable ChangeTable changes;

  private Home(
      IdentityTable identity,
      SeriesTable series,
      MarkerTable markers,
      AttributeTable attributes,
      ServiceTable services,
      DeleteTable deletes,
      HeatTable heat,
      UsageTable usage,
      @Nullable ChangeTable changes) {
    this.identity = identity;
    this.series = series;
    this.markers = markers;
    this.attributes = attributes;
    this.services = services;
    this.deletes = deletes;
    this.heat = heat;
    this.usage = usage;
    this.changes = changes;
  }

  /**
   * Opens the home of a dataset and creates missing tables.
   *
   * @param server the ID of this server; null in an embedded store
   */
  public static Home open(Store store, String dataset, @Nullable ServerId server) {
    String prefix = "." + dataset + ".";
    return new Home(
        new IdentityTable(store, prefix + "dataset", server),
        new SeriesTable(store, prefix + "series"),
        new MarkerTable(store, prefix + "markers", server),
        new AttributeTable(store, prefix + "attributes"),
        new ServiceTable(store, prefix + "services"),
        new DeleteTable(store, prefix + "deletes", server),
        new HeatTable(store, prefix + "heat", server),
        new UsageTable(store, prefix + "usage", server),
        server == null ? null : new ChangeTable(store, prefix + "changes", server));
  }

  /** Returns whether a store contains the home of a dataset. */
  public static boolean isIn(Store store, String dataset) {
    return store.tables().contains("." + dataset + ".dataset");
  }

  /**
   * Drops the tables of the home of a dataset, and no others. The table whose presence marks a home
   * is dropped first, so that an interrupted call leaves no home. The home must not be open
   * anywhere.
   */
  static void drop(Store store, String dataset) {
    Stream.concat(LASTING.reversed().stream(), PASSING.stream())
        .forEach(name -> store.drop("." + dataset + "." + name));
  }

  /** Returns a dataset as it was created, from a store that {@link #isIn contains its home}. */
  public static IdentityTable.@Nullable Made made(Store store, String dataset) {
    try (IdentityTable identity = new IdentityTable(store, "." + dataset + ".dataset", null)) {
      return identity.made();
    }
  }

  /**
   * Repairs a home after damage to the store. Removes records that would prevent the dataset from
   * opening and marks the catalog to be rebuilt from rows, which restores lost series with their
   * fields and extents. If the identity was lost, it is taken from the configuration again.
   *
   * @param damage the damage to the store
   */
  public static void mend(Store store, String dataset, List<StoreDamage> damage) {
    String prefix = "." + dataset + ".";
    // Damage to a log may affect any table.
    boolean anywhere = damage.stream().anyMatch(one -> one.kind() == StoreDamage.Kind.LOG);
    Set<String> touched =
        damage.stream()
            .flatMap(one -> one.rows().stream())
            .map(RowSpan::table)
            .collect(Collectors.toSet());
    try (IdentityTable identity = new IdentityTable(store, prefix + "dataset", null);
        SeriesTable series = new SeriesTable(store, prefix + "series")) {
      if (touched.contains(prefix + "dataset")) {
        identity.clear();
      }
      boolean broken = series.dropBroken();
      if (anywhere
          || broken
          || touched.contains(prefix + "dataset")
          || touched.contains(prefix + "series")) {
        identity.catalogState(CatalogState.LOST, System.currentTimeMillis() * 1000);
      }
    }
  }

  public IdentityTable identity() {
    return identity;
  }

  public SeriesTable series() {
    return series;
  }

  public MarkerTable markers() {
    return markers;
  }

  public AttributeTable attributes() {
    return attributes;
  }

  public ServiceTable services() {
    return services;
  }

  public DeleteTable deletes() {
    return deletes;
  }

  /** Returns the slices of key counters. */
  public HeatTable heat() {
    return heat;
  }

  /** Returns the kinds of queries and the daily counts of series. */
  public UsageTable usage() {
    return usage;
  }

  /**
   * Returns the announcements between servers; null in an embedded store, which only one server
   * uses.
   */
  public @Nullable ChangeTable changes() {
    return changes;
  }

  /** Returns all tables, for raw reads. */
  public List<Table> tables() {
    List<Table> tables =
        new ArrayList<>(
            List.of(
                identity.table(),
                series.table(),
                markers.table(),
                attributes.table(),
                services.table(),
                deletes.table(),
                heat.table(),
                usage.table()));
    if (changes != null) {
      tables.add(changes.table());
    }
    return tables;
  }

  /**
   * Returns the tables that are needed to restore the dataset, each with a read of all its cells.
   * The table whose presence marks a home comes last. The other tables of the home have counters,
   * statistics and announcements, which expire.
   */
  Map<Table, ReadPlan> lasting() {
    ReadPlan whole =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    Map<Table, ReadPlan> lasting = new LinkedHashMap<>();
    lasting.put(series.table(), SeriesTable.everything());
    for (Table table :
        List.of(
            markers.table(),
            attributes.table(),
            services.table(),
            deletes.table(),
            identity.table())) {
      lasting.put(table, whole);
    }
    return lasting;
  }

  @Override
  public void close() {
    if (changes != null) {
      changes.close();
    }
    identity.close();
    series.close();
    markers.close();
    attributes.close();
    services.close();
    deletes.close();
    heat.close();
    usage.close();
  }
}
