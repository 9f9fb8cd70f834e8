package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a keyspace and their definitions, kept in a table of the same keyspace. Every
 * answer comes from the cluster, because other processes create and drop tables too.
 */
final class TableCatalog {
  /*
   * varve_tables (part text, name text, id uuid, ready boolean, unit text, families text,
   *               PRIMARY KEY ((part), name)), part being 'tables'
   *
   * families, one per line:  DATA all points        // time use, versions kept, name
   *
   * To create a table, a process writes its row with ready = false, creates its tables in
   * Cassandra, and sets ready = true. To drop it, a process does the reverse. Paxos decides all
   * changes of a row.
   *
   * Before it drops tables, a process claims the row with an id of its own and ready = false. The
   * previous owner then finds that its id has been replaced, and neither makes the table ready nor
   * drops more tables. So a process that finds a row that does not become ready can undo what
   * another process began: nothing was ever written to those tables.
   */
  private static final Duration SCHEMA_TIMEOUT = Duration.ofSeconds(60);
  static final Duration MAKING_TIMEOUT = Duration.ofSeconds(15);
  private static final Logger LOG = LoggerFactory.getLogger(TableCatalog.class);
  private static final long POLL_MILLIS = 50;

  /** Maximum wait for a node that does not know the catalog yet. */
  private static final Duration LEARN_TIMEOUT = Duration.ofSeconds(10);

  private static final String CATALOG = "varve_tables";

  private final Requests requests;
  private final SchemaAgreement agreement;
  private final String keyspace;
  private final String catalog;
  private final Duration timeout;
  private final ConsistencyLevel serial;
  private final ConsistencyLevel commit;
  private final Map<String, TableEntry> entries = new ConcurrentHashMap<>();

  /** Whether the catalog's own table has been seen. */
  private volatile boolean there;

  /**
   * Opens the catalog of a keyspace.
   *
   * @param timeout how long to wait for a table that another process creates or drops
   */
  TableCatalog(Requests requests, Duration timeout) {
    this.requests = requests;
    this.agreement = new SchemaAgreement(requests);
    this.timeout = timeout;
    this.keyspace = CqlNames.quoted(requests.options().keyspace());
    this.catalog = keyspace + "." + CATALOG;
    CassandraOptions.Consistency levels = requests.options().consistency();
    this.serial = DefaultConsistencyLevel.valueOf(levels.serial());
    this.commit = DefaultConsistencyLevel.valueOf(levels.write());
  }

  /**
   * A row of the catalog.
   *
   * @param ready whether the creation of the table has ended
   */
  private record Listed(UUID id, boolean ready, TableSpec spec) {}

  /** Returns the definition of a table; null if there is none. */
  @Nullable TableSpec find(String name) {
    Listed listed = list(name);
    return listed == null || !listed.ready ? null : listed.spec;
  }

  /**
   * Returns the entry of an existing table, with the partitioning of the spec; null if there is
   * none.
   */
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

