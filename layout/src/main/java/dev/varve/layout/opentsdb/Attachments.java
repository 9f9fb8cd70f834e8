package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The cells of a row other than points, mapped to attributes: {@code annotation} (a JSON text),
 * {@code histogram} (the bytes of its codec) and {@code rollup.AGGREGATOR} (the last two bytes of
 * the qualifier, then the number; its time is the base time).
 *
 * <pre>
 *  annotation, histogram             rollup                    older rollup
 * +-------+----------------+        +----+------------+       +----------------+------------+
 * | 01 06 | seconds : 16   |        | id | n:12 flags |       | NAME ':'       | n:12 flags |
 * +-------+----------------+        +----+------------+       +----------------+------------+
 * | 01 06 | milliseconds : 32 |      n: number of intervals after the base time
 * +-------+-------------------+
 * </pre>
 */
final class Attachments {
  static final String ANNOTATION = "annotation";
  static final String HISTOGRAM = "histogram";
  static final String ROLLUP_PREFIX = "rollup.";

  private static final String RULE = "opentsdb.attribute";

  private Attachments() {}

  /**
   * Decodes an attachment into {@code out}.
   *
   * @param base the base time of the row, in ms since 1970
   * @throws DamagedCellException if the cell is damaged
   */
  static void read(
      RowKeys keys, Columns.Content content, CellBatch cells, int cell, long base, RowSamples out) {
    switch (content) {
      case ANNOTATION -> {
        String text = utf8(cells, cell);
        long time = annotationTime(keys, cells, cell, base, text);
        out.attribute(ANNOTATION, time, new Value.Text(text));
      }
      case HISTOGRAM -> {
        long time = checkedTime(base + offset(cells, cell));
        out.attribute(HISTOGRAM, time, new Value.Raw(histogram(cells, cell)));
      }
      case ROLLUP -> {
        Rollup rollup = Rollup.of(cells, cell);
        String name = ROLLUP_PREFIX + rollup.aggregator();
        out.attribute(name, checkedTime(base), new Value.Raw(rollup.raw()));
      }
      case POINT, COMPACTED, APPENDED ->
          throw new IllegalArgumentException(content + " is no attachment");
    }
  }

  private static long checkedTime(long time) {
    RowKeys.checkTime(time);
    return time;
  }

  /**
   * Returns the instant of an annotation from its {@code startTime}. The qualifier is not enough:
   * the original derives it from {@code startTime} and may lose the instant.
   */
  private static long annotationTime(
      RowKeys keys, CellBatch cells, int cell, long base, String text) {
    AnnotationJson json;
    try {
      json = AnnotationJson.parse(text);
    } catch (IllegalArgumentException e) {
      throw new DamagedCellException("annotation: " + e.getMessage());
    }
    String flaw = tsuidFlaw(json.tsuid(), keys.tsuid(cells.row(cell)));
    if (flaw != null) {
      throw new DamagedCellException(flaw);
    }
    Long start = json.startTime();
    Long time = json.startMillis();
    if (start == null
        || time == null
        || time < base
        || time >= base + RowKeys.HOUR_MILLIS
        || !annotationQualifier(start).equals(cells.qualifier(cell))) {
      throw new DamagedCellException(
          "annotation: its startTime is %s, which is not that of row time %d ms and qualifier %s"
              .formatted(
                  start == null ? "missing" : start,
                  base,
                  RowKeys.HEX.formatHex(cells.qualifier(cell).toArray())));
    }
    return checkedTime(time);
  }

  /**
   * Returns the qualifier that the original derives from a start time. To convert milliseconds to
   * seconds, it divides every multiple of 1000, even times already in seconds, which then get the
   * offset of another instant.
   */
  static Bytes annotationQualifier(long start) {
    long time = start % 1000 == 0 ? start / 1000 : start;
    return AnnotationJson.isMillis(time)
        ? qualifier(Columns.ANNOTATION_PREFIX, time % RowKeys.HOUR_MILLIS, 4)
        : qualifier(Columns.ANNOTATION_PREFIX, time % RowKeys.HOUR_SECONDS, 2);
  }

