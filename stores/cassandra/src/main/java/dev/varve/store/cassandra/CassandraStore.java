package dev.varve.store.cassandra;

import dev.varve.store.Capabilities;
import dev.varve.store.Collected;
import dev.varve.store.Power;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** A store in a keyspace of a Cassandra cluster. */
final class CassandraStore implements Store {
  static final String KIND = "cassandra";

  /**
   * The parts of a Cassandra row's key have at most 65,535 bytes together. A mutation stays below
   * the default limits of a node for one commit log record and for one message, 16 MiB each.
   */
  private static final SizeLimits LIMITS =
      new SizeLimits(
          16 << 10, 32 << 10, 1 << 20, 8 << 20, 100L << 20, 2L << 30, 10, 20_000, 10L << 20);

  private static final Capabilities CAPABILITIES =
      new Capabilities(
          Capabilities.CellTimes.ANY,
          Capabilities.Deletes.IMMEDIATE,
          Capabilities.RowOrder.PARTITION,
          LIMITS,
          Set.of(Power.ConditionalPut.class, Power.Increment.class));

  /** Paxos decides nothing about cells that another program writes without conditions. */
  private static final Capabilities FOREIGN_CAPABILITIES =
      new Capabilities(
          null,
          Capabilities.Deletes.IMMEDIATE,
          Capabilities.RowOrder.PARTITION,
          LIMITS,
          Set.of(Power.Expiry.class));

  private final Requests requests;
  private final TableCatalog catalog;
  private final ForeignSchema foreign;
  private final Map<String, TableEntry> foreignEntries = new ConcurrentHashMap<>();
  private final Set<CassandraCursor> cursors = ConcurrentHashMap.newKeySet();

  /**
   * Connects; creates nothing.
   *
   * @throws StoreException if no node can be reached
   */
  CassandraStore(CassandraOptions options) {
    this.requests = new Requests(options);
    this.catalog = new TableCatalog(requests, TableCatalog.MAKING_TIMEOUT);
    this.foreign = new ForeignSchema(requests);
  }

  @Override
  public String kind() {
    return KIND;
  }

  /**
   * Includes the id of the table, which is unique, because many clusters have Cassandra's default
   * name.
   */
  @Override
  public String place(TableSpec spec) {
    requests.ensureOpen();
    return "cluster '%s', keyspace %s, table %s of id %s"
        .formatted(
            requests.clusterName(),
            requests.options().keyspace(),
            spec.name(),
            foreign.id(spec.name()));
  }

  /**
   * CQL does not show which deleted cells the files of a node still have, so the answer is never
   * certain.
   */
  @Override
  public Collected collected(TableSpec spec, Instant deleted) {
    requests.ensureOpen();
    List<String> names =
        spec.foreign()
            ? List.of(spec.name())
            : catalog.tables(spec, TimeToLive.NEVER).stream().map(CellTable::cqlName).toList();
    Duration grace = Duration.ZERO;
    for (String name : names) {
      Duration ofTable = catalog.gcGrace(name);
      grace = ofTable.compareTo(grace) > 0 ? ofTable : grace;
    }
    String tables = requests.options().keyspace() + " " + String.join(" ", names);
    return new Collected(
        false,
        deleted.plus(grace),
        false,
        "Cassandra removes deleted cells when it compacts their files after gc_grace_seconds (%d), and does not tell when. On every node, 'nodetool flush %s', then 'nodetool garbagecollect -g CELL %s' removes them at once, and 'nodetool compactionhistory' shows that it ran. 'nodetool listsnapshots' shows copies that stay."
            .formatted(grace.toSeconds(), tables, tables));
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return spec.foreign() ? FOREIGN_CAPABILITIES : CAPABILITIES;
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    requests.ensureOpen();
    List<String> reasons =
        new ArrayList<>(capabilities(spec).reasonsAgainst("cassandra", spec, needs));
    if (spec.foreign()) {
      reasons.addAll(foreign.differences(spec));
      return reasons;
    }
    TableSpec made = catalog.find(spec.name());
    String difference = made == null ? null : spec.differenceFrom(made);
    if (difference != null) {
      reasons.add(
          "table '%s' of keyspace %s exists with a different definition: %s"
              .formatted(spec.name(), requests.options().keyspace(), difference));
    }
    return reasons;
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    List<String> reasons = check(spec, Set.of());
    if (!reasons.isEmpty()) {
      throw new StoreException(String.join("; ", reasons));
    }
    if (spec.foreign()) {
      return openForeign(spec, mode);
    }
    TableEntry entry = catalog.entry(spec);
    if (entry == null) {
      if (mode != OpenMode.CREATE_IF_ABSENT) {
        throw new StoreException(
            "keyspace %s of the cassandra store has no table '%s'"
                .formatted(requests.options().keyspace(), spec.name()));
      }
      entry = catalog.create(spec);
    }
    requests.learnReplicas();
    boolean readOnly = mode == OpenMode.READ_ONLY;
    TimeToLive timeToLive = readOnly ? TimeToLive.NEVER : catalog.adapt(spec);
    return new CassandraTable(
        requests,
        entry,
        spec,
        catalog.tables(spec, timeToLive).stream().map(CellTable::asFamily).toList(),
        CAPABILITIES,
        cursors,
        readOnly);
  }

  /** Opens a foreign table, which must exist: Varve does not create it. */
  private Table openForeign(TableSpec spec, OpenMode mode) {
    if (!foreign.isThere(spec.name())) {
      throw new StoreException(
          "keyspace %s of the cassandra store has no table '%s', which another program must create"
              .formatted(requests.options().keyspace(), spec.name()));
    }
    requests.learnReplicas();
    TableEntry entry =
        foreignEntries.computeIfAbsent(
            spec.name(), name -> new TableEntry(spec, UUID.randomUUID()));
    return new CassandraTable(
        requests,
        entry,
        spec,
        List.of(new ForeignTable(requests, spec)),
        FOREIGN_CAPABILITIES,
        cursors,
        mode == OpenMode.READ_ONLY);
  }

  @Override
  public List<String> tables() {
    requests.ensureOpen();
    return catalog.names();
  }

  @Override
  public boolean exists(TableSpec spec) {
    requests.ensureOpen();
    return spec.foreign() ? foreign.isThere(spec.name()) : catalog.names().contains(spec.name());
  }

  @Override
  public void drop(String table) {
    requests.ensureOpen();
    catalog.drop(table);
  }

  @Override
  public Map<String, Double> figures() {
    requests.ensureOpen();
    Map<String, Double> figures = new TreeMap<>(requests.figures());
    figures.put("open_cursors", (double) cursors.size());
    return figures;
  }

  @Override
  public void close() {
    requests.close();
  }
}
