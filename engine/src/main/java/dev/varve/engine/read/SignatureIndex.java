package dev.varve.engine.read;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import java.util.Arrays;
import java.util.List;

/** Finds the series of a row by the row's signature, without allocation. */
final class SignatureIndex {
  private final byte[][] signatures;
  private final int[] table;

  /**
   * @param signatures distinct signatures; {@link #find} returns an index in this list
   */
  SignatureIndex(List<Bytes> signatures) {
    this.signatures = new byte[signatures.size()][];
    this.table = new int[Integer.highestOneBit(Math.max(1, signatures.size())) * 4];
    for (int place = 0; place < signatures.size(); place++) {
      byte[] bytes = signatures.get(place).toArray();
      int slot = slot(bytes, bytes.length);
      this.signatures[place] = bytes;
      table[slot] = place + 1;
    }
  }

  /** Returns the place of a signature, or -1 if it is absent. */
  int find(KeyBytes signature) {
    return table[slot(signature.array(), signature.length())] - 1;
  }

  private int slot(byte[] bytes, int length) {
    int mask = table.length - 1;
    int slot = hash(bytes, length) & mask;
    while (table[slot] != 0) {
      byte[] other = signatures[table[slot] - 1];
      if (Arrays.equals(other, 0, other.length, bytes, 0, length)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private static int hash(byte[] bytes, int length) {
    int hash = 0;
    for (int i = 0; i < length; i++) {
      hash = 31 * hash + bytes[i];
    }
    return (hash * 0x9e3779b9) >>> 7;
  }
}
