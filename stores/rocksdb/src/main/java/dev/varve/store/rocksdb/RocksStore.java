package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.DamagedStoreException;
import dev.varve.store.FileCheck;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowSpan;
import dev.varve.store.SizeLimits;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.SyncedTo;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.WriteHold;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A store in RocksDB, inside the process, in one directory. */
final class RocksStore implements Store {
  static final String KIND = "rocksdb";
  private static final Logger LOG = LoggerFactory.getLogger(RocksStore.class);

  /** The family is one byte of the key, and the byte value after the last family marks its end. */
  private static final int FAMILIES_MAX = 255;

  private static final Capabilities CAPABILITIES =
      new Capabilities(
          Capabilities.CellTimes.ANY,
          Capabilities.Deletes.IMMEDIATE,
          Capabilities.RowOrder.TABLE,
          new SizeLimits(
              4 << 10, 16 << 10, 1 << 20, 64 << 20, 100L << 20, Long.MAX_VALUE, 10, 100_000),
          Set.of(
              Power.ConditionalPut.class,
              Power.Increment.class,
              Power.RangeDelete.class,
              Power.Reclaim.class));

  private static final byte[] FIRST_KEY = {};
  private static final byte[] LAST_KEY = {-1, -1, -1, -1};
  private static final long OPENING_SECONDS_MAX = 60;
  private static final long SCAN_READAHEAD_BYTES = 1 << 20;

  private final Path directory;
  private final boolean synced;
  private final NativeHandles handles = new NativeHandles();
  private final NativeGate gate;
  private final Database database;
  private final GroupCommit writer;
  private final TableCatalog catalog;
  private final DamageLog damage = new DamageLog();
  private volatile @Nullable DamagedPlaces places;

  /** Released once the places are known, or never will be. */
  private final CountDownLatch opened = new CountDownLatch(1);

  private final Set<RocksCursor> cursors = ConcurrentHashMap.newKeySet();

  /**
   * Opens the store, or creates one in an empty directory.
   *
   * @throws StoreException if the directory is in use, damaged, or cannot be created
   */
  RocksStore(Path directory, RocksOptions options) {
    this(directory, options, null);
  }

  /**
   * Opens the store even if it is damaged.
   *
   * @param salvage what to keep of the data written after the damage; null if damage must fail the
   *     opening
   */
  RocksStore(Path directory, RocksOptions options, @Nullable Salvage salvage) {
    this.directory = directory;
    this.synced = options.sync();
    this.gate = new NativeGate(options.readers(), this::failure);
    this.database =
        gate.call(() -> new Database(directory, options, salvage, handles, this::failed));
    this.damage.begin(database.recovery().damage());
    this.writer = new GroupCommit(database);
    try {
      this.catalog = gate.call(() -> new TableCatalog(database, writer));
      this.places = new DamagedPlaces(directory, database, catalog);
    } catch (StoreException e) {
      close();
      throw e;
    } finally {
      opened.countDown();
    }
  }

  /** Translates a failure for callers, and records damage. */
  private StoreException failure(RocksDBException e) {
    Status status = e.getStatus();
    if (status == null || status.getCode() != Status.Code.Corruption) {
      return new StoreException("rocksdb: " + e.getMessage(), e);
    }
    StoreDamage met = note(String.valueOf(e.getMessage()));
    return new DamagedStoreException(
        "the rocksdb store in %s is damaged: %s; 'varve check' reads everything and shows what else is damaged, 'varve check --repair' repairs it"
            .formatted(directory, met.description()),
        List.of(met),
        e);
  }

  private StoreDamage note(String message) {
    DamagedPlaces known = places;
    DamagedPlaces.Place place = known == null ? null : known.find(message);
    return damage.add(place == null ? DamageLog.unplaced(directory, message) : DamageLog.of(place));
  }

  /** Called by a thread of RocksDB, which must not wait for RocksDB. */
  private void failed(BackgroundErrors.Failure failure) {
    if (!failure.corruption()) {
      LOG.warn("the rocksdb store in {}: {}", directory, failure.text());
      return;
    }
    Thread.ofPlatform()
        .name("rocksdb-damage")
        .daemon()
        .start(() -> {
          try {
            // A compaction may fail while the store is still opening.
            opened.await(OPENING_SECONDS_MAX, TimeUnit.SECONDS);
            gate.pass(() -> note(failure.text()));
          } catch (StoreException | InterruptedException e) {
            LOG.error("the rocksdb store in {}: {}", directory, failure.text());
          }
        });
  }

  @Override
  public void checkFiles(FileCheck check) {
    new TableFiles(directory, gate, database)
        .check(check, message -> check.damaged(gate.call(() -> note(message))));
  }

  @Override
  public @Nullable String writeObstacle() {
    String obstacle = writer.obstacle();
    return obstacle == null
        ? null
        : "the rocksdb store in %s takes no writes: %s".formatted(directory, obstacle);
  }

  @Override
  public WriteHold holdWrites() {
    // Leaves little to write out while writers wait.
    gate.call(() -> {
      database.flush();
      return directory;
    });
    return new HeldWrites(this, writer.pause());
  }

  /**
   * Returns the rows of all tables between two keys of cells, both inclusive.
   *
   * @param from null for all keys before {@code to}
   * @param to null for all keys after {@code from}
   */
  List<RowSpan> rows(byte @Nullable [] from, byte @Nullable [] to) {
    return catalog.rows(from == null ? FIRST_KEY : from, to == null ? LAST_KEY : to);
  }