  private static Bytes qualifier(byte prefix, long offset, int width) {
    return new KeyBytes().u8(prefix).number(offset, width).toBytes();
  }

  /** Returns the offset from the base time, in ms, in a qualifier of three or five bytes. */
  static int offset(CellBatch cells, int cell) {
    byte[] bytes = cells.bytes();
    int at = cells.qualifierOffset(cell) + 1;
    long offset =
        cells.qualifierLength(cell) == 3
            ? 1000L * PointCodec.integer(bytes, at, 2)
            : PointCodec.getInt(bytes, at);
    if (offset < 0 || offset >= RowKeys.HOUR_MILLIS) {
      throw new DamagedCellException(
          "qualifier: offset of %d ms, a row holds %d".formatted(offset, RowKeys.HOUR_MILLIS));
    }
    return (int) offset;
  }

  private static Bytes histogram(CellBatch cells, int cell) {
    if (cells.valueLength(cell) == 0) {
      throw new DamagedCellException("histogram: no value, it begins with the id of its codec");
    }
    return cells.value(cell);
  }

  private static String utf8(CellBatch cells, int cell) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(cells.bytes(), cells.valueOffset(cell), cells.valueLength(cell)))
          .toString();
    } catch (CharacterCodingException e) {
      throw new DamagedCellException("annotation: its value is not UTF-8");
    }
  }

  /** The encoded cell of an attribute. */
  record Written(Bytes qualifier, Bytes value) {}

  /**
   * Encodes an attribute whose time is within the domain.
   *
   * @throws RefusedException if OpenTSDB cannot hold the attribute
   */
  static Written write(
      UidBinding binding, Attribute attribute, long time, OpenTsdbParameters.TimeForm form) {
    String name = attribute.name();
    if (name.startsWith(ROLLUP_PREFIX)) {
      return rollup(binding, name.substring(ROLLUP_PREFIX.length()), attribute.value(), time);
    }
    return switch (name) {
      case ANNOTATION -> annotation(binding, attribute.value(), time);
      case HISTOGRAM -> histogram(binding, attribute.value(), time, form);
      default ->
          throw new RefusedException(
              RULE,
              "attribute '%s': a row of OpenTSDB holds annotation, histogram and rollup.AGGREGATOR"
                  .formatted(name));
    };
  }

  private static Written annotation(UidBinding binding, Value value, long time) {
    if (!(value instanceof Value.Text(String text))
        || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new RefusedException(RULE, "annotation: its value is a JSON text in UTF-8");
    }
    AnnotationJson json;
    try {
      json = AnnotationJson.parse(text);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(RULE, "annotation: " + e.getMessage());
    }
    String flaw = tsuidFlaw(json.tsuid(), binding.tsuid());
    if (flaw != null) {
      throw new RefusedException(RULE, flaw);
    }
    Long start = json.startTime();
    if (start == null || !Long.valueOf(time).equals(json.startMillis())) {
      throw new RefusedException(
          RULE,
          "annotation: its startTime is %s, it must be its time, %d ms or in whole seconds"
              .formatted(start == null ? "missing" : start, time));
    }
    return new Written(annotationQualifier(start), Bytes.utf8(text));
  }

  /** Returns why a tsuid does not match the row; null if it does. */
  private static @Nullable String tsuidFlaw(@Nullable String tsuid, Bytes row) {
    String own = RowKeys.isGlobal(row) ? "" : RowKeys.HEX.formatHex(row.toArray());
    return own.equalsIgnoreCase(tsuid == null ? "" : tsuid)
        ? null
        : "annotation: its tsuid is '%s', the row's is '%s'".formatted(tsuid, own);
  }

  private static Written histogram(
      UidBinding binding, Value value, long time, OpenTsdbParameters.TimeForm form) {
    if (!(value instanceof Value.Raw(Bytes raw)) || raw.isEmpty() || binding.global()) {
      throw new RefusedException(
          RULE, "histogram: its value is the bytes of its codec, at least one, and has a series");
    }
    boolean millis = SampleWriter.millis(form, time);
    long offset = time % RowKeys.HOUR_MILLIS;
    return new Written(
        millis
            ? qualifier(Columns.HISTOGRAM_PREFIX, offset, 4)
            : qualifier(Columns.HISTOGRAM_PREFIX, offset / 1000, 2),
        raw);
  }

  private static Written rollup(UidBinding binding, String aggregator, Value value, long time) {
    if (!(value instanceof Value.Raw(Bytes raw))
        || raw.length() < Rollup.ENTRY_LENGTH
        || time % RowKeys.HOUR_MILLIS != 0
        || binding.global()) {
      throw new RefusedException(
          RULE,
          "rollup: its value is two bytes of interval and type and the number, its time a whole"
              + " hour, and it has a series");
    }
    CellBatch cells = new CellBatch();
    cells.add(
        new Cell(
            Bytes.EMPTY,
            OpenTsdbLayout.POINTS,
            Rollup.prefix(aggregator).concat(raw.slice(0, Rollup.ENTRY_LENGTH)),
            0,
            raw.slice(Rollup.ENTRY_LENGTH, raw.length())));
    try {
      if (Columns.content(cells, 0) != Columns.Content.ROLLUP) {
        throw new RefusedException(
            RULE, "rollup: with aggregator %s it reads as something else".formatted(aggregator));
      }
      Rollup.of(cells, 0);
    } catch (DamagedCellException e) {
      throw new RefusedException(RULE, e.getMessage());
    }
    return new Written(cells.qualifier(0), cells.value(0));
  }

  /**
   * A rollup: the aggregate of one interval. Only the original's configuration knows the length of
   * intervals.
   *
   * @param aggregator number or name of the aggregator
   * @param interval number of intervals after the base time
   * @param raw the last two bytes of the qualifier, then the value
   */
  record Rollup(String aggregator, int interval, Number number, Bytes raw) {
    static final int AGGREGATORS_MAX = 128;
    static final int ENTRY_LENGTH = 2;

    static Rollup of(CellBatch cells, int cell) {
      byte[] bytes = cells.bytes();
      Bytes qualifier = cells.qualifier(cell);
      int prefix = qualifier.length() - ENTRY_LENGTH;
      int entry =
          (int) PointCodec.integer(bytes, cells.qualifierOffset(cell) + prefix, ENTRY_LENGTH)
              & 0xffff;
      int length = PointCodec.checkedLength(entry & 0xf);
      if (cells.valueLength(cell) != length) {
        throw new DamagedCellException(
            "rollup: a value of %d bytes, the qualifier says %d"
                .formatted(cells.valueLength(cell), length));
      }
      int value = cells.valueOffset(cell);
      boolean integer = (entry & PointCodec.FLOAT) == 0;
      return new Rollup(
          aggregator(qualifier.slice(0, prefix)),
          entry >>> 4,
          integer
              ? (Number) PointCodec.integer(bytes, value, length)
              : (Number) PointCodec.real(bytes, value, length),
          qualifier.slice(prefix, qualifier.length()).concat(cells.value(cell)));
    }

    private static String aggregator(Bytes prefix) {
      if (prefix.length() > 1) {
        return prefix.slice(0, prefix.length() - 1).toUtf8();
      }
      int id = Byte.toUnsignedInt(prefix.at(0));
      if (id >= AGGREGATORS_MAX) {
        throw new DamagedCellException(
            "rollup: aggregator %d, they are numbered 0 to %d".formatted(id, AGGREGATORS_MAX - 1));
      }
      return Integer.toString(id);
    }

    /** Returns the first bytes of the qualifiers of an aggregator. */
    private static Bytes prefix(String aggregator) {
      if (aggregator.matches("0|[1-9][0-9]{0,2}")
          && Integer.parseInt(aggregator) < AGGREGATORS_MAX) {
        return Bytes.of((byte) Integer.parseInt(aggregator));
      }
      if (aggregator.matches("[A-Za-z][A-Za-z0-9]*")) {
        return Bytes.utf8(aggregator + ':');
      }
      throw new RefusedException(
          RULE,
          "rollup: aggregator '%s' is neither a name in letters nor a number from 0 to %d"
              .formatted(aggregator, AGGREGATORS_MAX - 1));
    }
  }
}
