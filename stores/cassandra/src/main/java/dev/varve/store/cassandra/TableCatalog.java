package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import dev.varve.model.Resolution;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.adapter.SpecText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a keyspace and how they were made, kept in a table beside them. Every answer is
 * that of the cluster: other processes make and drop tables too.
 */
final class TableCatalog {
  /*
   * varve_tables (part text, name text, id uuid, ready boolean, unit text, families text,
   *               PRIMARY KEY ((part), name)), part being 'tables'
   *
   * families, a line each:   DATA all points        // time use, versions kept, name
   *
   * A table is made as its row with ready = false, its tables in Cassandra, ready = true; it is
   * dropped in the opposite order. All changes of a row are decided by Paxos. Who finds a row that
   * does not become ready ends what another process began: nothing was ever written to it.
   */
  private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration MAKING_TIMEOUT = Duration.ofSeconds(15);
  private static final long POLL_MILLIS = 50;

  private final Requests requests;
  private final String keyspace;
  private final String catalog;
  private final Map<String, TableEntry> entries = new ConcurrentHashMap<>();

  /** Whether the catalog's own table was seen. */
  private volatile boolean there;

  TableCatalog(Requests requests) {
    this.requests = requests;
    this.keyspace = CqlNames.quoted(requests.options().keyspace());
    this.catalog = keyspace + ".varve_tables";
  }

  /** A row of the catalog. */
  private record Listed(UUID id, boolean ready, TableSpec spec) {}

  /** The table of a name as it was made, or null where there is none. */
  @Nullable TableSpec find(String name) {
    Listed listed = list(name);
    return listed == null || !listed.ready ? null : listed.spec;
  }

  /** The entry of a table that is there, with the partitioning of the spec; null for none. */
  @Nullable TableEntry entry(TableSpec spec) {
    Listed listed = list(spec.name());
    return listed == null || !listed.ready ? null : entry(spec, listed.id);
  }

  private synchronized TableEntry entry(TableSpec spec, UUID id) {
    TableEntry known = entries.get(spec.name());
    if (known != null && known.id().equals(id)) {
      return known;
    }
    if (known != null) {
      known.drop();
    }
    TableEntry entry = new TableEntry(spec, id);
    entries.put(spec.name(), entry);
    return entry;
  }

  /** Makes a table unless it is there. */
  synchronized TableEntry create(TableSpec spec) {
    ensureCatalog();
    long deadline = System.nanoTime() + MAKING_TIMEOUT.toNanos();
    UUID id = UUID.randomUUID();
    while (true) {
      if (applied(
          "INSERT INTO %s (part, name, id, ready, unit, families) VALUES ('tables', ?, ?, false, ?, ?) IF NOT EXISTS",
          spec.name(),
          id,
          spec.timeUnit().symbol(),
          String.join("\n", spec.families().stream().map(SpecText::of).toList()))) {
        return make(spec, id);
      }
      Listed listed = list(spec.name());
      if (listed != null && listed.id.equals(id)) {
        // The answer to an attempt before this one was lost.
        return make(spec, id);
      }
      if (listed != null && listed.ready) {
        return entry(spec, listed.id);
      }
      if (listed != null && System.nanoTime() > deadline) {
        clear(listed);
      } else {
        sleep();
      }
    }
  }

  private TableEntry make(TableSpec spec, UUID id) {
    String options = TableOptions.of(spec.upkeep(), requests.options());
    for (CellTable table : tables(spec)) {
      change(table.create(options));
    }
    if (!applied(
        "UPDATE %s SET ready = true WHERE part = 'tables' AND name = ? IF id = ?",
        spec.name(), id)) {
      throw new StoreException(
          "table '%s' was dropped by another process while it was made".formatted(spec.name()));
    }
    return entry(spec, id);
  }

  /** The tables of the families, there or not. */
  List<CellTable> tables(TableSpec spec) {
    List<CellTable> tables = new ArrayList<>();
    for (FamilySpec family : spec.families()) {
      tables.add(
          new CellTable(
              requests, CqlNames.table(spec.name(), family.name()), family, spec.partitioning()));
    }
    return tables;
  }

  /** Deletes a table with its cells; nothing where there is none. */
  synchronized void drop(String name) {
    Listed listed = list(name);
    if (listed == null) {
      return;
    }
    applied(
        "UPDATE %s SET ready = false WHERE part = 'tables' AND name = ? IF id = ?",
        name, listed.id);
    clear(listed);
  }

  private void clear(Listed listed) {
    TableEntry entry = entries.remove(listed.spec.name());
    if (entry != null) {
      entry.drop();
    }
    for (CellTable table : tables(listed.spec)) {
      change(table.drop());
      requests.forget(table.cqlName());
    }
    applied(
        "DELETE FROM %s WHERE part = 'tables' AND name = ? IF id = ?",
        listed.spec.name(), listed.id);
  }

