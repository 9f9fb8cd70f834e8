package dev.varve.store.hbase;

import dev.varve.store.Capabilities;
import dev.varve.store.Collected;
import dev.varve.store.Power;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store in one namespace of HBase. */
final class HBaseStore implements Store {
  static final String KIND = "hbase";
  private static final Logger LOG = LoggerFactory.getLogger(HBaseStore.class);

  /** Families are numbered with two decimal digits if their names are out of order. */
  private static final int FAMILIES_MAX = 100;

  /**
   * HBase allows keys of 32,767 bytes, also in its catalog, where the name of the table precedes
   * them. Its servers accept cells of 10 MiB; everything except the value fits into 64 KiB.
   */
  private static final SizeLimits LIMITS =
      new SizeLimits(
          31 << 10,
          16 << 10,
          1 << 20,
          (10 << 20) - (64 << 10),
          100L << 20,
          Long.MAX_VALUE,
          3,
          100_000);

  private static final Capabilities CAPABILITIES =
      new Capabilities(
          new Capabilities.CellTimes(0, Long.MAX_VALUE - 1, 1),
          Capabilities.Deletes.MASK_OLDER,
          Capabilities.RowOrder.TABLE,
          LIMITS,
          Set.of(Power.ConditionalPut.class, Power.Increment.class));

  private final HBaseOptions options;
  private final Calls calls;
  private final Cluster cluster;
  private final WriteCounts writes = new WriteCounts();
  private final Map<String, AtomicBoolean> dropped = new ConcurrentHashMap<>();
  private final Set<HBaseCursor> cursors = ConcurrentHashMap.newKeySet();

  /**
   * Connects to HBase.
   *
   * @throws StoreException if it cannot be reached
   */
  HBaseStore(HBaseOptions options) {
    this.options = options;
    this.calls = new Calls(options.operationTimeout());
    this.cluster = new Cluster(options, calls);
  }

  @Override
  public String kind() {
    return KIND;
  }

  /** HBase assigns every cluster a permanent id when it first starts. */
  @Override
  public String place(TableSpec spec) {
    calls.ensureOpen();
    return "cluster %s, namespace %s".formatted(cluster.id(), options.namespace());
  }

  @Override
  public Collected collected(TableSpec spec, Instant deleted) {
    calls.ensureOpen();
    TableName name = nameOf(spec);
    TableDescriptor found = cluster.find(name);
    return found == null
        ? Collected.GONE
        : Compactions.collected(found, cluster.regionReport(name), deleted);
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return CAPABILITIES;
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    calls.ensureOpen();
    return check(spec, needs, cluster.find(nameOf(spec)));
  }

  private TableName nameOf(TableSpec spec) {
    return spec.foreign() ? cluster.foreignName(spec.name()) : cluster.ownName(spec.name());
  }

  private static List<String> check(
      TableSpec spec, Set<Class<? extends Power>> needs, @Nullable TableDescriptor found) {
    List<String> reasons = new ArrayList<>(CAPABILITIES.reasonsAgainst("hbase", spec, needs));
    addFamilyReasons(spec, reasons);
    if (found != null) {
      String difference = spec.foreign() ? missing(spec, found) : difference(spec, found);
      if (difference != null) {
        reasons.add("table '%s' of the hbase store %s".formatted(spec.name(), difference));
      }
    }
    return reasons;
  }

  private static void addFamilyReasons(TableSpec spec, List<String> reasons) {
    if (spec.families().size() > FAMILIES_MAX) {
      reasons.add(
          "table '%s' has %d families, but the hbase store supports at most %d"
              .formatted(spec.name(), spec.families().size(), FAMILIES_MAX));
    }
    spec.families().stream()
        .filter(family -> family.name().matches("\\..*|.*[:/\\\\].*"))
        .forEach(family ->
            reasons.add(
                "table '%s': family '%s' begins with a dot or has one of : / \\, which HBase does not allow"
                    .formatted(spec.name(), family.name())));
    if (spec.foreign() && !TableDescription.inOrder(spec)) {
      reasons.add(
          "table '%s': HBase returns families in the order of their names, but %s are in another order"
              .formatted(spec.name(), spec.families()));
    }
  }

  /** Returns what a foreign table lacks; null if it has everything. */
  private static @Nullable String missing(TableSpec spec, TableDescriptor found) {
    List<String> missing =
        TableDescription.familyNames(spec).stream()
            .filter(family -> !found.hasColumnFamily(family))
            .map(family -> new String(family, StandardCharsets.UTF_8))
            .toList();
    return missing.isEmpty() ? null : "has no family " + String.join(", ", missing);
  }

