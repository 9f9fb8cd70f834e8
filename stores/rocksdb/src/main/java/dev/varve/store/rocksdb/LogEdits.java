package dev.varve.store.rocksdb;

import java.util.function.IntToLongFunction;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Copies those edits of a log batch that are newer than the table files. */
final class LogEdits extends WriteBatch.Handler {
  private final WriteRecords into;
  private final IntToLongFunction flushed;
  private long sequence;

  /**
   * Creates a handler.
   *
   * @param sequence sequence number of the first edit
   * @param flushed returns the highest sequence number in the table files of a column family
   */
  LogEdits(WriteRecords into, long sequence, IntToLongFunction flushed) {
    this.into = into;
    this.sequence = sequence;
    this.flushed = flushed;
  }

  private boolean counts(int family) {
    return sequence++ > flushed.applyAsLong(family);
  }

  private static GrowingBytes bytes(byte[] from) {
    GrowingBytes bytes = new GrowingBytes(Math.max(1, from.length));
    bytes.add(from, 0, from.length);
    return bytes;
  }

  @Override
  public void put(int family, byte[] key, byte[] value) {
    if (counts(family)) {
      into.put(family, bytes(key), value.length).add(value, 0, value.length);
    }
  }

  @Override
  public void delete(int family, byte[] key) {
    if (counts(family)) {
      into.delete(family, bytes(key));
    }
  }

  @Override
  public void deleteRange(int family, byte[] from, byte[] to) {
    if (counts(family)) {
      into.deleteRange(family, bytes(from), bytes(to));
    }
  }

  @Override
  public void put(byte[] key, byte[] value) {
    put(0, key, value);
  }

  @Override
  public void delete(byte[] key) {
    delete(0, key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    deleteRange(0, from, to);
  }

  @Override
  public void logData(byte[] blob) {
    // The mark of a group, which has no sequence number.
  }

  @Override
  public void markNoop(boolean emptyBatch) {
    // It has no sequence number.
  }

  @Override
  public void merge(int family, byte[] key, byte[] value) throws RocksDBException {
    throw unknown("merge");
  }

  @Override
  public void merge(byte[] key, byte[] value) {
    throw new IllegalArgumentException("a merge, which Varve never writes");
  }

  @Override
  public void singleDelete(int family, byte[] key) throws RocksDBException {
    delete(family, key);
  }

  @Override
  public void singleDelete(byte[] key) {
    delete(key);
  }

  @Override
  public void putBlobIndex(int family, byte[] key, byte[] value) throws RocksDBException {
    throw unknown("blob");
  }

  @Override
  public void markBeginPrepare() throws RocksDBException {
    throw unknown("transaction");
  }

  @Override
  public void markEndPrepare(byte[] id) throws RocksDBException {
    throw unknown("transaction");
  }

  @Override
  public void markRollback(byte[] id) throws RocksDBException {
    throw unknown("transaction");
  }

  @Override
  public void markCommit(byte[] id) throws RocksDBException {
    throw unknown("transaction");
  }

  @Override
  public void markCommitWithTimestamp(byte[] id, byte[] time) throws RocksDBException {
    throw unknown("transaction");
  }

  private static RocksDBException unknown(String what) {
    return new RocksDBException("a " + what + " in a log, which Varve never writes");
  }
}
