package dev.varve.store.cassandra;

import dev.varve.model.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Converts between bytes and the driver's heap buffers. */
final class Buffers {
  private Buffers() {}

  /** Returns the bytes of a key column, which always has a value. */
  static ByteBuffer present(@Nullable ByteBuffer buffer) {
    if (buffer == null) {
      throw new IllegalStateException("a column of the key has no value");
    }
    return buffer;
  }

  static ByteBuffer of(Bytes bytes) {
    return ByteBuffer.wrap(bytes.toArray());
  }

  static Bytes bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return Bytes.of(bytes);
  }

  /** Compares buffers as unsigned bytes; a prefix sorts first. */
  static int compare(ByteBuffer a, ByteBuffer b) {
    int at = a.mismatch(b);
    if (at < 0) {
      return 0;
    }
    if (at == a.remaining() || at == b.remaining()) {
      return Integer.compare(a.remaining(), b.remaining());
    }
    return Byte.compareUnsigned(a.get(a.position() + at), b.get(b.position() + at));
  }
}
