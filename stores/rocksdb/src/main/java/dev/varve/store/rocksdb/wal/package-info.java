/**
 * Checks RocksDB's write-ahead logs before RocksDB opens them: RocksDB itself cuts a log at its
 * first bad byte and silently deletes the rest. {@link dev.varve.store.rocksdb.wal.LogRecovery} is
 * the entry point.
 *
 * <p>docs/stores/rocksdb.md describes the format of the files. Nothing here uses RocksDB.
 */
@NullMarked
package dev.varve.store.rocksdb.wal;

import org.jspecify.annotations.NullMarked;
