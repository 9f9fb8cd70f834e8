package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.Partitioning;
import java.util.ArrayList;
import java.util.List;

/**
 * The structure of a table's row keys: a list of parts. Operations on this list serve every layout:
 * encoding and decoding a key, formatting it, finding its series and its partition, and planning
 * queries.
 *
 * @param parts in key order, at least one
 * @param partitionParts number of leading parts that form the partition; 0 if the table is a single
 *     partition
 */
public record RowShape(List<KeyPart> parts, int partitionParts) {
  public RowShape {
    parts = List.copyOf(parts);
    if (parts.isEmpty() || partitionParts < 0 || partitionParts > parts.size()) {
      throw new IllegalArgumentException(
          "a row key of " + parts.size() + " parts with " + partitionParts + " in its partition");
    }
  }

  /** Returns the index of the first part that carries time, or -1 if each row covers all time. */
  public int timePart() {
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof KeyPart.Time) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the index of the finest part that carries time, or -1 if each row covers all time. */
  public int lastTimePart() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      if (parts.get(i) instanceof KeyPart.Time) {
        return i;
      }
    }
    return -1;
  }

  /** Appends the key of the row that a sample belongs to. */
  public void encode(KeyInput input, KeyBytes out) {
    encode(input, 0, parts.size(), out);
  }

  /** Appends parts {@code from} (inclusive) to {@code to} (exclusive) of a key. */
  public void encode(KeyInput input, int from, int to, KeyBytes out) {
    for (int i = from; i < to; i++) {
      parts.get(i).encode(input, out);
    }
  }

  /**
   * Decodes a whole row key.
   *
   * @throws DamagedCellException if it does not have this shape or has trailing bytes
   */
  public void decode(byte[] row, int from, int to, KeyOutput out) {
    int at = from;
    for (KeyPart part : parts) {
      at = part.decode(row, at, to, out);
    }
    if (at != to) {
      throw new DamagedCellException(
          "row key: " + (to - at) + " extra bytes after " + parts.getLast().label());
    }
  }

  /**
   * Decodes the time from the last time part of a row key: the start of its bucket, or its instant.
   *
   * @throws DamagedCellException if the row key does not have this shape
   * @throws IllegalStateException if the shape has no time part
   */
  public long time(byte[] row, int from, int to) {
    int last = lastTimePart();
    if (last < 0) {
      throw new IllegalStateException("row keys of " + parts + " carry no time");
    }
    int at = from;
    for (int i = 0; i < last; i++) {
      at = parts.get(i).skip(row, at, to);
    }
    return ((KeyPart.Time) parts.get(last)).timeAt(row, at, to);
  }

  /**
   * Appends the signature of a row key: the bytes of all parts that the {@link
   * dev.varve.model.GroupKey} determines. Two rows have equal signatures if and only if they have
   * equal keys.
   *
   * @throws DamagedCellException if the row key does not have this shape
   */
  public void signature(byte[] row, int from, int to, KeyBytes out) {
    int at = from;
    for (KeyPart part : parts) {
      int next = part.skip(row, at, to);
      if (part.role().ofKey()) {
        out.raw(row, at, next - at);
      }
      at = next;
    }
  }

  /** Returns the signature shared by all rows of a binding. */
  public Bytes signature(Binding binding) {
    KeyBytes out = new KeyBytes();
    KeyInput input = new KeyInput(binding);
    for (KeyPart part : parts) {
      if (part.role().ofKey()) {
        part.encode(input, out);
      }
    }
    return out.toBytes();
  }

  /** Returns a partitioning by the first {@link #partitionParts()} parts. */
  public Partitioning partitioning() {
    if (partitionParts == 0) {
      return Partitioning.NONE;
    }
    if (partitionParts == parts.size()) {
      return Partitioning.ROW;
    }
    return (bytes, offset, length) -> {
      int at = offset;
      for (int i = 0; i < partitionParts; i++) {
        at = parts.get(i).skip(bytes, at, offset + length);
      }
      return at - offset;
    };
  }

  /** Returns the parts of a row key, for people. */
  public List<CellDescription.Part> describe(Bytes row) {
    byte[] bytes = row.toArray();
    decode(bytes, 0, bytes.length, new KeyOutput());
    List<CellDescription.Part> described = new ArrayList<>(parts.size());
    int at = 0;
    for (KeyPart part : parts) {
      int next = part.skip(bytes, at, bytes.length);
      described.add(
          new CellDescription.Part("row", part.label(), part.show(bytes, at, next), at, next));
      at = next;
    }
    return described;
  }
}
