package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.varve.store.CellBatch;
import java.util.Arrays;

/**
 * Hashes of index cells that are durable; the least recently used are evicted. Safe for use by
 * several threads.
 *
 * <p>Two cells are confused only if 128 bits of their hashes collide. An evicted cell is written
 * again.
 */
final class KnownCells {
  /** Entries per set, so that a few cells in use can share a set. */
  private static final int WAYS = 4;

  private final long[] hashes;
  private final int sets;

  /**
   * @param cells approximate capacity; each takes 16 bytes
   */
  KnownCells(int cells) {
    this.sets = Integer.highestOneBit(Math.max(1, cells / WAYS));
    this.hashes = new long[2 * WAYS * sets];
  }

  /** Returns the hash of a cell of a table of the dataset, without its time. */
  static HashValue128 hash(int slot, int table, CellBatch cells, int cell) {
    HashStream128 stream = Hashing.xxh3_128().hashStream();
    byte[] bytes = cells.bytes();
    stream.putInt(slot).putInt(table).putInt(cells.family(cell));
    put(stream, bytes, cells.rowOffset(cell), cells.rowLength(cell));
    put(stream, bytes, cells.qualifierOffset(cell), cells.qualifierLength(cell));
    put(stream, bytes, cells.valueOffset(cell), cells.valueLength(cell));
    return stream.get();
  }

  private static void put(HashStream128 stream, byte[] bytes, int offset, int length) {
    stream.putInt(length).putBytes(bytes, offset, length);
  }

  /** Returns whether a cell is known, and marks it as recently used. */
  synchronized boolean has(HashValue128 hash) {
    int set = set(hash);
    for (int way = 0; way < WAYS; way++) {
      if (isAt(set, way, hash)) {
        moveToFront(set, way, hash);
        return true;
      }
    }
    return false;
  }

  synchronized void add(HashValue128 hash) {
    if (!has(hash)) {
      int set = set(hash);
      moveToFront(set, WAYS - 1, hash);
    }
  }

  synchronized void clear() {
    Arrays.fill(hashes, 0);
  }

  private int set(HashValue128 hash) {
    return (int) hash.getLeastSignificantBits() & (sets - 1);
  }

  private boolean isAt(int set, int way, HashValue128 hash) {
    int at = 2 * (WAYS * set + way);
    return hashes[at] == hash.getMostSignificantBits()
        && hashes[at + 1] == hash.getLeastSignificantBits();
  }

  private void moveToFront(int set, int way, HashValue128 hash) {
    int first = 2 * WAYS * set;
    System.arraycopy(hashes, first, hashes, first + 2, 2 * way);
    hashes[first] = hash.getMostSignificantBits();
    hashes[first + 1] = hash.getLeastSignificantBits();
  }
}