  /**
   * Creates a table unless it exists.
   *
   * @throws StoreException with all statements that create it, if the user may not run them
   */
  synchronized TableEntry create(TableSpec spec) {
    ensureCatalog(spec);
    UUID id = UUID.randomUUID();
    UUID waitedFor = id;
    long deadline = 0;
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
        // The answer to an earlier attempt was lost.
        return make(spec, id);
      }
      if (listed != null && listed.ready) {
        return entry(spec, listed.id);
      }
      if (listed != null && !listed.id.equals(waitedFor)) {
        waitedFor = listed.id;
        deadline = System.nanoTime() + timeout.toNanos();
      }
      if (listed != null && System.nanoTime() - deadline > 0) {
        clear(listed, false);
      } else {
        sleep();
      }
    }
  }

  private TableEntry make(TableSpec spec, UUID id) {
    try {
      for (String statement : missing(spec)) {
        change(statement, () -> missing(spec));
      }
    } catch (StoreException e) {
      if (isRefused(e)) {
        // No cleanup is needed for something not begun: the next process that finds the tables
        // continues.
        applied("DELETE FROM %s WHERE part = 'tables' AND name = ? IF id = ?", spec.name(), id);
      }
      throw e;
    }
    if (!applied(
        "UPDATE %s SET ready = true WHERE part = 'tables' AND name = ? IF id = ?",
        spec.name(), id)) {
      throw new StoreException(
          "table '%s' was dropped by another process while it was created".formatted(spec.name()));
    }
    return entry(spec, id);
  }

  /** Returns the statements still to run before a table can be recorded as created. */
  private List<String> missing(TableSpec spec) {
    Set<String> there = Set.copyOf(cqlNames());
    List<String> statements = new ArrayList<>();
    if (!keyspaceIsThere()) {
      statements.add(createKeyspace());
    }
    if (!there.contains(CATALOG)) {
      statements.add(createCatalog());
    }
    String options = TableOptions.of(spec.upkeep(), requests.options());
    for (CellTable table : tables(spec, TimeToLive.NEVER)) {
      if (!there.contains(table.cqlName())) {
        statements.add(table.create(options));
      }
    }
    return statements;
  }

  /**
   * Returns the tables of the families, whether or not they exist.
   *
   * @param timeToLive lifetime of the cells to put
   */
  List<CellTable> tables(TableSpec spec, TimeToLive timeToLive) {
    return spec.families().stream()
        .map(family -> CellTable.of(requests, spec, family, timeToLive))
        .toList();
  }

  /**
   * Applies a longer retention to the tables of the families. Only logs a shorter one, since
   * applying it would delete cells.
   *
   * @return the lifetime of cells that are put from now on
   */
  TimeToLive adapt(TableSpec spec) {
    long wanted = TimeToLive.of(TableOptions.timeToLive(spec.upkeep())).seconds();
    long kept = wanted;
    for (CellTable table : tables(spec, TimeToLive.NEVER)) {
      long life = timeToLive(table);
      String alter =
          "ALTER TABLE %s WITH default_time_to_live = %d".formatted(table.quotedName(), wanted);
      if (TimeToLive.isLonger(wanted, life)) {
        change(alter, () -> List.of(alter));
        LOG.info(
            "table '{}': cells put from now on live for {} instead of {}: {}",
            spec.name(),
            TimeToLive.shown(wanted),
            TimeToLive.shown(life),
            alter);
      } else if (TimeToLive.isLonger(life, wanted)) {
        LOG.warn(
            "table '{}' keeps cells for {}, but its dataset asks for {} only. Nothing is shortened automatically, because that deletes cells. If it is intended, run: {}",
            spec.name(),
            TimeToLive.shown(life),
            TimeToLive.shown(wanted),
            alter);
        kept = TimeToLive.isLonger(life, kept) ? life : kept;
      }
    }
    return TimeToLive.of(kept);
  }

  private long timeToLive(CellTable table) {
    Row row =
        requests
            .execute(
                SimpleStatement.newInstance(
                    "SELECT default_time_to_live FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                    requests.options().keyspace(),
                    table.cqlName()))
            .one();
    return row == null ? 0 : row.getInt(0);
  }

  /**
   * Returns how long a table keeps tombstones, and with them what they hide; 0 if it is missing.
   */
  Duration gcGrace(String cqlName) {
    Row row =
        requests
            .execute(
                SimpleStatement.newInstance(
                    "SELECT gc_grace_seconds FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                    requests.options().keyspace(),
                    cqlName))
            .one();
    return row == null ? Duration.ZERO : Duration.ofSeconds(row.getInt(0));
  }

  /** Deletes a table with its cells; does nothing if there is none. */
  synchronized void drop(String name) {
    Listed listed = list(name);
    if (listed != null) {
      clear(listed, true);
    }
  }

  /**
   * Drops the tables of a row and deletes it, unless another process claims it.
   *
   * @param ready whether the row may say that its table is ready
   */
  private void clear(Listed listed, boolean ready) {
    TableEntry entry = entries.remove(listed.spec.name());
    if (entry != null) {
      entry.drop();
    }
    String name = listed.spec.name();
    UUID held = listed.id;
    boolean whole = ready && listed.ready;
    boolean mayBeReady = ready;
    for (CellTable table : tables(listed.spec, TimeToLive.NEVER)) {
      // Claimed again each time: processes that wait for this row restart their timeout at a new
      // id.
      UUID mine = UUID.randomUUID();
      if (!claim(name, held, mine, mayBeReady)) {
        return;
      }
      held = mine;
      mayBeReady = false;
      try {
        change(table.drop(), () -> List.of(table.drop()));
      } catch (StoreException e) {
        if (whole && isRefused(e)) {
          applied(
              "UPDATE %s SET ready = true WHERE part = 'tables' AND name = ? IF id = ?",
              name, held);
        }
        throw e;
      }
      whole = false;
      requests.forget(table.cqlName());
    }
    applied("DELETE FROM %s WHERE part = 'tables' AND name = ? IF id = ?", name, held);
  }

  private boolean claim(String name, UUID theirs, UUID mine, boolean mayBeReady) {
    String condition = mayBeReady ? " IF id = ?" : " IF id = ? AND ready = false";
    if (applied(
        "UPDATE %s SET id = ?, ready = false WHERE part = 'tables' AND name = ?" + condition,
        mine,
        name,
        theirs)) {
      return true;
    }
    // Or the answer to an earlier attempt was lost.
    Listed now = list(name);
    return now != null && now.id.equals(mine);
  }

  /** Returns the names of all existing tables, sorted, including those of other programs. */
  List<String> names() {
    Set<String> names = new TreeSet<>(cqlNames());
    if (isThere()) {
      names.remove(CATALOG);
      String all = "SELECT name, id, ready, unit, families FROM %s WHERE part = 'tables'";
      for (Row row : onceKnown(() -> rows(bound(all).setConsistencyLevel(serial)))) {
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
    Pages pages = Pages.ofAll(requests, statement);
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
    String one =
        "SELECT name, id, ready, unit, families FROM %s WHERE part = 'tables' AND name = ?";
    Row row = onceKnown(() -> requests.execute(bound(one, name).setConsistencyLevel(serial))).one();
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

  private void ensureCatalog(TableSpec spec) {
    if (isThere()) {
      return;
    }
    if (!keyspaceIsThere()) {
      change(createKeyspace(), () -> missing(spec));
    }
    change(createCatalog(), () -> missing(spec));
    there = true;
  }

  private String createKeyspace() {
    return "CREATE KEYSPACE IF NOT EXISTS %s WITH replication = %s"
        .formatted(keyspace, requests.options().replication());
  }

  private String createCatalog() {
    return "CREATE TABLE IF NOT EXISTS %s (part text, name text, id uuid, ready boolean, unit text, families text, PRIMARY KEY ((part), name))"
        .formatted(catalog);
  }

  private boolean keyspaceIsThere() {
    return requests
            .execute(
                SimpleStatement.newInstance(
                    "SELECT keyspace_name FROM system_schema.keyspaces WHERE keyspace_name = ?",
                    requests.options().keyspace()))
            .one()
        != null;
  }

  private static boolean isRefused(StoreException failure) {
    return failure.getCause() instanceof UnauthorizedException;
  }

  /**
   * Changes the schema and waits until all nodes know of it.
   *
   * @param inPlace what an administrator may run instead of granting a missing permission
   */
  private void change(String cql, Supplier<List<String>> inPlace) {
    try {
      requests.execute(SimpleStatement.newInstance(cql).setTimeout(SCHEMA_TIMEOUT));
    } catch (StoreException e) {
      if (!isRefused(e)) {
        throw e;
      }
      throw new StoreException(
          "%s; or instead: %s".formatted(e.getMessage(), String.join("; ", inPlace.get())),
          e.getCause());
    }
    agreement.await(cql);
  }

  private boolean applied(String cql, Object... values) {
    return onceKnown(() ->
            requests.execute(
                bound(cql, values).setConsistencyLevel(commit).setSerialConsistencyLevel(serial)))
        .wasApplied();
  }

  /**
   * Runs a statement on the catalog, again while a node does not know the catalog: one that was
   * down while it was created learns of it when it returns.
   */
  private <T> T onceKnown(Supplier<T> statement) {
    long end = System.nanoTime() + LEARN_TIMEOUT.toNanos();
    while (true) {
      try {
        return statement.get();
      } catch (StoreException e) {
        Throwable cause = e.getCause();
        if (cause == null || !Failures.isMissingTable(cause) || System.nanoTime() - end > 0) {
          throw e;
        }
        sleep();
      }
    }
  }

  private BoundStatement bound(String cql, Object... values) {
    return requests.prepare(cql.formatted(catalog)).bind(values);
  }

  private void sleep() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while another process creates a table", e);
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
