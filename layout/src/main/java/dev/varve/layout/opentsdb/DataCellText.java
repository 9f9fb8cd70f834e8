package dev.varve.layout.opentsdb;

import dev.varve.layout.CellDescription;
import dev.varve.layout.CellDescription.Part;
import dev.varve.layout.RowSamples;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Human-readable breakdowns of cells of {@code tsdb}, with UIDs in upper-case hex as in the
 * original.
 */
final class DataCellText {
  private final CellBatch cells = new CellBatch();
  private final List<Part> parts = new ArrayList<>();
  private final byte[] bytes;
  private final long base;
  private int points;
  private String first = "";

  private DataCellText(Cell cell, long base) {
    cells.add(cell);
    this.bytes = cells.bytes();
    this.base = base;
  }

  /**
   * Describes a cell.
   *
   * @throws dev.varve.layout.DamagedCellException if it is damaged
   */
  static CellDescription describe(RowKeys keys, Cell cell) {
    byte[] row = cell.row().toArray();
    DataCellText text = new DataCellText(cell, keys.base(row, 0, row.length));
    text.parts.addAll(keys.shape().describe(cell.row()));
    String content = text.content(keys);
    return new CellDescription(
        "%s %s %s".formatted(hex(keys.tsuid(cell.row())), Instant.ofEpochMilli(text.base), content),
        text.parts);
  }

  private String content(RowKeys keys) {
    Columns.Content content = Columns.content(cells, 0);
    if (content.points()) {
      Columns.check(content, cells, 0, base);
    }
    return switch (content) {
      case POINT -> point();
      case COMPACTED -> compacted();
      case APPENDED -> appended();
      case ANNOTATION, HISTOGRAM, ROLLUP -> {
        RowSamples read = new RowSamples();
        Attachments.read(keys, content, cells, 0, base, read);
        RowSamples.Found found = read.attributes().getFirst();
        yield content == Columns.Content.ROLLUP ? rollup() : attachment(content, found);
      }
    };
  }

  private String point() {
    int flags = Columns.pointFlags(cells, 0);
    int length = cells.valueLength(0);
    int padding = length - PointCodec.valueLength(flags);
    qualifierPart(cells.qualifierOffset(0), flags);
    if (padding > 0) {
      valuePart("padding", "zeros of an old server", 0, padding);
    }
    number(flags, padding);
    return first;
  }

  private String compacted() {
    int end = cells.qualifierOffset(0) + cells.qualifierLength(0);
    for (int at = cells.qualifierOffset(0);
        at < end;
        at += PointCodec.qualifierLength(bytes, at, end)) {
      qualifierPart(at, PointCodec.flags(bytes, at));
    }
    int value = 0;
    for (int at = cells.qualifierOffset(0);
        at < end;
        at += PointCodec.qualifierLength(bytes, at, end)) {
      value = number(PointCodec.flags(bytes, at), value);
    }
    boolean mixed = bytes[cells.valueOffset(0) + value] == Columns.MIXED_UNITS;
    valuePart(
        "units", mixed ? "seconds and milliseconds" : "seconds or milliseconds", value, value + 1);
    return "compacted, %d points, first %s".formatted(points, first);
  }

  private String appended() {
    int start = cells.valueOffset(0);
    int end = start + cells.valueLength(0);
    part("qualifier", "column", "appended points", 0, cells.qualifierLength(0));
    for (int at = start; at < end; at = Columns.nextAppended(bytes, at, end)) {
      int flags = PointCodec.flags(bytes, at);
      int value = at + PointCodec.qualifierLength(bytes, at, end) - start;
      valuePart("time and type", timeAndType(at, flags), at - start, value);
      number(flags, value);
    }
    return "appended, %d entries, first %s".formatted(points, first);
  }

  private String attachment(Columns.Content content, RowSamples.Found found) {
    String name = found.name();
    int width = cells.qualifierLength(0) - 1;
    part("qualifier", "column", name, 0, 1);
    part(
        "qualifier",
        width == 2 ? "offset in seconds" : "offset in milliseconds",
        Integer.toString(Attachments.offset(cells, 0) / (width == 2 ? 1000 : 1)),
        1,
        1 + width);
    String value =
        content == Columns.Content.ANNOTATION
            ? cells.value(0).toUtf8()
            : "codec %d, %s".formatted(bytes[cells.valueOffset(0)] & 0xff, cells.value(0).hex());
    valuePart(name, value, 0, cells.valueLength(0));
    return "%s at %d ms: %s".formatted(name, found.time(), value);
  }

  private String rollup() {
    Attachments.Rollup rollup = Attachments.Rollup.of(cells, 0);
    int tail = cells.qualifierLength(0) - Attachments.Rollup.ENTRY_LENGTH;
    part("qualifier", "aggregator", rollup.aggregator(), 0, tail);
    part(
        "qualifier",
        "interval and type",
        "interval " + rollup.interval(),
        tail,
        tail + Attachments.Rollup.ENTRY_LENGTH);
    valuePart("number", rollup.number().toString(), 0, cells.valueLength(0));
    return "rollup, aggregator %s, interval %d = %s"
        .formatted(rollup.aggregator(), rollup.interval(), rollup.number());
  }

  private void qualifierPart(int at, int flags) {
    int from = at - cells.qualifierOffset(0);
    int to = from + (PointCodec.millis(bytes[at]) ? 4 : 2);
    part("qualifier", "time and type", timeAndType(at, flags), from, to);
  }

  /** Returns the text of an entry and keeps the first one for the summary. */
  private String timeAndType(int at, int flags) {
    int offset = PointCodec.offset(bytes, at);
    String time =
        PointCodec.millis(bytes[at])
            ? "+%d ms".formatted(offset)
            : "+%d s".formatted(offset / 1000);
    String type = (flags & PointCodec.FLOAT) == 0 ? "integer" : "float";
    String text = "%s, %s on %d".formatted(time, type, PointCodec.valueLength(flags));
    first = first.isEmpty() ? text : first;
    return text;
  }

  /** Adds the number at {@code from} in the value and returns the index after it. */
  private int number(int flags, int from) {
    int length = PointCodec.valueLength(flags);
    int at = cells.valueOffset(0) + from;
    String text =
        (flags & PointCodec.FLOAT) == 0
            ? Long.toString(PointCodec.integer(bytes, at, length))
            : Double.toString(PointCodec.real(bytes, at, length));
    valuePart("number", text, from, from + length);
    if (points++ == 0) {
      first = first + " = " + text;
    }
    return from + length;
  }

  private void valuePart(String label, String text, int from, int to) {
    part("value", label, text, from, to);
  }

  private void part(String coordinate, String label, String text, int from, int to) {
    parts.add(new Part(coordinate, label, text, from, to));
  }

  private static String hex(Bytes bytes) {
    return RowKeys.HEX.formatHex(bytes.toArray());
  }
}
