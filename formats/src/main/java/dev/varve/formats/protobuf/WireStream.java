package dev.varve.formats.protobuf;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/**
 * Reads the fields of a message from a stream, one field in memory at a time. Malformed input
 * throws a {@link MalformedMessageException} with the messages of {@link WireReader}.
 */
public final class WireStream {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  private final InputStream in;
  private int field;
  private int type;

  public WireStream(InputStream in) {
    this.in = in;
  }

  /** Advances to the next field; false after the last one. Every field must be read or skipped. */
  public boolean next() throws IOException {
    int first = in.read();
    if (first < 0) {
      return false;
    }
    long tag = varint(first);
    field = (int) (tag >>> 3);
    type = (int) tag & 7;
    if (tag >>> 32 != 0 || field == 0) {
      throw new MalformedMessageException("a field of number " + (tag >>> 3));
    }
    return true;
  }

  /** Returns the number of the current field. */
  public int field() {
    return field;
  }

  /**
   * Reads the bytes of the nested message that is the current field.
   *
   * @param announced receives their number before the memory is allocated; may throw
   */
  public byte[] message(LongConsumer announced) throws IOException {
    int length = length();
    announced.accept(length);
    byte[] bytes = new byte[length];
    if (in.readNBytes(bytes, 0, length) < length) {
      throw cutOff();
    }
    return bytes;
  }

  public void skip() throws IOException {
    switch (type) {
      case VARINT -> varint(in.read());
      case FIXED_64 -> skip(8);
      case BYTES -> skip(length());
      case FIXED_32 -> skip(4);
      default ->
          throw new MalformedMessageException("wire type %d in field %d".formatted(type, field));
    }
  }

  private void skip(int count) throws IOException {
    try {
      in.skipNBytes(count);
    } catch (EOFException e) {
      throw cutOff();
    }
  }

  private int length() throws IOException {
    if (type != BYTES) {
      throw new MalformedMessageException(
          "field %d has wire type %d, not %d".formatted(field, type, BYTES));
    }
    long length = varint(in.read());
    // Neither an array nor a body is longer.
    if (length < 0 || length > Integer.MAX_VALUE - 8) {
      throw cutOff();
    }
    return (int) length;
  }

  private MalformedMessageException cutOff() {
    return new MalformedMessageException("field %d is cut off".formatted(field));
  }

  private long varint(int first) throws IOException {
    long value = 0;
    int b = first;
    for (int shift = 0; shift < 70; shift += 7) {
      if (b < 0) {
        throw new MalformedMessageException("a number is cut off");
      }
      value |= (long) (b & 0x7f) << shift;
      if (b < 0x80) {
        return value;
      }
      b = shift < 63 ? in.read() : 0;
    }
    throw new MalformedMessageException("a number of more than 64 bits");
  }
}
