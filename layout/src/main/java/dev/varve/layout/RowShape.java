package dev.varve.layout;

import dev.varve.model.Bytes;
import dev.varve.store.Partitioning;
import java.util.ArrayList;
import java.util.List;

/**
 * The row keys of a table as a list of parts. What is true of a list of parts is true of every
 * layout: writing a key, reading it, showing it, telling which series it belongs to, naming its
 * partition, and walking it to plan a query.
 *
 * @param parts in the order of the key, at least one
 * @param partitionParts how many leading parts are the partition; 0 where the table is one
 */
public record RowShape(List<KeyPart> parts, int partitionParts) {
  public RowShape {
    parts = List.copyOf(parts);
    if (parts.isEmpty() || partitionParts < 0 || partitionParts > parts.size()) {
      throw new IllegalArgumentException(
          "a row key of " + parts.size() + " parts with " + partitionParts + " in its partition");
    }
  }

  /** The first part that carries time, by its place, or -1 where the rows hold all of time. */
  public int timePart() {
    for (int i = 0; i < parts.size(); i++) {
      if (parts.get(i) instanceof KeyPart.Time) {
        return i;
      }
    }
    return -1;
  }

  /** The finest part that carries time, by its place, or -1 where the rows hold all of time. */
  public int lastTimePart() {
    for (int i = parts.size() - 1; i >= 0; i--) {
      if (parts.get(i) instanceof KeyPart.Time) {
        return i;
      }
    }
    return -1;
  }

  /** Appends the key of the row that a sample goes to. */
  public void encode(KeyInput input, KeyBytes out) {
    encode(input, 0, parts.size(), out);
  }

  /** Appends parts {@code from} to {@code to} (exclusive) of a key. */
  public void encode(KeyInput input, int from, int to, KeyBytes out) {
    for (int i = from; i < to; i++) {
      parts.get(i).encode(input, out);
    }
  }

  /**
   * Reads a whole row key.
   *
   * @throws DamagedCellException if it is none of this shape, also where bytes are left over
   */
  public void decode(byte[] row, int from, int to, KeyOutput out) {
    int at = from;
    for (KeyPart part : parts) {
      at = part.decode(row, at, to, out);
    }
    if (at != to) {
      throw new DamagedCellException(
          "row key: " + (to - at) + " bytes too many behind " + parts.getLast().label());
    }
  }

  /**
   * The time that a row key says, by its last time part: the start of its bucket, or its instant.
   *
   * @throws DamagedCellException if it is no row key of this shape
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
   * Appends what of a row key belongs to its series: the bytes of all parts that the {@link
   * dev.varve.model.GroupKey} determines. Two rows have the same signature exactly where they have
   * the same key.
   *
   * @throws DamagedCellException if it is no row key of this shape
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

  /** The signature of every row of a binding. */
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

  /** The partition of a row is the bytes of its first {@link #partitionParts()} parts. */
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

  /** The parts of a row key, for people. */
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
