package dev.varve.store.adapter;

import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import java.nio.ByteBuffer;

/** The value of a counter cell: a long of 8 bytes, big-endian, as in Bigtable and HBase. */
public final class CounterValue {
  private CounterValue() {}

  public static Bytes of(long value) {
    return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }

  /**
   * Decodes the number in a cell.
   *
   * @param row the cell's row, used in the message, as is the qualifier
   * @throws StoreException if the value does not have 8 bytes
   */
  public static long read(Bytes value, Bytes row, Bytes qualifier) {
    if (value.length() != Long.BYTES) {
      throw new StoreException(
          "cell %s of row %s has %d bytes, but a counter has 8"
              .formatted(qualifier, row, value.length()));
    }
    return ByteBuffer.wrap(value.toArray()).getLong();
  }
}
