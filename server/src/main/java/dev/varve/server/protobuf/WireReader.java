package dev.varve.server.protobuf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Reads a message of <a href="https://protobuf.dev/programming-guides/encoding/">Protocol
 * Buffers</a>, field by field; a view of an array.
 *
 * <pre>{@code
 * while (message.next()) {
 *   switch (message.field()) {
 *     case 1 -> name = message.text();
 *     default -> message.skip();
 *   }
 * }
 * }</pre>
 *
 * <p>Every field has to be read or skipped. What is malformed comes as a {@link
 * MalformedMessageException}.
 */
public final class WireReader {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  private final byte[] bytes;
  private final int end;
  private int at;
  private int field;
  private int type;

  public WireReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  private WireReader(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Goes to the next field; false behind the last. */
  public boolean next() {
    if (at >= end) {
      return false;
    }
    long tag = readVarint();
    field = (int) (tag >>> 3);
    type = (int) tag & 7;
    if (tag >>> 32 != 0 || field == 0) {
      throw new MalformedMessageException("a field of number " + (tag >>> 3));
    }
    return true;
  }

  /** The same message from where this reader stands, to be read once more. */
  public WireReader again() {
    return new WireReader(bytes, at, end);
  }

  /** How many bytes are still to be read. */
  public int left() {
    return end - at;
  }

  /** The number of the field at hand. */
  public int field() {
    return field;
  }

  /** An integer; a negative one of 32 bits comes in 64. */
  public long varint() {
    require(VARINT);
    return readVarint();
  }

  public double real() {
    require(FIXED_64);
    return Double.longBitsToDouble(readFixed64());
  }

  /** An integer of 64 bits in eight bytes. */
  public long fixed64() {
    require(FIXED_64);
    return readFixed64();
  }

  /** Bytes as they are. */
  public byte[] bytes() {
    int length = fieldLength();
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /**
   * How many bytes a text, message or bytes have that are the field at hand, which stays to be
   * read.
   */
  public int lengthAhead() {
    int before = at;
    int length = fieldLength();
    at = before;
    return length;
  }

  /** A message within this one. */
  public WireReader message() {
    int length = fieldLength();
    WireReader inner = new WireReader(bytes, at, at + length);
    at += length;
    return inner;
  }

  /** Integers one behind the other, or one alone: both are a repeated field. */
  public void eachVarint(LongConsumer value) {
    if (type == VARINT) {
      value.accept(readVarint());
      return;
    }
    WireReader packed = message();
    while (packed.at < packed.end) {
      value.accept(packed.readVarint());
    }
  }

  /** The same for integers, or the bits of doubles, in eight bytes each. */
  public void eachFixed64(LongConsumer value) {
    if (type == FIXED_64) {
      value.accept(readFixed64());
      return;
    }
    WireReader packed = message();
    while (packed.at < packed.end) {
      value.accept(packed.readFixed64());
    }
  }

  /** A text, which has to be UTF-8. */
  public String text() {
    int length = fieldLength();
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes, at, length))
              .toString();
      at += length;
      return text;
    } catch (CharacterCodingException e) {
      throw new MalformedMessageException("field %d is no UTF-8".formatted(field));
    }
  }

  public void skip() {
    switch (type) {
      case VARINT -> readVarint();
      case FIXED_64 -> advance(8);
      case BYTES -> advance(fieldLength());
      case FIXED_32 -> advance(4);
      default ->
          throw new MalformedMessageException("wire type %d in field %d".formatted(type, field));
    }
  }

  private void require(int wanted) {
    if (type != wanted) {
      throw new MalformedMessageException(
          "field %d has wire type %d, not %d".formatted(field, type, wanted));
    }
  }

  private int fieldLength() {
    require(BYTES);
    long length = readVarint();
    if (length < 0 || length > end - at) {
      throw new MalformedMessageException("field %d is cut off".formatted(field));
    }
    return (int) length;
  }

  private void advance(int count) {
    if (count > end - at) {
      throw new MalformedMessageException("field %d is cut off".formatted(field));
    }
    at += count;
  }

  private long readFixed64() {
    int from = at;
    advance(8);
    return ByteBuffer.wrap(bytes, from, 8).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private long readVarint() {
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) {
        throw new MalformedMessageException("a number is cut off");
      }
      byte b = bytes[at++];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new MalformedMessageException("a number of more than 64 bits");
  }
}
