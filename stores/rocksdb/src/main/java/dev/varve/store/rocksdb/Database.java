package dev.varve.store.rocksdb;

import dev.varve.store.DamagedStoreException;
import dev.varve.store.PrivateDirectory;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.rocksdb.BackgroundErrors.Failure;
import dev.varve.store.rocksdb.wal.GroupMark;
import dev.varve.store.rocksdb.wal.LogFiles;
import dev.varve.store.rocksdb.wal.LogRecovery;
import dev.varve.store.rocksdb.wal.StateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.Checkpoint;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Status;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open RocksDB database with two column families: {@code default} for the list of tables, and
 * {@code cells} for the cells of all tables. Callers must ensure that it is open.
 */
final class Database implements GroupCommit.Log, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  private static final byte[] CELLS = "cells".getBytes(StandardCharsets.US_ASCII);
  private static final int BLOCK_BYTES = 32 << 10;

  /**
   * Keys between those that are stored whole. 32 instead of 16 take 1 % less, since neighbours
   * share most of their keys.
   */
  private static final int KEYS_BETWEEN_RESTARTS = 32;

  /** A key next to the list of tables, written to probe whether writes succeed. */
  private static final byte[] PROBE = "probe".getBytes(StandardCharsets.US_ASCII);

  /** The share of the cache that is reserved for indexes. */
  private static final double INDEX_SHARE = 0.2;

  private final NativeHandles handles;
  private final boolean sync;
  private final long cacheMax;
  private final Path directory;
  private final RocksDB db;
  private final ColumnFamilyHandle catalog;
  private final ColumnFamilyHandle cells;
  private final Cache cache;
  private final WriteOptions writeOptions;
  private final ReadOptions pointReads;

  private final BackgroundErrors errors;

  /** Failed flushes and compactions at the last count. */
  private long failuresSeen = Long.MAX_VALUE;

  /** The last result of {@link #isStarved}. */
  private boolean starved;

  /** The sequence number covered by the last sync; used by the writer thread only. */
  private long syncedThrough;

  /**
   * The sum of RocksDB's super-version numbers of both families when the newest log was recorded;
   * -1 if no sync has happened yet.
   */
  private long memtables = -1;

  /** The newest log when the database was opened, and the last sequence number before it. */
  private long firstLog;

  private long firstSequence;

  private final DirectoryClaim claim;
  private final Recovery recovery;

  /** Opens the database, or creates it. */
  Database(Path directory, RocksOptions options, NativeHandles handles) {
    this(directory, options, null, handles, failure -> {});
  }

  /**
   * Opens the database, or creates it.
   *
   * @param salvage the data after damage that a recovery keeps; null if damage must fail the
   *     opening
   * @param told called with failed flushes and compactions, on threads of RocksDB; must neither
   *     throw nor block
   * @throws StoreException if the database is in use or damaged, or the directory cannot be created
   */
  Database(
      Path directory,
      RocksOptions options,
      @Nullable Salvage salvage,
      NativeHandles handles,
      Consumer<Failure> told) {
    this.handles = handles;
    this.sync = options.sync();
    this.directory = directory;
    this.cacheMax = options.memoryBytes();
    this.claim = claim(directory);
    try {
      RepairSwap.ensureNone(directory);
      recovery = new Recovery(LogRecovery.prepare(directory, sync, salvage));
      RocksDB.loadLibrary();
      errors = handles.own(new BackgroundErrors(told));
      cache = handles.own(new LRUCache(options.memoryBytes(), -1, false, INDEX_SHARE));
      writeOptions = handles.own(new WriteOptions());
      pointReads = handles.own(new ReadOptions());
      ColumnFamilyOptions family = familyOptions(options);
      List<ColumnFamilyHandle> families = new ArrayList<>();
      db =
          handles.own(
              RocksDB.open(
                  databaseOptions(options),
                  directory.toString(),
                  List.of(
                      new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, family),
                      new ColumnFamilyDescriptor(CELLS, family)),
                  families));
      catalog = handles.own(families.get(0));
      cells = handles.own(families.get(1));
      // Everything recovered is in table files now.
      syncedThrough = db.getLatestSequenceNumber();
      firstSequence = syncedThrough;
      firstLog = newestLog();
      noteLog();
    } catch (StoreException e) {
      close();
      throw e;
    } catch (RocksDBException e) {
      close();
      throw cannotOpen(directory, e);
    } catch (IOException e) {
      close();
      throw new StoreException("cannot list the logs in %s: %s".formatted(directory, e), e);
    }
  }

  private static DirectoryClaim claim(Path directory) {
    try {
      PrivateDirectory.make(directory);
      return new DirectoryClaim(directory.toRealPath());
    } catch (IOException e) {
      throw new StoreException("cannot make the directory " + directory + ": " + e.getMessage(), e);
    }
  }

  private static StoreException cannotOpen(Path directory, RocksDBException e) {
    String said = String.valueOf(e.getMessage());
    if (said.contains("LOCK") || said.contains("lock hold")) {
      return LogRecovery.inUse(directory);
    }
    Status status = e.getStatus();
    if (status == null || status.getCode() != Status.Code.Corruption) {
      return new StoreException(
          "cannot open the rocksdb store in %s: %s. Free space or correct the rights of its files if that is the reason. Otherwise restore a backup, or run 'varve check --repair', which keeps what can be read"
              .formatted(directory, said),
          e);
    }
    return new DamagedStoreException(
        "the rocksdb store in %s is damaged and cannot be opened: %s. Restore a backup, or run 'varve check --repair', which keeps what can be read"
            .formatted(directory, said),
        List.of(DamageLog.unplaced(directory, said)),
        e);
  }

  private DBOptions databaseOptions(RocksOptions options) {
    // Charged to the cache, so that write buffers and cached blocks share one bound.
    WriteBufferManager buffers =
        handles.own(new WriteBufferManager(options.memoryBytes() / 2, cache));
    return handles
        .own(new DBOptions())
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setWriteBufferManager(buffers)
        // Only one thread writes: the memtable needs no guard against a second writer, and finds
        // the position of a key next to the previous one.
        .setAllowConcurrentMemtableWrite(false)
        // The logs have been checked: anything RocksDB finds wrong in them was damaged since.
        .setWalRecoveryMode(WALRecoveryMode.AbsoluteConsistency)
        .setMaxTotalWalSize(options.memoryBytes())
        .setMaxBackgroundJobs(2)
        .setMaxOpenFiles(512)
        .setListeners(List.of(errors))
        .setBytesPerSync(1 << 20)
        // A small database would take as much disk as its write buffers from the start.
        .setAllowFAllocate(false)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(4 << 20)
        .setKeepLogFileNum(4);
  }

  private ColumnFamilyOptions familyOptions(RocksOptions options) {
    // No filters: reads are ranges, which filters do not speed up, and they cost ten bits per cell.
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setBlockSize(BLOCK_BYTES)
            .setBlockRestartInterval(KEYS_BETWEEN_RESTARTS)
            .setCacheIndexAndFilterBlocks(true)
            // Lets SstIndex determine which keys a damaged block held.
            .setEnableIndexCompression(false)
            .setFormatVersion(SstIndex.FORMAT)
            .setPinL0FilterAndIndexBlocksInCache(true);
    return handles
        .own(new ColumnFamilyOptions())
        .setTableFormatConfig(tables)
        .setWriteBufferSize(Math.clamp(options.memoryBytes() / 8, 1 << 20, 64 << 20))
        .setMaxWriteBufferNumber(4)
        .setCompressionType(options.compression().upper)
        .setBottommostCompressionType(options.compression().last)
        .setLevelCompactionDynamicLevelBytes(true);
  }

  /** Returns options for writing table files for {@link #ingest}; the caller must close them. */
  Options tableOptions(RocksOptions options) {
    return new Options(databaseOptions(options), familyOptions(options))
        .setCompressionType(options.compression().last);
  }

  /**
   * Moves table files into the database.
   *
   * @param family the number of a column family that has no cells
   */
  void ingest(int family, List<String> files) throws RocksDBException {
    if (!files.isEmpty()) {
      try (IngestExternalFileOptions how = new IngestExternalFileOptions().setMoveFiles(true)) {
        db.ingestExternalFile(family == catalog.getID() ? catalog : cells, files, how);
      }
    }
  }

  Path directory() {
    return directory;
  }

  /** Returns whether a key of the list of tables is the probe. */
  static boolean isProbe(byte[] key) {
    return Arrays.equals(key, PROBE);
  }

  /** Returns whether a column family, given by name, holds cells. */
  static boolean isOfCells(byte[] family) {
    return Arrays.equals(family, CELLS);
  }

  int catalogFamily() {
    return catalog.getID();
  }

  int cellsFamily() {
    return cells.getID();
  }

  @Override
  public void write(WriteRecords batch) throws RocksDBException {
    GroupMark mark = new GroupMark(syncedThrough, System.currentTimeMillis());
    try (WriteBatch nativeBatch = new WriteBatch(batch.toBatch(mark))) {
      db.write(writeOptions, nativeBatch);
    }
  }

  @Override
  public void sync() throws RocksDBException {
    if (sync) {
      long through = db.getLatestSequenceNumber();
      db.syncWal();
      syncedThrough = through;
    }
  }

  /**
   * Records a new log, and that part of it has been synced. RocksDB switches to a new log together
   * with a new memtable.
   */
  @Override
  public void noteSync() throws RocksDBException {
    if (sync) {
      long found = memtables();
      if (found != memtables) {
        noteLog();
        memtables = found;
      }
    }
  }

  private long memtables() throws RocksDBException {
    return db.getLongProperty(catalog, "rocksdb.current-super-version-number")
        + db.getLongProperty(cells, "rocksdb.current-super-version-number");
  }

  /** Records the newest log, so that the next start notices if it is missing. */
  private void noteLog() {
    try {
      long log = newestLog();
      long before = log == firstLog ? firstSequence : -1;
      StateFile.running(directory, log, before, sync ? syncedThrough : -1);
    } catch (IOException e) {
      throw new StoreException(
          "cannot write the state of the rocksdb store in %s: %s".formatted(directory, e), e);
    }
  }

  private long newestLog() throws IOException {
    return LogFiles.of(directory).lastKey();
  }

  /**
   * Rewrites a range of cells without those that were deleted or replaced. All buffers are written
   * out first, so that older logs are deleted as well.
   */
  void reclaim(GrowingBytes from, GrowingBytes to) throws RocksDBException {
    flush();
    try (CompactRangeOptions beside =
        new CompactRangeOptions().setExclusiveManualCompaction(false)) {
      db.compactRange(cells, from.toArray(), to.toArray(), beside);
    }
  }

  /** Writes all buffers out to table files. */
  void flush() throws RocksDBException {
    try (FlushOptions whole = new FlushOptions().setWaitForFlush(true)) {
      db.flush(whole, List.of(catalog, cells));
    }
  }

  /**
   * Copies the database as of now, in the state of a clean stop, with hard links to table files.
   * Nobody may write meanwhile.
   *
   * @param copy must not exist
   */
  void copyTo(Path copy) throws RocksDBException {
    try (Checkpoint checkpoint = Checkpoint.create(db)) {
      checkpoint.createCheckpoint(copy.toString());
    }
    try (Stream<Path> files = Files.list(copy)) {
      Path tables = directory.resolve(TableList.NAME);
      if (Files.exists(tables)) {
        Files.copy(tables, copy.resolve(TableList.NAME));
      }
      StateFile.stopped(
          copy,
          files
              .map(file -> String.valueOf(file.getFileName()))
              .filter(name -> name.endsWith(".sst"))
              .sorted()
              .toList());
    } catch (IOException e) {
      throw new StoreException("cannot complete the copy %s: %s".formatted(copy, e), e);
    }
  }

  /**
   * Syncs the log and records that nothing follows it, because the database is about to be closed.
   */
  void noteCleanStop() {
    try {
      db.syncWal();
      // Nothing may change the MANIFEST after its length has been recorded.
      db.cancelAllBackgroundWork(true);
      StateFile.stopped(
          directory, tableFiles().stream().map(file -> file.fileName().substring(1)).toList());
    } catch (RocksDBException | IOException e) {
      LOG.warn(
          "the clean stop of the rocksdb store in {} could not be recorded: the next start checks its log as after a crash: {}",
          directory,
          e.toString());
    }
  }

  /** Returns the damage that was found in the logs when the database was opened. */
  Recovery recovery() {
    return recovery;
  }

  @Override
  public String condition() {
    try {
      long free = Files.getFileStore(directory).getUsableSpace();
      return "%,d MB are free in %s".formatted(free >> 20, directory);
    } catch (IOException e) {
      return "the free space in %s is unknown: %s".formatted(directory, e.getMessage());
    }
  }

  @Override
  public boolean isSuspect() {
    return errors.last() != null;
  }

  @Override
  public @Nullable String obstacle() {
    Failure failure = errors.last();
    return failure == null || !failure.lasting()
        ? null
        : failure.text()
            + "; 'varve check' shows what is damaged, 'varve check --repair' repairs it";
  }

  @Override
  public WriteRecords probe() {
    WriteRecords records = new WriteRecords(64);
    GrowingBytes key = new GrowingBytes(PROBE.length);
    key.add(PROBE, 0, PROBE.length);
    records.put(catalogFamily(), key, 0);
    return records;
  }

  @Override
  public boolean isStarved() {
    try {
      long failures = backgroundErrors();
      boolean failed = failures > failuresSeen;
      boolean heldBack =
          db.getLongProperty("rocksdb.actual-delayed-write-rate") > 0
              || db.getLongProperty("rocksdb.is-write-stopped") > 0;
      failuresSeen = failures;
      // A compaction may run long before it fails again; until then nothing has improved.
      starved = heldBack && (failed || starved);
      return starved;
    } catch (RocksDBException e) {
      throw new StoreException("cannot read the state of rocksdb's background work", e);
    }
  }

  byte @Nullable [] cell(GrowingBytes key) throws RocksDBException {
    return db.get(cells, pointReads, key.array(), 0, key.length());
  }

  /** A cell as encoded in the database. */
  record Found(byte[] key, byte[] value) {}

  /** Returns the first cell whose key starts with a prefix; null if there is none. */
  @Nullable Found firstCell(GrowingBytes prefix) throws RocksDBException {
    try (RocksIterator iterator = cells()) {
      iterator.seek(prefix.toArray());
      if (!iterator.isValid()) {
        iterator.status();
        return null;
      }
      byte[] key = iterator.key();
      int length = prefix.length();
      return key.length >= length && Arrays.equals(key, 0, length, prefix.array(), 0, length)
          ? new Found(key, iterator.value())
          : null;
    }
  }

  /** Returns the highest number of a table that has cells; 0 if there are none. */
  int lastTable() throws RocksDBException {
    try (RocksIterator iterator = cells()) {
      iterator.seekToLast();
      iterator.status();
      return iterator.isValid() ? KeyFormat.table(iterator.key()) : 0;
    }
  }

  /** Returns an iterator over all cells; the caller must close it. */
  RocksIterator cells() {
    return db.newIterator(cells, pointReads);
  }

  RocksIterator cells(ReadOptions options) {
    return db.newIterator(cells, options);
  }

  RocksIterator catalog() {
    return db.newIterator(catalog, pointReads);
  }

  /** Returns a RocksDB property of the cells by its RocksDB name. */
  long cellsFigure(String property) throws RocksDBException {
    return db.getLongProperty(cells, property);
  }

  /**
   * Returns the failed flushes and compactions of all families, which RocksDB counts under the
   * default family.
   */
  long backgroundErrors() throws RocksDBException {
    return db.getLongProperty(catalog, "rocksdb.background-errors");
  }

  /** Returns the current table files of all families. */
  List<LiveFileMetaData> tableFiles() {
    return db.getLiveFilesMetaData();
  }

  long cacheMaxBytes() {
    return cacheMax;
  }

  long cacheBytes() {
    return ((LRUCache) cache).getUsage();
  }

  @Override
  public void close() {
    try {
      handles.close();
    } finally {
      claim.close();
    }
  }
}
