package dev.varve.layout.block;

import dev.varve.layout.CellDescription;
import dev.varve.layout.CellDescription.Part;
import dev.varve.layout.DamagedCellException;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

/** Human-readable breakdowns of the cells of blocks, byte range by byte range. */
public final class BlockDescription {
  private static final int SHOWN_MAX = 5;

  private BlockDescription() {}

  /**
   * Describes the head of a block.
   *
   * @throws DamagedCellException if the cell is not one
   */
  public static CellDescription ofHead(Cell cell, Resolution resolution) {
    byte[] value = cell.value().toArray();
    BlockHead head = BlockHead.read(value, 0, value.length);
    List<Part> parts = new ArrayList<>(key(cell, resolution));
    Cursor at = new Cursor(value, parts);
    at.part("version", String.valueOf(at.in.u8()));
    at.in.u8();
    at.part("form", kinds(head) + timesOf(head));
    at.part("samples", String.valueOf(at.in.count(BlockHead.SAMPLES_MAX)));
    at.part("first time", time(at.in.signed(), resolution));
    at.in.varint();
    at.part("last time", time(head.last(), resolution));
    SharedTimes shared = head.shared();
    if (shared != null) {
      at.in.varint();
      at.part("leader of shared times", "series " + shared.leader());
      at.in.varint();
      at.part("generation of shared times", "stamp " + shared.generation());
    }
    at.in.u32();
    at.part("checksum of body", "CRC-32C " + HexFormat.of().toHexDigits(head.bodyChecksum()));
    at.part("checksum of head", "CRC-32C " + HexFormat.of().toHexDigits(at.in.u32()));
    return new CellDescription(
        "%s: head of %d samples".formatted(place(cell), head.count()), List.copyOf(parts));
  }

  private static String timesOf(BlockHead head) {
    return head.shared() != null
        ? ", shared times"
        : head.regular() ? ", regular times" : ", times in the body";
  }

  /**
   * Describes the body of a block that has its own times.
   *
   * @throws DamagedCellException if the cell is not the body of the head
   */
  public static CellDescription ofBody(Cell cell, BlockHead head, Resolution resolution) {
    byte[] value = cell.value().toArray();
    SampleColumn samples = new SampleColumn();
    new BlockReader().decode(head, null, value, 0, value.length, TimeRange.ALL, samples);
    List<Part> parts = new ArrayList<>(key(cell, resolution));
    Cursor at = new Cursor(value, parts);
    ColumnParts columns = new ColumnParts(at.in, at::part);
    if (!head.regular()) {
      columns.longs("times", head.count());
    }
    if (Integer.bitCount(head.kinds()) > 1) {
      columns.longs("kinds", head.count());
    }
    for (Kind kind : Kind.values()) {
      int count = 0;
      for (int i = 0; i < samples.size(); i++) {
        count += samples.kind(i) == kind ? 1 : 0;
      }
      if ((head.kinds() & BlockHead.bit(kind)) != 0) {
        switch (kind) {
          case INT64 -> columns.longs("int64s", count);
          case DOUBLE -> columns.doubles(count);
          case STRING -> columns.texts(count);
        }
      }
    }
    return new CellDescription(place(cell) + ": " + show(samples), List.copyOf(parts));
  }

  /** The value of a cell, which is read part by part. */
  private static final class Cursor {
    private final ByteInput in;
    private final List<Part> parts;
    private int from;

    private Cursor(byte[] value, List<Part> parts) {
      this.in = new ByteInput(value, 0, value.length);
      this.parts = parts;
    }

    /** Adds the bytes that were read since the last part. */
    private void part(String label, String text) {
      if (in.position() > from) {
        parts.add(new Part("value", label, text, from, in.position()));
      }
      from = in.position();
    }
  }

  private static List<Part> key(Cell cell, Resolution resolution) {
    byte[] row = cell.row().toArray();
    byte[] qualifier = cell.qualifier().toArray();
    if (!BlockKey.isRow(row, 0, row.length)) {
      throw new DamagedCellException("row: it is not the row of a block");
    }
    if (qualifier.length != BlockKey.QUALIFIER_BYTES) {
      throw new DamagedCellException(
          "qualifier: %d bytes, expected %d".formatted(qualifier.length, BlockKey.QUALIFIER_BYTES));
    }
    long bucket = BlockKey.bucket(row, 0);
    String day = time(BlockKey.times(bucket, resolution).from(), resolution);
    return List.of(
        new Part("row", "width", "buckets of one day", 0, 1),
        new Part("row", "bucket", bucket + ", from " + day, 1, 9),
        new Part("row", "metric and field", "number " + BlockKey.metric(row, 0), 9, 13),
        new Part("row", "series", "number " + BlockKey.series(row, 0), 13, 17),
        new Part("qualifier", "start", time(BlockKey.start(qualifier, 0), resolution), 0, 8),
        new Part("qualifier", "generation", "stamp " + BlockKey.generation(qualifier, 0), 8, 16));
  }

  private static String place(Cell cell) {
    byte[] row = cell.row().toArray();
    return "series %d of metric %d, day %d"
        .formatted(BlockKey.series(row, 0), BlockKey.metric(row, 0), BlockKey.bucket(row, 0));
  }

  private static String kinds(BlockHead head) {
    StringJoiner kinds = new StringJoiner(" and ");
    for (Kind kind : Kind.values()) {
      if ((head.kinds() & BlockHead.bit(kind)) != 0) {
        kinds.add(
            switch (kind) {
              case INT64 -> "int64s";
              case DOUBLE -> "doubles";
              case STRING -> "strings";
            });
      }
    }
    return kinds.toString();
  }

  private static String show(SampleColumn samples) {
    StringJoiner text = new StringJoiner(", ");
    for (int i = 0; i < Math.min(samples.size(), SHOWN_MAX); i++) {
      text.add(samples.time(i) + "=" + value(samples, i));
    }
    return samples.size() > SHOWN_MAX
        ? text + " and %d more".formatted(samples.size() - SHOWN_MAX)
        : text.toString();
  }

  private static String value(SampleColumn samples, int index) {
    return switch (samples.kind(index)) {
      case INT64 -> String.valueOf(samples.value(index));
      case DOUBLE -> String.valueOf(Double.longBitsToDouble(samples.value(index)));
      case STRING -> "'" + new String(samples.textAt(index), StandardCharsets.UTF_8) + "'";
    };
  }

  /** Returns a time as a number and, where that has a date, as a date. */
  private static String time(long time, Resolution resolution) {
    long perSecond = resolution.perSecond();
    long second = Math.floorDiv(time, perSecond);
    if (second < Instant.MIN.getEpochSecond() || second > Instant.MAX.getEpochSecond()) {
      return String.valueOf(time);
    }
    long nanos = Math.floorMod(time, perSecond) * (1_000_000_000L / perSecond);
    return time + " (" + Instant.ofEpochSecond(second, nanos) + ")";
  }
}
