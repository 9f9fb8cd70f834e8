package dev.varve.store.bigtable;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.ApiException;
import com.google.cloud.bigtable.data.v2.models.BulkMutation;
import com.google.cloud.bigtable.data.v2.models.ConditionalRowMutation;
import com.google.cloud.bigtable.data.v2.models.Filters.Filter;
import com.google.cloud.bigtable.data.v2.models.Query;
import com.google.cloud.bigtable.data.v2.models.TableId;
import com.google.protobuf.ByteString;
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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A store in an instance of Bigtable. */
final class BigtableStore implements Store {
  static final String KIND = "bigtable";

  /** Bigtable's own limits. The service rejects anything beyond them; the emulator accepts it. */
  private static final SizeLimits LIMITS =
      new SizeLimits(4 << 10, 16 << 10, 10 << 20, 100 << 20, 100L << 20, 256L << 20, 100, 100_000);

  /** After a delete, Google removes the data within this time. */
  private static final Duration COLLECTED_AFTER = Duration.ofDays(7);

  private static final Set<Class<? extends Power>> POWERS =
      Set.of(Power.ConditionalPut.class, Power.Increment.class);

  private final BigtableOptions options;
  private final Usage usage;
  private final Clients clients;
  private final TableCatalog catalog;
  private final Keeping keeping;
  private final Semaphore writes;
  private final Map<String, TableMapping> open = new ConcurrentHashMap<>();
  private final Set<BigtableCursor> cursors = ConcurrentHashMap.newKeySet();
  private final LongAdder reads = new LongAdder();
  private final LongAdder mutations = new LongAdder();
  private final LongAdder conditions = new LongAdder();

  BigtableStore(BigtableOptions options) {
    this.options = options;
    this.usage = new Usage("the bigtable store " + options.place());
    this.clients = Clients.open(options);
    this.catalog = new TableCatalog(clients, options);
    this.keeping = new Keeping(clients, options);
    this.writes = new Semaphore(options.concurrency());
  }

  BigtableOptions options() {
    return options;
  }

  Usage usage() {
    return usage;
  }

  void ensureOpen() {
    usage.ensureOpen();
  }

  Attempts attempts() {
    return new Attempts(usage, options.timeout(), options.retries());
  }

