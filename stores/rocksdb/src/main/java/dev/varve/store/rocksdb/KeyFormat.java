package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.FamilySpec;
import dev.varve.store.StoreException;
import dev.varve.store.TimeUse;
import java.util.HexFormat;

/** The encoding of a cell in RocksDB: the bytes of its key, and the prefix of its value. */
final class KeyFormat {
  /*
   * key :=
   *   table      u32          // the number of the table, big-endian
   *   row        escaped      // every 00 is written as 00 ff, the end is 00 01
   *   family     u8           // its index in the table's spec
   *   qualifier  escaped
   *   time       u64          // only in timed families: 2^63 - 1 - time, big-endian
   *
   * value :=
   *   time       i64          // only in untimed families, big-endian
   *   value      bytes        // the rest
   *
   * A family is timed unless its time use is CLOCK and it keeps one version. In an untimed family
   * the last put wins whatever its time, so the time is not part of the key.
   *
   * The end mark 00 01 sorts before an escaped 00, which is 00 ff, and before any other byte. Keys
   * are therefore ordered by (row, family, qualifier, newest first), and no key of a row lies
   * between keys of another row. No key part can contain 00 02, so 00 02 bounds all keys of a row
   * or a column.
   *
   * docs/stores/rocksdb.md works an example in hex, which a test decodes.
   */
  static final int TABLE_LENGTH = Integer.BYTES;
  static final int TIME_LENGTH = Long.BYTES;

  private static final int END_LENGTH = 2;
  private static final int ESCAPED_ZERO = 0xff;
  private static final int END = 0x01;
  private static final int BEHIND_END = 0x02;

  private KeyFormat() {}

  /** Returns whether the cells of the family have their time in the key. */
  static boolean isTimed(FamilySpec family) {
    return family.time() == TimeUse.DATA || family.maxVersions() > 1;
  }

  static void addRow(GrowingBytes key, int table, byte[] row, int offset, int length) {
    key.addInt(table);
    addEscaped(key, row, offset, length);
  }

  static void addColumn(GrowingBytes key, int family, byte[] qualifier, int offset, int length) {
    key.addByte(family);
    addEscaped(key, qualifier, offset, length);
  }

  static void addTime(GrowingBytes key, long time) {
    key.addLong(Long.MAX_VALUE - time);
  }

  static void addEscaped(GrowingBytes key, byte[] source, int offset, int length) {
    int copied = offset;
    int end = offset + length;
    for (int i = offset; i < end; i++) {
      if (source[i] == 0) {
        key.add(source, copied, i + 1 - copied);
        key.addByte(ESCAPED_ZERO);
        copied = i + 1;
      }
    }
    key.add(source, copied, end - copied);
    key.addByte(0);
    key.addByte(END);
  }

  /**
   * Turns a key that ends with an escaped part into the first key after all keys that start with
   * it.
   */
  static void passEnd(GrowingBytes key) {
    key.truncate(key.length() - 1);
    key.addByte(BEHIND_END);
  }

  /**
   * Finds the end of an escaped part.
   *
   * @return the index after its end mark
   * @throws StoreException if there is no end mark within {@code length}
   */
  static int escapedEnd(byte[] key, int offset, int length) {
    int i = offset;
    while (i < length - 1) {
      if (key[i] != 0) {
        i++;
      } else if (key[i + 1] == END) {
        return i + END_LENGTH;
      } else {
        i += 2;
      }
    }
    throw new StoreException(
        "damaged key "
            + HexFormat.of().formatHex(key, 0, length)
            + ": a part of it is not terminated");
  }

  /**
   * Unescapes the part between {@code offset} (inclusive) and {@code end} (exclusive), which
   * includes its end mark, and appends it.
   */
  static void addUnescaped(GrowingBytes target, byte[] key, int offset, int end) {
    int copied = offset;
    int last = end - END_LENGTH;
    for (int i = offset; i < last; i++) {
      if (key[i] == 0) {
        target.add(key, copied, i + 1 - copied);
        i++;
        copied = i + 1;
      }
    }
    target.add(key, copied, last - copied);
  }

  /** Returns the number of the table that a key, or a prefix of one, belongs to. */
  static int table(byte[] key) {
    int table = 0;
    for (int i = 0; i < TABLE_LENGTH; i++) {
      table = table << 8 | (i < key.length ? key[i] & 0xff : 0);
    }
    return table;
  }

  /** Returns the row of a key, or as much of it as a prefix of a key contains. */
  static Bytes row(byte[] key) {
    GrowingBytes row = new GrowingBytes(64);
    for (int i = TABLE_LENGTH; i < key.length; i++) {
      if (key[i] != 0) {
        row.addByte(key[i]);
      } else if (i + 1 < key.length && (key[i + 1] & 0xff) == ESCAPED_ZERO) {
        row.addByte(0);
        i++;
      } else {
        break;
      }
    }
    return Bytes.of(row.toArray());
  }

  /** Returns the time at the end of a key of a timed family. */
  static long time(byte[] key, int length) {
    return Long.MAX_VALUE - GrowingBytes.longAt(key, length - TIME_LENGTH);
  }
}
