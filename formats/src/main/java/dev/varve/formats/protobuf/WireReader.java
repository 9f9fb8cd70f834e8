package dev.varve.formats.protobuf;

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
 * <p>Every field has to be read or skipped. Reading malformed bytes throws a {@link
 * MalformedMessageException}.
 */
public final class WireReader {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  /** The character that Java's decoder writes for malformed bytes; a valid text may contain it. */
  private static final char REPLACEMENT = '\uFFFD';

  private final byte[] bytes;
  private final int end;
  private int at;
  private int field;
  private int type;

  public WireReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  /** Creates a reader of a message at the start of an array. */
  public WireReader(byte[] bytes, int length) {
    this(bytes, 0, length);
  }

  /** Creates a reader of a message within an array, from one index to before another. */
  public WireReader(byte[] bytes, int from, int end) {
    this.bytes = bytes;
    this.at = from;
    this.end = end;
  }

  /** Advances to the next field; false after the last one. */
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

  /** Returns another reader at the current position of the same message. */
  public WireReader again() {
    return new WireReader(bytes, at, end);
  }

  /** Returns the index, in the array, of the next unread byte. */
  public int position() {
    return at;
  }

  /** Returns the number of unread bytes. */
  public int left() {
    return end - at;
  }

  /** Returns the number of the current field. */
  public int field() {
    return field;
  }

  /** Reads an integer; a negative 32-bit integer is encoded in 64 bits. */
  public long varint() {
    require(VARINT);
    return readVarint();
  }

  public double real() {
    require(FIXED_64);
    return Double.longBitsToDouble(readFixed64());
  }

  /** Reads a 64-bit integer of eight bytes. */
  public long fixed64() {
    require(FIXED_64);
    return readFixed64();
  }

  /** Reads bytes. */
  public byte[] bytes() {
    int length = fieldLength();
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /** Returns the length of the current string, message or bytes without reading it. */
  public int lengthAhead() {
    int before = at;
    int length = fieldLength();
    at = before;
    return length;
  }

  /** Reads a nested message. */
  public WireReader message() {
    int length = fieldLength();
    WireReader inner = new WireReader(bytes, at, at + length);
    at += length;
    return inner;
  }

  /**
   * Skips a nested message and returns the index, in the array, of its first byte; it ends at
   * {@link #position}.
   */
  public int passMessage() {
    int length = fieldLength();
    at += length;
    return at - length;
  }

  /** Reads a repeated field of integers, packed or not. */
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

  /** Reads a repeated field of integers or bits of doubles of eight bytes each, packed or not. */
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

  /** Reads a string, which must be UTF-8. */
  public String text() {
    int length = fieldLength();
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) {
      requireUtf8(length);
    }
    at += length;
    return text;
  }

  /**
   * Checks that the next bytes are UTF-8. Only a text with a replacement character may contain
   * malformed bytes, so no other text pays for a decoder.
   */
  private void requireUtf8(int length) {
    try {
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, at, length));
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