  @Override
  public List<StoreDamage> damage() {
    return damage.all();
  }

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public boolean isEmbedded() {
    return true;
  }

  @Override
  public SyncedTo syncedTo() {
    return synced ? SyncedTo.DISK : SyncedTo.OPERATING_SYSTEM;
  }

  @Override
  public Capabilities capabilities(TableSpec spec) {
    return CAPABILITIES;
  }

  @Override
  public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
    gate.ensureOpen();
    List<String> reasons = new ArrayList<>(CAPABILITIES.reasonsAgainst("rocksdb", spec, needs));
    if (spec.families().size() > FAMILIES_MAX) {
      reasons.add(
          "table '%s' has %d families, but the rocksdb store supports at most %d"
              .formatted(spec.name(), spec.families().size(), FAMILIES_MAX));
    }
    TableEntry entry = catalog.find(spec.name());
    String difference = entry == null ? null : spec.differenceFrom(entry.spec());
    if (difference != null) {
      reasons.add(
          "table '%s' of the rocksdb store in %s exists with a different definition: %s"
              .formatted(spec.name(), directory, difference));
    }
    return reasons;
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    List<String> reasons = check(spec, Set.of());
    if (!reasons.isEmpty()) {
      throw new StoreException(String.join("; ", reasons));
    }
    TableEntry entry = catalog.find(spec.name());
    if (entry == null) {
      if (mode != OpenMode.CREATE_IF_ABSENT) {
        throw new StoreException(
            "the rocksdb store in %s has no table '%s'".formatted(directory, spec.name()));
      }
      entry = gate.pass(() -> catalog.create(spec));
    }
    return new RocksTable(this, entry, spec, mode == OpenMode.READ_ONLY);
  }

  @Override
  public List<String> tables() {
    gate.ensureOpen();
    return catalog.names();
  }

  @Override
  public void drop(String table) {
    gate.pass(() -> {
      catalog.drop(table);
      return table;
    });
  }

  @Override
  public Map<String, Double> figures() {
    return gate.call(() -> {
      Map<String, Double> figures = new TreeMap<>();
      figures.put("tables", (double) catalog.names().size());
      figures.put("open_cursors", (double) cursors.size());
      figures.put("native_handles", (double) handles.live());
      figures.put("write_groups_total", (double) writer.writes());
      figures.put("syncs_total", (double) writer.syncs());
      figures.put("block_cache_bytes", (double) database.cacheBytes());
      figures.put("block_cache_max_bytes", (double) database.cacheMaxBytes());
      figures.put("memtable_bytes", figure("rocksdb.cur-size-all-mem-tables"));
      figures.put("table_bytes", figure("rocksdb.live-sst-files-size"));
      figures.put("cells_estimate", figure("rocksdb.estimate-num-keys"));
      figures.put("compaction_pending_bytes", figure("rocksdb.estimate-pending-compaction-bytes"));
      figures.put("damage_total", (double) damage.count());
      figures.put("background_errors_total", (double) database.backgroundErrors());
      figures.putAll(database.recovery().figures());
      return figures;
    });
  }

  private double figure(String property) throws RocksDBException {
    return database.cellsFigure(property);
  }

  NativeGate gate() {
    return gate;
  }

  Database database() {
    return database;
  }

  GroupCommit writer() {
    return writer;
  }

  /** Returns the number of open native objects; 0 once the store is closed. */
  int liveHandles() {
    return handles.live();
  }

  NativeHandles newHandles() {
    return handles.separate();
  }

  /** Opens an iterator over everything the plan may touch; it sees all earlier writes. */
  RocksIterator iterator(RocksCursor cursor, TableEntry table, ReadPlan plan) {
    NativeHandles own = cursor.handles();
    cursors.add(cursor);
    boolean wholeTable = false;
    Bytes first = plan.slices().getFirst().fromRow();
    Bytes end = Bytes.EMPTY;
    for (Slice slice : plan.slices()) {
      wholeTable |= slice.partition().isEmpty() && slice.toRow() == null;
      first = first.compareTo(slice.fromRow()) <= 0 ? first : slice.fromRow();
      Bytes sliceEnd = slice.endRow();
      end = end == null || sliceEnd == null ? null : end.compareTo(sliceEnd) < 0 ? sliceEnd : end;
    }
    ReadOptions options = own.own(new ReadOptions());
    options.setIterateLowerBound(own.own(new org.rocksdb.Slice(bound(table, first))));
    options.setIterateUpperBound(own.own(new org.rocksdb.Slice(bound(table, end))));
    if (wholeTable) {
      // A whole scan would evict blocks that other reads use repeatedly.
      options.setFillCache(false).setReadaheadSize(SCAN_READAHEAD_BYTES);
    }
    return own.own(database.cells(options));
  }

  private static byte[] bound(TableEntry table, @Nullable Bytes row) {
    GrowingBytes key = new GrowingBytes(64);
    if (row == null) {
      key.addInt(table.id() + 1);
    } else {
      KeyFormat.addRow(key, table.id(), row.toArray(), 0, row.length());
    }
    return key.toArray();
  }

  void forget(RocksCursor cursor) {
    cursors.remove(cursor);
  }

  @Override
  public void close() {
    gate.close(() -> {
      try {
        writer.close();
      } finally {
        // A write that never ends keeps the database open until the process ends.
        if (writer.hasEnded()) {
          cursors.forEach(RocksCursor::release);
          if (writer.stopped() == null) {
            database.noteCleanStop();
          }
          database.close();
        }
      }
    });
  }
}