  /** The names of the tables that are there, sorted, those of other programs among them. */
  List<String> names() {
    Set<String> names = new TreeSet<>(cqlNames());
    if (isThere()) {
      names.remove("varve_tables");
      for (Row row :
          rows(bound("SELECT name, id, ready, unit, families FROM %s WHERE part = 'tables'"))) {
        String name = String.valueOf(row.getString("name"));
        TableSpec spec = spec(name, row.getString("unit"), row.getString("families"));
        for (FamilySpec family : spec.families()) {
          names.remove(CqlNames.table(name, family.name()));
        }
        if (row.getBoolean("ready")) {
          names.add(name);
        }
      }
    }
    return List.copyOf(names);
  }

  private List<String> cqlNames() {
    List<String> names = new ArrayList<>();
    for (Row row :
        rows(
            SimpleStatement.newInstance(
                "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?",
                requests.options().keyspace()))) {
      names.add(String.valueOf(row.getString("table_name")));
    }
    return names;
  }

  private List<Row> rows(Statement<?> statement) {
    List<Row> rows = new ArrayList<>();
    Pages pages = new Pages(requests, requests::ensureOpen, statement);
    for (Row row = pages.peek(); row != null; row = pages.peek()) {
      rows.add(row);
      pages.pop();
    }
    return rows;
  }

  private @Nullable Listed list(String name) {
    if (!isThere()) {
      return null;
    }
    Row row =
        requests
            .execute(
                bound(
                    "SELECT name, id, ready, unit, families FROM %s WHERE part = 'tables' AND name = ?",
                    name))
            .one();
    UUID id = row == null ? null : row.getUuid("id");
    return row == null || id == null
        ? null
        : new Listed(
            id,
            row.getBoolean("ready"),
            spec(name, row.getString("unit"), row.getString("families")));
  }

  private boolean isThere() {
    if (!there) {
      there =
          requests
                  .execute(
                      SimpleStatement.newInstance(
                          "SELECT table_name FROM system_schema.tables WHERE keyspace_name = ? AND table_name = 'varve_tables'",
                          requests.options().keyspace()))
                  .one()
              != null;
    }
    return there;
  }

  private void ensureCatalog() {
    if (!isThere()) {
      change(
          "CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s"
              .formatted(keyspace, requests.options().replication()));
      change(
          "CREATE TABLE IF NOT EXISTS %s (part text, name text, id uuid, ready boolean, unit text, families text, PRIMARY KEY ((part), name))"
              .formatted(catalog));
      there = true;
    }
  }

  /** Changes the schema and waits until all nodes know it. */
  private void change(String cql) {
    requests.execute(SimpleStatement.newInstance(cql).setTimeout(SCHEMA_TIMEOUT));
    long deadline = System.nanoTime() + SCHEMA_TIMEOUT.toNanos();
    while (schemaVersions().size() > 1) {
      if (System.nanoTime() > deadline) {
        throw new StoreException(
            "cassandra: the nodes do not agree on the schema after '%s'".formatted(cql));
      }
      sleep();
    }
  }

  /**
   * The versions of all nodes that are up, each asked itself: what they know of each other may be
   * of the time before.
   */
  private Set<UUID> schemaVersions() {
    Set<UUID> versions = new TreeSet<>();
    for (Node node : requests.session().getMetadata().getNodes().values()) {
      if (node.getState() == NodeState.UP) {
        Row row =
            requests
                .execute(
                    SimpleStatement.newInstance("SELECT schema_version FROM system.local")
                        .setNode(node)
                        .setConsistencyLevel(ConsistencyLevel.ONE))
                .one();
        UUID version = row == null ? null : row.getUuid(0);
        if (version != null) {
          versions.add(version);
        }
      }
    }
    return versions;
  }

  private boolean applied(String cql, Object... values) {
    return requests.execute(bound(cql, values)).wasApplied();
  }

  private BoundStatement bound(String cql, Object... values) {
    return requests.prepare(cql.formatted(catalog)).bind(values);
  }

  private void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while another process makes a table", e);
    }
    requests.ensureOpen();
  }

  private static TableSpec spec(String name, @Nullable String unit, @Nullable String families) {
    try {
      List<FamilySpec> specs = SpecText.families(String.valueOf(families).lines().toList(), "");
      return new TableSpec(
          name, specs, Resolution.ofSymbol(String.valueOf(unit)), Partitioning.NONE);
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "the row of table '%s' in varve_tables is damaged: unit %s, families %s"
              .formatted(name, unit, families),
          e);
    }
  }
}