  private static @Nullable String difference(TableSpec spec, TableDescriptor found) {
    Optional<TableSpec> made = TableDescription.specOf(spec.name(), found);
    if (made.isEmpty()) {
      return "exists and was created by another program";
    }
    String difference = spec.differenceFrom(made.get());
    return difference == null ? null : "exists with a different definition: " + difference;
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    calls.ensureOpen();
    TableName name = nameOf(spec);
    TableDescriptor found = cluster.find(name);
    List<String> reasons = check(spec, Set.of(), found);
    if (!reasons.isEmpty()) {
      throw new StoreException(String.join("; ", reasons));
    }
    if (found == null) {
      if (mode != OpenMode.CREATE_IF_ABSENT || spec.foreign()) {
        throw new StoreException(
            "the hbase store has no table '%s' in namespace '%s'"
                .formatted(spec.name(), options.namespace()));
      }
      cluster.create(TableDescription.of(name, spec, options), spec);
      return open(spec, OpenMode.READ_WRITE);
    }
    if (mode != OpenMode.READ_ONLY && !spec.foreign()) {
      keepAsLongAsNeeded(spec, found);
    }
    TableEntry entry =
        new TableEntry(
            name,
            spec,
            TableDescription.familyNames(spec),
            dropped.computeIfAbsent(spec.name(), any -> new AtomicBoolean()));
    return new HBaseTable(this, entry, mode == OpenMode.READ_ONLY);
  }

  /**
   * Increases the time that HBase keeps cells, if the retention requires it. A shorter time would
   * delete cells, for other servers of the table too, and is left to the operator.
   */
  private void keepAsLongAsNeeded(TableSpec spec, TableDescriptor found) {
    TableDescriptor wanted = TableDescription.keepingLonger(spec, found);
    if (!wanted.equals(found)) {
      cluster.alter(wanted);
      LOG.info("table '{}' now keeps cells longer, as its retention requires", spec.name());
    }
    TableDescription.shorterTimesToLive(spec, found)
        .forEach((family, seconds) ->
            LOG.warn(
                "table '{}' keeps cells of family '{}' longer than its retention requires. Readers do not see them; to remove them, run in HBase's shell: alter '{}', {NAME => '{}', TTL => {}}",
                spec.name(),
                family,
                found.getTableName(),
                family,
                seconds));
  }

  @Override
  public List<String> tables() {
    calls.ensureOpen();
    return cluster.tables();
  }

  @Override
  public boolean exists(TableSpec spec) {
    calls.ensureOpen();
    return spec.foreign()
        ? cluster.find(cluster.foreignName(spec.name())) != null
        : tables().contains(spec.name());
  }

  /**
   * {@inheritDoc}
   *
   * @throws StoreException if another program created the table
   */
  @Override
  public void drop(String table) {
    calls.ensureOpen();
    TableName name = cluster.ownName(table);
    TableDescriptor found = cluster.find(name);
    if (found == null) {
      return;
    }
    if (TableDescription.specOf(table, found).isEmpty()) {
      throw new StoreException(
          "table '%s' of the hbase store was created by another program and is not dropped"
              .formatted(table));
    }
    AtomicBoolean gone = dropped.remove(table);
    if (gone != null) {
      gone.set(true);
    }
    cluster.drop(name);
  }

  @Override
  public Map<String, Double> figures() {
    calls.ensureOpen();
    Map<String, Double> figures = new TreeMap<>();
    figures.put("open_cursors", (double) cursors.size());
    figures.put("requests_total", (double) calls.count());
    figures.put("requests_failed_total", (double) calls.failures());
    writes.addTo(figures);
    return figures;
  }

  HBaseOptions options() {
    return options;
  }

  Calls calls() {
    return calls;
  }

  Cluster cluster() {
    return cluster;
  }

  WriteCounts writes() {
    return writes;
  }

  void note(HBaseCursor cursor) {
    cursors.add(cursor);
    if (calls.isClosed()) {
      cursor.stop();
    }
  }

  void forget(HBaseCursor cursor) {
    cursors.remove(cursor);
  }

  @Override
  public void close() {
    if (calls.close()) {
      cursors.forEach(HBaseCursor::stop);
      cluster.close();
    }
  }
}
