package dev.varve.store.rocksdb;

import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/**
 * An open RocksDB with two column families: {@code default} for what the store knows of its tables,
 * {@code cells} for the cells of all tables. Whoever calls sees to it that it is open.
 */
final class Database implements GroupCommit.Log, AutoCloseable {
  private static final byte[] CELLS = "cells".getBytes(StandardCharsets.US_ASCII);
  private static final int BLOCK_BYTES = 16 << 10;

  /** The share of the cache that indexes are kept in before data is. */
  private static final double INDEX_SHARE = 0.2;

  private final NativeHandles handles;
  private final boolean sync;
  private final Path directory;
  private final RocksDB db;
  private final ColumnFamilyHandle catalog;
  private final ColumnFamilyHandle cells;
  private final Cache cache;
  private final WriteOptions writeOptions;
  private final ReadOptions pointReads;

  /** Of flushes and compactions, when they were last counted. */
  private long failuresSeen = Long.MAX_VALUE;

  /** What was last said of writes that are held back. */
  private boolean starved;

  /**
   * Opens the database, or makes a new one.
   *
   * @throws StoreException if it is in use, damaged, or the directory cannot be made
   */
  Database(Path directory, RocksOptions options, NativeHandles handles) {
    this.handles = handles;
    this.sync = options.sync();
    this.directory = directory;
    try {
      Files.createDirectories(directory);
      RocksDB.loadLibrary();
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
    } catch (IOException e) {
      handles.close();
      throw new StoreException("cannot make the directory " + directory + ": " + e.getMessage(), e);
    } catch (RocksDBException e) {
      handles.close();
      throw cannotOpen(directory, e);
    }
  }

  private static StoreException cannotOpen(Path directory, RocksDBException e) {
    String said = String.valueOf(e.getMessage());
    return said.contains("LOCK") || said.contains("lock hold")
        ? new StoreException(
            "%s is in use: a running store, of this process or another, holds its lock"
                .formatted(directory),
            e)
        : new StoreException(
            "cannot open the rocksdb store in %s: %s".formatted(directory, said), e);
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
        // One thread writes: the memtable need not guard against a second, and finds the place of
        // a key next to that of the one before.
        .setAllowConcurrentMemtableWrite(false)
        .setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery)
        .setMaxTotalWalSize(options.memoryBytes())
        .setMaxBackgroundJobs(2)
        .setMaxOpenFiles(512)
        .setBytesPerSync(1 << 20)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(4 << 20)
        .setKeepLogFileNum(4);
  }

  private ColumnFamilyOptions familyOptions(RocksOptions options) {
    // No filters: reads are ranges, which they do not help, and they cost ten bits a cell.
    BlockBasedTableConfig tables =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setBlockSize(BLOCK_BYTES)
            .setCacheIndexAndFilterBlocks(true)
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

  int catalogFamily() {
    return catalog.getID();
  }

  int cellsFamily() {
    return cells.getID();
  }

  @Override
  public void write(byte[] batch) throws RocksDBException {
    try (WriteBatch nativeBatch = new WriteBatch(batch)) {
      db.write(writeOptions, nativeBatch);
    }
  }

  @Override
  public void sync() throws RocksDBException {
    if (sync) {
      db.syncWal();
    }
  }

  @Override
  public String condition() {
    try {
      long free = Files.getFileStore(directory).getUsableSpace();
      return "%,d MB of space are free in %s".formatted(free >> 20, directory);
    } catch (IOException e) {
      return "%s does not tell how much space is free: %s".formatted(directory, e.getMessage());
    }
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
      // A compaction may take long until it fails again: until then nothing has got better.
      starved = heldBack && (failed || starved);
      return starved;
    } catch (RocksDBException e) {
      throw new StoreException("rocksdb does not tell how its background work gets on", e);
    }
  }

  byte @Nullable [] cell(GrowingBytes key) throws RocksDBException {
    return db.get(cells, pointReads, key.array(), 0, key.length());
  }

  /** A cell as it lies in the database. */
  record Found(byte[] key, byte[] value) {}

  /** The first cell whose key begins so, or null where there is none. */
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

  /** An iterator over all cells, the caller's to close. */
  RocksIterator cells() {
    return db.newIterator(cells, pointReads);
  }

  RocksIterator cells(ReadOptions options) {
    return db.newIterator(cells, options);
  }

  RocksIterator catalog() {
    return db.newIterator(catalog, pointReads);
  }

  /** A figure of RocksDB for the cells, by the name that it has there. */
  long cellsFigure(String property) throws RocksDBException {
    return db.getLongProperty(cells, property);
  }

  /** Failed flushes and compactions of all families, which RocksDB counts with the default one. */
  long backgroundErrors() throws RocksDBException {
    return db.getLongProperty(catalog, "rocksdb.background-errors");
  }

  long cacheBytes() {
    return ((LRUCache) cache).getUsage();
  }

  @Override
  public void close() {
    handles.close();
  }
}
