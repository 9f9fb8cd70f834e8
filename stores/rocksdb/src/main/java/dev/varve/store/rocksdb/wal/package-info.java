/**
 * RocksDB's write-ahead logs, read and judged before RocksDB opens them: RocksDB itself cuts a log
 * at its first bad byte and deletes the rest without a word. {@link
 * dev.varve.store.rocksdb.wal.LogRecovery} is the way in.
 *
 * <p>The form of the files is drawn in docs/stores/rocksdb.md. Nothing here uses RocksDB.
 */
@NullMarked
package dev.varve.store.rocksdb.wal;

import org.jspecify.annotations.NullMarked;
