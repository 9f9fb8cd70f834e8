package dev.varve.layout.opentsdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a row beside its points: annotations and histograms, which are attributes of those
 * names, and rollups, which are shown and not written.
 *
 * <pre>
 *  annotation, histogram             rollup                    older rollup
 * +-------+----------------+        +----+------------+       +----------------+------------+
 * | 01 06 | seconds : 16   |        | id | n:12 flags |       | NAME ':'       | n:12 flags |
 * +-------+----------------+        +----+------------+       +----------------+------------+
 * | 01 06 | milliseconds : 32 |      n: how many intervals behind the base time
 * +-------+-------------------+
 * </pre>
 */
final class Attachments {
  static final String ANNOTATION = "annotation";
  static final String HISTOGRAM = "histogram";
  static final String ROLLUP = "rollup";

  private static final String RULE = "opentsdb.attribute";
  private static final int ROLLUP_TAIL = 2;
  private static final int AGGREGATORS_MAX = 128;

  private Attachments() {}

  /**
   * Gives out an attachment.
   *
   * @param base of the row, in milliseconds
   * @throws DamagedCellException if it is damaged
   */
  static void read(Columns.Content content, CellBatch cells, int cell, long base, RowSamples out) {
    switch (content) {
      case ANNOTATION -> {
        String text = utf8(cells, cell);
        out.attribute(ANNOTATION, annotationTime(cells, cell, base, text), new Value.Text(text));
      }
      case HISTOGRAM ->
          out.attribute(
              HISTOGRAM, base + offset(cells, cell), new Value.Raw(histogram(cells, cell)));
      case ROLLUP -> out.attribute(ROLLUP, base, new Value.Text(Rollup.of(cells, cell).json()));
      case POINT, COMPACTED, APPENDED ->
          throw new IllegalArgumentException(content + " is no attachment");
    }
  }

  /**
   * The instant of an annotation: its {@code startTime}, where it has one, because the original
   * makes the qualifier of that and can lose the instant in it.
   */
  private static long annotationTime(CellBatch cells, int cell, long base, String text) {
    AnnotationJson json;
    try {
      json = AnnotationJson.parse(text);
    } catch (IllegalArgumentException e) {
      throw new DamagedCellException("annotation: " + e.getMessage());
    }
    Long start = json.startTime();
    Long time = json.startMillis();
    if (start == null || time == null) {
      return base + offset(cells, cell);
    }
    if (time < base
        || time >= base + RowKeys.HOUR_MILLIS
        || !annotationQualifier(start).equals(cells.qualifier(cell))) {
      throw new DamagedCellException(
          "annotation: its startTime %d belongs neither to row time %d ms nor to qualifier %s"
              .formatted(start, base, RowKeys.HEX.formatHex(cells.qualifier(cell).toArray())));
    }
    return time;
  }

  /**
   * The qualifier that the original makes of a start time. It means to turn whole seconds given in
   * milliseconds into seconds, but divides whatever is a multiple of 1000; a time in seconds then
   * has the offset of another instant.
   */
  private static Bytes annotationQualifier(long start) {
    long time = start % 1000 == 0 ? start / 1000 : start;
    return AnnotationJson.isMillis(time)
        ? qualifier(Columns.ANNOTATION_PREFIX, time % RowKeys.HOUR_MILLIS, 4)
        : qualifier(Columns.ANNOTATION_PREFIX, time % RowKeys.HOUR_SECONDS, 2);
  }

  private static Bytes qualifier(byte prefix, long offset, int width) {
    return new KeyBytes().u8(prefix).number(offset, width).toBytes();
  }

  /** The offset behind the base time that a qualifier of three or five bytes says, in ms. */
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
      throw new DamagedCellException("annotation: its value is no UTF-8");
    }
  }

  /**
   * The cell of an attribute.
   *
   * @param qualifier of the cell
   * @param value of the cell
   */
  record Written(Bytes qualifier, Bytes value) {}

  /**
   * Encodes an attribute whose time lies inside the domain.
   *
   * @throws RefusedException if it is none that has a place
   */
  static Written write(
      UidBinding binding, Attribute attribute, long time, OpenTsdbParameters.TimeForm form) {
    return switch (attribute.name()) {
      case ANNOTATION -> annotation(binding, attribute.value(), time);
      case HISTOGRAM -> histogram(binding, attribute.value(), time, form);
      default ->
          throw new RefusedException(
              RULE,
              "attribute '%s': a row of OpenTSDB holds the attributes annotation and histogram"
                  .formatted(attribute.name()));
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
    checkTsuid(json.tsuid(), binding);
    Long start = json.startTime();
    if (start == null || !Long.valueOf(time).equals(json.startMillis())) {
      throw new RefusedException(
          RULE,
          "annotation: its startTime is %s, it must be its time, %d ms or in whole seconds"
              .formatted(start == null ? "missing" : start, time));
    }
    return new Written(annotationQualifier(start), Bytes.utf8(text));
  }

  private static void checkTsuid(@Nullable String tsuid, UidBinding binding) {
    if (binding.global()) {
      if (tsuid != null && !tsuid.isEmpty()) {
        throw new RefusedException(RULE, "annotation of no series: has tsuid " + tsuid);
      }
      return;
    }
    String own = RowKeys.HEX.formatHex(binding.tsuid().toArray());
    if (!own.equalsIgnoreCase(tsuid)) {
      throw new RefusedException(
          RULE, "annotation: its tsuid is %s, the series' is %s".formatted(tsuid, own));
    }
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

  /**
   * A rollup: a number that an aggregator made of an interval whose length only the original's
   * configuration knows.
   *
   * @param aggregator its number, or its name in quotes
   * @param interval how many intervals behind the base time
   */
  record Rollup(String aggregator, int interval, Number number) {
    static Rollup of(CellBatch cells, int cell) {
      byte[] bytes = cells.bytes();
      int from = cells.qualifierOffset(cell);
      int tail = from + cells.qualifierLength(cell) - ROLLUP_TAIL;
      int entry = (int) PointCodec.integer(bytes, tail, ROLLUP_TAIL) & 0xffff;
      int length = PointCodec.checkedLength(entry & 0xf);
      if (cells.valueLength(cell) != length) {
        throw new DamagedCellException(
            "rollup: a value of %d bytes, the qualifier says %d"
                .formatted(cells.valueLength(cell), length));
      }
      int value = cells.valueOffset(cell);
      Number number;
      if ((entry & PointCodec.FLOAT) == 0) {
        number = PointCodec.integer(bytes, value, length);
      } else {
        number = PointCodec.real(bytes, value, length);
      }
      return new Rollup(aggregator(bytes, from, tail), entry >>> 4, number);
    }

    private static String aggregator(byte[] bytes, int from, int tail) {
      if (tail - from > 1) {
        return '"' + new String(bytes, from, tail - from - 1, StandardCharsets.US_ASCII) + '"';
      }
      int id = Byte.toUnsignedInt(bytes[from]);
      if (id >= AGGREGATORS_MAX) {
        throw new DamagedCellException(
            "rollup: aggregator %d, they are numbered 0 to %d".formatted(id, AGGREGATORS_MAX - 1));
      }
      return Integer.toString(id);
    }

    String json() {
      return "{\"aggregator\":%s,\"interval\":%d,\"value\":%s}"
          .formatted(aggregator, interval, number);
    }
  }
}
