package dev.varve.formats.parquet;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes a struct in Thrift's compact protocol, field by field in ascending order of the numbers.
 * Source: <a
 * href="https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md">the
 * protocol</a>.
 */
final class CompactThrift {
  private static final int TRUE = 1;
  private static final int FALSE = 2;
  private static final int I32 = 5;
  private static final int I64 = 6;
  private static final int BINARY = 8;
  private static final int LIST = 9;
  private static final int STRUCT = 12;
  private static final int SHORT_LIST = 15;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private int last;

  /** Returns a struct with the fields that are written by the given code. */
  static byte[] struct(Consumer<CompactThrift> fields) {
    CompactThrift thrift = new CompactThrift();
    thrift.body(fields);
    return thrift.out.toByteArray();
  }

  private void body(Consumer<CompactThrift> fields) {
    int outer = last;
    last = 0;
    fields.accept(this);
    out.write(0);
    last = outer;
  }

  private void head(int field, int type) {
    if (field - last <= 15) {
      out.write(((field - last) << 4) | type);
    } else {
      out.write(type);
      zigzag(field);
    }
    last = field;
  }

  CompactThrift bool(int field, boolean value) {
    head(field, value ? TRUE : FALSE);
    return this;
  }

  CompactThrift i32(int field, int value) {
    head(field, I32);
    zigzag(value);
    return this;
  }

  CompactThrift i64(int field, long value) {
    head(field, I64);
    zigzag(value);
    return this;
  }

  CompactThrift text(int field, String value) {
    return binary(field, value.getBytes(StandardCharsets.UTF_8));
  }

  CompactThrift binary(int field, byte[] value) {
    head(field, BINARY);
    bytes(value);
    return this;
  }

  private void bytes(byte[] value) {
    varint(value.length);
    out.writeBytes(value);
  }

  CompactThrift struct(int field, Consumer<CompactThrift> fields) {
    head(field, STRUCT);
    body(fields);
    return this;
  }

  <T> CompactThrift structs(int field, List<T> items, ItemFields<T> fields) {
    list(field, items.size(), STRUCT);
    for (T item : items) {
      body(thrift -> fields.accept(thrift, item));
    }
    return this;
  }

  /** Writes a list of structs that are encoded already. */
  CompactThrift encodedStructs(int field, List<byte[]> structs) {
    list(field, structs.size(), STRUCT);
    structs.forEach(out::writeBytes);
    return this;
  }

  CompactThrift i32s(int field, List<Integer> values) {
    list(field, values.size(), I32);
    values.forEach(this::zigzag);
    return this;
  }

  CompactThrift texts(int field, List<String> values) {
    list(field, values.size(), BINARY);
    values.forEach(value -> bytes(value.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  private void list(int field, int size, int type) {
    head(field, LIST);
    if (size < SHORT_LIST) {
      out.write((size << 4) | type);
    } else {
      out.write((SHORT_LIST << 4) | type);
      varint(size);
    }
  }

  private void zigzag(long value) {
    varint((value << 1) ^ (value >> 63));
  }

  private void varint(long value) {
    Bits.varint(out, value);
  }

  /** Writes the fields of an item of a list. */
  interface ItemFields<T> {
    void accept(CompactThrift thrift, T item);
  }
}