  /** For conflicts with other writers, which do not count as failures. */
  Attempts attemptsAgainstOthers() {
    return new Attempts(usage, options.timeout(), Integer.MAX_VALUE);
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public String place(TableSpec spec) {
    return "project %s, instance %s".formatted(options.project(), options.instance());
  }

  /** Bigtable has no call for this; Google states a week. */
  @Override
  public Collected collected(TableSpec spec, Instant deleted) {
    Instant from = deleted.plus(COLLECTED_AFTER);
    return from.isBefore(Instant.now())
        ? Collected.GONE
        : new Collected(
            false,
            from,
            true,
            "Bigtable removes deleted cells when it compacts, up to a week after the delete. It does not tell when, and nothing makes it earlier. Backups of the table in Bigtable keep them: 'gcloud bigtable backups list' shows these.");
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    boolean stamped = new TableMapping(spec, options.prefix()).hasStamps();
    SizeLimits limits =
        new SizeLimits(
            LIMITS.rowKey(),
            LIMITS.qualifier(),
            LIMITS.softValue(),
            LIMITS.hardValue() - (stamped ? FamilyMapping.STAMP_LENGTH : 0),
            LIMITS.softRow(),
            LIMITS.hardRow(),
            LIMITS.families(),
            LIMITS.editsPerRow());
    return new Capabilities(
        FamilyMapping.cellTimes(spec.timeUnit()),
        Capabilities.Deletes.IMMEDIATE,
        Capabilities.RowOrder.TABLE,
        limits,
        options.transactions() ? POWERS : Set.of());
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    usage.enter();
    try {
      List<String> reasons = TableMapping.reasonsAgainst(spec, options.prefix());
      for (Class<? extends Power> need : needs) {
        if (!capabilities(spec).has(need)) {
          reasons.add(lacks(spec, need));
        }
      }
      if (reasons.isEmpty()) {
        reasons.addAll(spec.foreign() ? lacking(spec) : differences(spec));
      }
      return reasons;
    } finally {
      usage.leave();
    }
  }

  private String lacks(TableSpec spec, Class<? extends Power> need) {
    String why =
        POWERS.contains(need)
            ? "while option transactions is false"
            : "as Bigtable deletes rows by prefix only";
    return "table '%s' needs %s, which the bigtable store does not support %s"
        .formatted(spec.name(), need.getSimpleName(), why);
  }

  private List<String> differences(TableSpec spec) {
    if (spec.name().equals(TableCatalog.NAME)) {
      return List.of(
          "table '%s' is reserved for the bigtable store's catalog".formatted(spec.name()));
    }
    TableSpec made = catalog.find(spec.name());
    String difference = made == null ? null : spec.differenceFrom(made);
    return difference == null
        ? List.of()
        : List.of(
            "table '%s' of the bigtable store %s exists with a different definition: %s"
                .formatted(spec.name(), options.place(), difference));
  }

  /**
   * Returns what an existing foreign table lacks to be readable: its first family. Some versions of
   * the other program create further families, and others do not.
   */
  private List<String> lacking(TableSpec spec) {
    if (!catalog.isThere(spec.name())) {
      return List.of();
    }
    Set<String> found = catalog.families(spec.name(), spec.name());
    String first = spec.families().getFirst().name();
    return found.contains(first)
        ? List.of()
        : List.of(
            "table '%s' of the bigtable store %s has no family '%s', only %s"
                .formatted(spec.name(), options.place(), first, found));
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    List<String> reasons = check(spec, Set.of());
    if (!reasons.isEmpty()) {
      throw new StoreException(String.join("; ", reasons));
    }
    usage.enter();
    try {
      if (spec.foreign()) {
        return openForeign(spec, mode);
      }
      ensureThere(spec, mode);
    } finally {
      usage.leave();
    }
    TableMapping mapping = new TableMapping(spec, options.prefix());
    TableMapping shared =
        open.merge(spec.name(), mapping, (old, fresh) -> old.isDropped() ? fresh : old);
    return new BigtableTable(this, shared, spec, mode == OpenMode.READ_ONLY);
  }

  private Table openForeign(TableSpec spec, OpenMode mode) {
    Set<String> absent = new TreeSet<>();
    spec.families().forEach(family -> absent.add(family.name()));
    absent.removeAll(catalog.families(spec.name(), spec.name()));
    TableMapping mapping = new TableMapping(spec, options.prefix(), absent);
    return new BigtableTable(this, mapping, spec, mode == OpenMode.READ_ONLY);
  }

  private void ensureThere(TableSpec spec, OpenMode mode) {
    TableSpec made = catalog.find(spec.name());
    if (made == null && mode != OpenMode.CREATE_IF_ABSENT) {
      throw new StoreException(
          "the bigtable store %s has no table '%s'".formatted(options.place(), spec.name()));
    }
    String difference = spec.differenceFrom(made == null ? catalog.create(spec) : made);
    if (difference != null) {
      throw new StoreException(
          "table '%s' of the bigtable store %s was just created with a different definition by another process: %s"
              .formatted(spec.name(), options.place(), difference));
    }
    if (mode != OpenMode.READ_ONLY) {
      keeping.keepAsLongAsNeeded(spec, TableMapping.id(spec.name(), options.prefix()));
    }
  }

  @Override
  public List<String> tables() {
    usage.enter();
    try {
      return catalog.names();
    } finally {
      usage.leave();
    }
  }

  @Override
  public boolean exists(TableSpec spec) {
    usage.enter();
    try {
      return spec.foreign() ? catalog.isThere(spec.name()) : catalog.names().contains(spec.name());
    } finally {
      usage.leave();
    }
  }

  @Override
  public void drop(String table) {
    usage.enter();
    try {
      TableMapping dropped = open.remove(table);
      if (dropped != null) {
        dropped.drop();
      }
      catalog.drop(table);
    } finally {
      usage.leave();
    }
  }

  @Override
  public Map<String, Double> figures() {
    ensureOpen();
    Map<String, Double> figures = new TreeMap<>();
    figures.put("open_cursors", (double) cursors.size());
    figures.put("requests_total", (double) reads.sum() + mutations.sum() + conditions.sum());
    figures.put("requests_failed_total", (double) clients.failures());
    figures.put("read_requests_total", (double) reads.sum());
    figures.put("mutation_requests_total", (double) mutations.sum());
    figures.put("conditional_requests_total", (double) conditions.sum());
    figures.put("writes_in_flight", (double) options.concurrency() - writes.availablePermits());
    return figures;
  }

  BigtableCursor begin(BigtableCursor cursor) {
    cursors.add(cursor);
    return cursor;
  }

  void forget(BigtableCursor cursor) {
    cursors.remove(cursor);
  }

  /** Starts a request for rows; the stream receives its end. */
  void read(TableMapping table, SegmentRequest request, RowStream rows) {
    reads.increment();
    try {
      clients.data().readRowsCallable(new ReceivedRows(table)).call(request.query(), rows);
    } catch (RuntimeException e) {
      ensureOpen();
      throw new FailedCall(e);
    }
  }

  /** Records that a call failed. */
  FailedCall failed(Throwable thrown) {
    return clients.failed(thrown);
  }

  StoreException failedRead(TableMapping table, FailedCall call) {
    failed(call);
    ensureOpen();
    String name = table.spec().name();
    return call.isNotFound()
        ? new StoreException(
            "table '%s' was dropped: %s".formatted(name, call.describe("Bigtable")), call)
        : call.toStoreException("reading table '%s'".formatted(name));
  }

  /** Returns the cells of one row that a filter selects; null if there are none. */
  @Nullable ReceivedRow readRow(TableMapping table, ByteString key, Filter filter) {
    reads.increment();
    try {
      return clients
          .data()
          .readRowCallable(new ReceivedRows(table))
          .call(Query.create(TableId.of(table.id())).rowKey(key).filter(filter));
    } catch (ApiException e) {
      throw failed(e);
    }
  }

  /** Starts to write, as soon as the limit of concurrent requests permits. */
  ApiFuture<Void> mutate(BulkMutation mutation) throws InterruptedException {
    writes.acquire();
    mutations.increment();
    boolean started = false;
    try {
      ApiFuture<Void> answer = clients.data().bulkMutateRowsAsync(mutation);
      answer.addListener(writes::release, Runnable::run);
      started = true;
      return answer;
    } catch (RuntimeException e) {
      return ApiFutures.immediateFailedFuture(e);
    } finally {
      if (!started) {
        writes.release();
      }
    }
  }

  /** Writes one row conditionally; returns whether the condition held. */
  boolean mutateIf(ConditionalRowMutation mutation) {
    conditions.increment();
    try {
      return clients.data().checkAndMutateRow(mutation);
    } catch (ApiException e) {
      throw failed(e);
    }
  }

  /** Ends reads at once. Writes in progress complete their current attempt, but start no other. */
  @Override
  public void close() {
    if (usage.close()) {
      cursors.forEach(BigtableCursor::wake);
      usage.awaitNobody(options.attemptTimeout().plus(Duration.ofSeconds(1)));
      clients.close();
    }
  }
}
