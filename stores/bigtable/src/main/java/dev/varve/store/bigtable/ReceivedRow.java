package dev.varve.store.bigtable;

import com.google.protobuf.ByteString;
import dev.varve.model.Bytes;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Cells of one row as received from Bigtable, with their bytes in one buffer. */
final class ReceivedRow {
  private final byte[] key;
  private byte[] bytes = new byte[256];
  private int used;
  private int size;
  private int[] family = new int[8];
  private int[] qualifierAt = new int[8];
  private int[] valueAt = new int[8];
  private int[] end = new int[8];
  private long[] micros = new long[8];

  ReceivedRow(ByteString key) {
    this.key = key.toByteArray();
  }

  Bytes key() {
    return Bytes.of(key);
  }

  byte[] keyBytes() {
    return key;
  }

  int size() {
    return size;
  }

  byte[] bytes() {
    return bytes;
  }

  int family(int cell) {
    return family[cell];
  }

  int qualifierAt(int cell) {
    return qualifierAt[cell];
  }

  int qualifierLength(int cell) {
    return valueAt[cell] - qualifierAt[cell];
  }

  int valueAt(int cell) {
    return valueAt[cell];
  }

  int valueLength(int cell) {
    return end[cell] - valueAt[cell];
  }

  long micros(int cell) {
    return micros[cell];
  }

  Bytes qualifier(int cell) {
    return Bytes.copyOf(bytes, qualifierAt[cell], qualifierLength(cell));
  }

  Bytes value(int cell) {
    return Bytes.copyOf(bytes, valueAt[cell], valueLength(cell));
  }

  /** Returns the approximate size of the row in memory, in bytes. */
  long weight() {
    return 200L + bytes.length + 24L * family.length;
  }

  void startCell(int ofFamily, ByteString qualifier, long ofMicros) {
    if (size == family.length) {
      grow();
    }
    family[size] = ofFamily;
    micros[size] = ofMicros;
    qualifierAt[size] = used;
    append(qualifier);
    valueAt[size] = used;
  }

  /** Appends to the value of the cell that was started last. */
  void append(ByteString more) {
    if (bytes.length - used < more.size()) {
      bytes = Arrays.copyOf(bytes, Math.max(used + more.size(), 2 * bytes.length));
    }
    more.copyTo(bytes, used);
    used += more.size();
  }

  void finishCell() {
    end[size++] = used;
  }

  private void grow() {
    int capacity = 2 * size;
    family = Arrays.copyOf(family, capacity);
    qualifierAt = Arrays.copyOf(qualifierAt, capacity);
    valueAt = Arrays.copyOf(valueAt, capacity);
    end = Arrays.copyOf(end, capacity);
    micros = Arrays.copyOf(micros, capacity);
  }

  /**
   * Sorts the cells in the order of the plan: families in table order, qualifiers, newest first.
   * Bigtable guarantees no order of families.
   */
  void sort() {
    boolean sorted = true;
    for (int i = 1; i < size && sorted; i++) {
      sorted = compare(i - 1, i) <= 0;
    }
    if (sorted) {
      return;
    }
    int[] order =
        IntStream.range(0, size).boxed().sorted(inOrder()).mapToInt(Integer::intValue).toArray();
    family = IntStream.of(order).map(i -> family[i]).toArray();
    qualifierAt = IntStream.of(order).map(i -> qualifierAt[i]).toArray();
    int[] values = valueAt;
    valueAt = IntStream.of(order).map(i -> values[i]).toArray();
    end = IntStream.of(order).map(i -> end[i]).toArray();
    micros = IntStream.of(order).mapToLong(i -> micros[i]).toArray();
  }

  private Comparator<Integer> inOrder() {
    return this::compare;
  }

  private int compare(int a, int b) {
    if (family[a] != family[b]) {
      return Integer.compare(family[a], family[b]);
    }
    int order =
        Arrays.compareUnsigned(
            bytes, qualifierAt[a], valueAt[a], bytes, qualifierAt[b], valueAt[b]);
    return order == 0 ? Long.compare(micros[b], micros[a]) : order;
  }
}
