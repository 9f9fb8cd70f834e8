package dev.varve.engine.usage;

import dev.varve.engine.home.UsageTable;
import dev.varve.engine.home.UsageTable.Kind;
import dev.varve.engine.home.UsageTable.Stored;
import dev.varve.engine.request.Cardinality;
import dev.varve.engine.threads.BackgroundThread;
import dev.varve.model.Bytes;
import dev.varve.model.Selector;
import dev.varve.store.LaterFormatException;
import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the query log of a dataset and its daily cardinality in the home. A thread writes changed
 * queries every minute, and the cardinality once a day; both are written at a clean stop, too. Safe
 * for use by several threads.
 */
public final class UsageKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UsageKeeper.class);
  private static final Duration PAUSE = Duration.ofMinutes(1);
  private static final long DAY_MILLIS = 24 * 3_600_000L;

  /** Number of days for which the cardinality is kept. */
  public static final int DAYS_KEPT = 400;

  /** Number of days without a query after which its kind is removed from the log. */
  private static final int UNUSED_DAYS = 90;

  private final String dataset;
  private final LongSupplier millis;
  private final UsageTable table;
  private final LongSupplier stamps;
  private final Supplier<Cardinality> cardinality;
  private final QueryLog log;
  private final BackgroundThread thread;

  /** Whether a later version wrote the home's part, which then stays as it is. */
  private volatile boolean refused;

  /** Guarded by this. */
  private long lastDay = Long.MIN_VALUE;

  /**
   * @param millis the system clock, in milliseconds since 1970
   * @param stamps source of stamps that rise
   * @param cardinality counts at most {@link CardinalityDay#NAMES_MAX} names in each list
   */
  public UsageKeeper(
      String dataset,
      QueryLog log,
      UsageTable table,
      LongSupplier millis,
      LongSupplier stamps,
      Supplier<Cardinality> cardinality) {
    this.dataset = dataset;
    this.log = log;
    this.table = table;
    this.millis = millis;
    this.stamps = stamps;
    this.cardinality = cardinality;
    this.thread = BackgroundThread.virtual("usage of " + dataset);
  }

  /** Loads the log from the home, and starts the thread. */
  public void start() {
    attempt(this::load);
    thread.start(() -> {
      while (thread.pause(PAUSE)) {
        attempt(this::write);
      }
    });
  }

  private void load() {
    List<QueryLog.Slot> own = new ArrayList<>();
    List<Stored> old = new ArrayList<>();
    long oldest = millis.getAsLong() - UNUSED_DAYS * DAY_MILLIS;
    table.read(
        Kind.QUERY,
        stored -> {
          LoggedQuery query = decode(stored);
          if (query == null || query.last() < oldest) {
            old.add(stored);
          } else if (stored.own()) {
            own.add(new QueryLog.Slot((int) stored.number(), query));
          }
        });
    // Only what can be read may be written.
    storedDays();
    log.restore(own);
    old.forEach(stored -> table.delete(Kind.QUERY, stored));
  }

  private @Nullable LoggedQuery decode(Stored stored) {
    try {
      return QueryCode.decode(stored.value());
    } catch (LaterFormatException e) {
      throw e.in(table.name());
    } catch (IllegalArgumentException e) {
      LOG.warn(
          "dataset '{}': logged query {} is damaged and dropped: {}",
          dataset,
          stored.number(),
          e.getMessage());
      return null;
    }
  }

  private void attempt(Runnable work) {
    try {
      work.run();
    } catch (LaterFormatException e) {
      refused = true;
      LOG.error("dataset '{}': the query log is kept in memory alone: {}", dataset, e.getMessage());
    } catch (StoreException e) {
      LOG.warn("dataset '{}': query log: {}", dataset, e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("dataset '{}': the query log failed and will go on", dataset, e);
    }
  }

  /**
   * Writes the changes, unless a later version has written the table.
   *
   * @throws StoreException if the home cannot be written; it is written later
   */
  public synchronized void write() {
    if (refused) {
      return;
    }
    List<QueryLog.Slot> changed = log.changed();
    Map<Long, Bytes> values = new LinkedHashMap<>();
    changed.forEach(slot -> values.put((long) slot.slot(), QueryCode.encode(slot.query())));
    table.put(Kind.QUERY, values, stamps.getAsLong());
    log.written(changed);
    long day = Math.floorDiv(millis.getAsLong(), DAY_MILLIS);
    if (day != lastDay) {
      count(day);
    }
  }

  /**
   * Takes removed labels out of the query log and the cardinality, and out of their files.
   *
   * @param metric whether a metric has to go
   * @param label whether the name of a label has to go
   * @param example whether a selector names something that has to go
   * @throws StoreException if the home fails; this can be repeated
   */
  public synchronized void forget(
      Predicate<String> metric, Predicate<String> label, Predicate<Selector> example) {
    log.forget(metric, example);
    if (refused) {
      return;
    }
    write();
    // Beside what was just written, there are kinds that were evicted or forgotten.
    List<Stored> naming = new ArrayList<>();
    table.read(
        Kind.QUERY,
        stored -> {
          LoggedQuery query = decode(stored);
          if (query == null
              || metric.test(query.shape().metric())
              || example.test(query.example())) {
            naming.add(stored);
          }
        });
    naming.forEach(stored -> table.delete(Kind.QUERY, stored));
    Map<Long, Bytes> days = new LinkedHashMap<>();
    storedDays()
        .forEach((number, day) -> {
          CardinalityDay kept = day.without(metric, label);
          if (!kept.equals(day)) {
            days.put(number, kept.encode());
          }
        });
    table.put(Kind.DAY, days, stamps.getAsLong());
    table.reclaim();
  }

  private void count(long day) {
    Cardinality now = cardinality.get();
    if (now.series() > 0) {
      Bytes value = CardinalityDay.of(day, now).encode();
      table.put(Kind.DAY, Map.of(day, value), stamps.getAsLong());
    }
    List<Stored> old = new ArrayList<>();
    table.read(
        Kind.DAY,
        stored -> {
          if (stored.number() <= day - DAYS_KEPT) {
            old.add(stored);
          }
        });
    old.forEach(stored -> table.delete(Kind.DAY, stored));
    lastDay = day;
  }

  /** Returns the log of this server. */
  public QueryLog log() {
    return log;
  }

  /**
   * Returns the kinds of queries of all servers, those with the most queries first.
   *
   * @throws StoreException if the home cannot be read
   */
  public List<LoggedQuery> queries() {
    Map<QueryShape, LoggedQuery> all = new HashMap<>();
    log.queries().forEach(one -> all.put(one.shape(), one));
    table.read(
        Kind.QUERY,
        stored -> {
          LoggedQuery query = stored.own() ? null : decode(stored);
          if (query != null) {
            all.merge(query.shape(), query, LoggedQuery::plus);
          }
        });
    return all.values().stream()
        .sorted(Comparator.comparingLong((LoggedQuery one) -> one.costs().count()).reversed())
        .toList();
  }

  /**
   * Returns the cardinality day by day, up to now.
   *
   * @throws StoreException if the home cannot be read
   */
  public List<CardinalityDay> days() {
    Map<Long, CardinalityDay> days = storedDays();
    long today = Math.floorDiv(millis.getAsLong(), DAY_MILLIS);
    Cardinality now = cardinality.get();
    if (now.series() > 0) {
      days.put(today, CardinalityDay.of(today, now));
    }
    return List.copyOf(days.values());
  }

  private Map<Long, CardinalityDay> storedDays() {
    Map<Long, CardinalityDay> days = new TreeMap<>();
    table.read(
        Kind.DAY,
        stored -> {
          try {
            days.put(stored.number(), CardinalityDay.decode(stored.number(), stored.value()));
          } catch (LaterFormatException e) {
            throw e.in(table.name());
          } catch (IllegalArgumentException e) {
            LOG.warn(
                "dataset '{}': the cardinality of day {} is damaged: {}",
                dataset,
                stored.number(),
                e.getMessage());
          }
        });
    return days;
  }

  /** Writes the last changes, and ends. The home is still open then. */
  @Override
  public void close() {
    thread.close();
    if (thread.isStarted()) {
      attempt(() -> {
        synchronized (this) {
          lastDay = Long.MIN_VALUE;
        }
        write();
      });
    }
  }
}
