package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RowSamples;
import dev.varve.layout.declared.Qualifier.Part;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the cells of a row without allocating: rows may hold a single sample. Field names that
 * the row samples already contain are reused.
 */
final class SampleDecoder {
  private final DeclaredLayout layout;
  private final KeyPlan keys;

  SampleDecoder(DeclaredLayout layout, KeyPlan keys) {
    this.layout = layout;
    this.keys = keys;
  }

  void decode(CellBatch cells, int from, int to, RowSamples out) {
    if (from == to) {
      return;
    }
    byte[] bytes = cells.bytes();
    int row = cells.rowOffset(from);
    int rowEnd = row + cells.rowLength(from);
    TimeRange domain = layout.domain().times();
    long start = domain.from();
    long end = domain.to();
    long stamp = 0;
    try {
      long time = keys.check(bytes, row, rowEnd);
      if (keys.hasTime()) {
        start = time;
        end = Math.min(end, keys.time().next(time));
      }
      if (keys.oneRowASample()) {
        stamp = keys.stamp(bytes, row, rowEnd);
      }
    } catch (DamagedCellException damage) {
      for (int cell = from; cell < to; cell++) {
        out.damaged(cell, String.valueOf(damage.getMessage()));
      }
      return;
    }
    int cell = from;
    while (cell < to) {
      cell = plainCells(cells, cell, to, start, end, out);
      if (cell < to) {
        String reason = cell(cells, cell, start, end, stamp, out);
        if (reason != null) {
          out.damaged(cell, reason);
        }
        cell++;
      }
    }
  }

  /**
   * Decodes cells while they have the most frequent form: the qualifier is just an offset, so the
   * field need not be named, and the value is a double. The result is the same as {@link #cell}
   * would produce. Anything else, including damage, is left to that method.
   *
   * @return the index of the first cell that it did not decode, or {@code to}
   */
  private int plainCells(CellBatch cells, int from, int to, long start, long end, RowSamples out) {
    int index = cells.family(from);
    if (index == layout.attributesFamily() || !isPlain(layout.family(index), start, end)) {
      return from;
    }
    FamilyColumns family = layout.family(index);
    int length = family.qualifier.offsetBytes();
    long unit = family.qualifier.offsetUnit();
    long lastStep = (end - 1 - start) / unit;
    Samples samples = null;
    byte[] bytes = cells.bytes();
    for (int cell = from; cell < to; cell++) {
      int value = cells.valueOffset(cell);
      int valueEnd = value + cells.valueLength(cell);
      if (cells.family(cell) != index
          || cells.qualifierLength(cell) != length
          || !ValueCodec.isDouble(bytes, value, valueEnd)) {
        return cell;
      }
      long step = OrderedNumber.unsigned(bytes, cells.qualifierOffset(cell), length);
      if (step < 0 || step > lastStep) {
        return cell;
      }
      if (samples == null) {
        samples = out.samples(family.unnamedField(), Kind.DOUBLE);
      }
      samples.add(
          start + step * unit, ValueCodec.readDouble(bytes, value, valueEnd), cells.time(cell));
    }
    return to;
  }

  /** Returns whether {@link #plainCells} can decode the plain cells of a family. */
  private boolean isPlain(FamilyColumns family, long start, long end) {
    return family.plain
        && !keys.oneRowASample()
        && start >= layout.domain().times().from()
        && end > start
        && (!family.qualifierHasField || layout.familyOf(family.unnamedField()) == family);
  }

  /**
   * Decodes one cell.
   *
   * @param start the start of the row's bucket, or its instant; if rows cover all time, the first
   *     instant of the domain
   * @param end the start of the next
   * @param rowStamp the stamp in the row key, 0 if there is none
   * @return why the cell is damaged, or null
   */
  private @Nullable String cell(
      CellBatch cells, int cell, long start, long end, long rowStamp, RowSamples out) {
    if (cells.family(cell) == layout.attributesFamily()) {
      return layout.attributes().decode(cells, cell, out);
    }
    FamilyColumns family = layout.family(cells.family(cell));
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int to = from + cells.qualifierLength(cell);
    String fault = family.qualifier.fault(bytes, from, to, end - start);
    if (fault != null) {
      return fault;
    }
    long time = start;
    if (family.hasOffset) {
      time += family.qualifier.offset(bytes, from, to);
    } else if (family.eventTime) {
      time = cells.time(cell) - family.shift;
      if (time < start || time >= end) {
        return "cell time %d does not belong to any sample in the row".formatted(cells.time(cell));
      }
    }
    if (!layout.domain().times().contains(time)) {
      return "time %d lies outside the layout's domain".formatted(time);
    }
    long stamp = stamp(family, cells, cell, rowStamp);
    return switch (family.form) {
      case ONE -> one(family, cells, cell, time, stamp, out);
      case EMPTY -> inQualifier(family, cells, cell, time, stamp, out);
      case ALL -> packed(family, cells, cell, time, stamp, out);
    };
  }

  private long stamp(FamilyColumns family, CellBatch cells, int cell, long rowStamp) {
    if (family.hasSequence) {
      int from = cells.qualifierOffset(cell);
      int to = from + cells.qualifierLength(cell);
      return OrderedNumber.read(
          cells.bytes(), family.qualifier.start(Part.SEQUENCE, cells.bytes(), from, to), false);
    }
    return keys.oneRowASample() || family.eventTime ? rowStamp : cells.time(cell);
  }

  private @Nullable String one(
      FamilyColumns family, CellBatch cells, int cell, long time, long stamp, RowSamples out) {
    int from = cells.valueOffset(cell);
    int to = from + cells.valueLength(cell);
    Kind kind = ValueCodec.kind(cells.bytes(), from, to);
    if (kind == null) {
      return "value: neither a number nor a text";
    }
    Samples samples = samples(family, cells, cell, kind, out);
    if (samples == null) {
      return misplaced(field(family, cells, cell), family);
    }
    add(samples, kind, cells.bytes(), from, to, time, stamp);
    return null;
  }

  private @Nullable String inQualifier(
      FamilyColumns family, CellBatch cells, int cell, long time, long stamp, RowSamples out) {
    if (cells.valueLength(cell) != 0) {
      return "value: %d bytes, but the value is in the qualifier"
          .formatted(cells.valueLength(cell));
    }
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int to = from + cells.qualifierLength(cell);
    int valueFrom = family.qualifier.start(Part.VALUE, bytes, from, to);
    int valueTo = family.qualifier.end(Part.VALUE, bytes, valueFrom, to);
    boolean text = ValueCodec.isText(bytes, valueFrom, valueTo);
    Kind kind = text ? Kind.STRING : ValueCodec.kind(bytes, valueFrom, valueTo);
    if (kind == null) {
      return "qualifier: neither a number nor a text";
    }
    Samples samples = samples(family, cells, cell, kind, out);
    if (samples == null) {
      return misplaced(field(family, cells, cell), family);
    }
    if (text) {
      OrderedText.read(bytes, valueFrom + 1, valueTo, time, stamp, samples);
    } else {
      add(samples, kind, bytes, valueFrom, valueTo, time, stamp);
    }
    return null;
  }

  /** Decodes the field name of a cell whose qualifier contains one. */
  private static String field(FamilyColumns family, CellBatch cells, int cell) {
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int to = from + cells.qualifierLength(cell);
    int fieldFrom = family.qualifier.start(Part.FIELD, bytes, from, to);
    return OrderedText.readField(
        bytes, fieldFrom, family.qualifier.end(Part.FIELD, bytes, fieldFrom, to));
  }

  private static String misplaced(String field, FamilyColumns family) {
    return "field '%s' has no place in family %s".formatted(field, family.spec.name());
  }

  /** Returns the vector for a cell's value; null if its field does not belong in the family. */
  private @Nullable Samples samples(
      FamilyColumns family, CellBatch cells, int cell, Kind kind, RowSamples out) {
    if (!family.qualifierHasField) {
      return out.samples(family.onlyField, kind);
    }
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int to = from + cells.qualifierLength(cell);
    int fieldFrom = family.qualifier.start(Part.FIELD, bytes, from, to);
    int fieldTo = family.qualifier.end(Part.FIELD, bytes, fieldFrom, to);
    String known = known(bytes, fieldFrom, fieldTo, kind, out);
    String field = known != null ? known : OrderedText.readField(bytes, fieldFrom, fieldTo);
    return layout.familyOf(field) == family ? out.samples(field, kind) : null;
  }

  /** Looks up a field name among the existing vectors; null if it is not there. */
  private static @Nullable String known(byte[] bytes, int from, int to, Kind kind, RowSamples out) {
    if (from == to) {
      return Series.DEFAULT_FIELD;
    }
    for (int i = 0; i < out.vectors().size(); i++) {
      RowSamples.Vector vector = out.vectors().get(i);
      if (vector.samples().kind() == kind && OrderedText.equals(bytes, from, to, vector.field())) {
        return vector.field();
      }
    }
    return null;
  }

  private @Nullable String packed(
      FamilyColumns family, CellBatch cells, int cell, long time, long stamp, RowSamples out) {
    byte[] bytes = cells.bytes();
    int from = cells.valueOffset(cell);
    int to = from + cells.valueLength(cell);
    String fault = PackedCodec.fault(bytes, from, to);
    if (fault != null) {
      return fault;
    }
    String stranger = layout.holdsEveryField() ? null : stranger(family, bytes, from, to, out);
    if (stranger != null) {
      return misplaced(stranger, family);
    }
    int at = from + 1;
    while (at < to) {
      int nameFrom = PackedCodec.nameFrom(bytes, at, to);
      int nameTo = PackedCodec.nameTo(bytes, at, to);
      int valueFrom = PackedCodec.valueFrom(bytes, nameTo, to);
      at = PackedCodec.valueTo(bytes, nameTo, to);
      Kind kind = ValueCodec.kind(bytes, valueFrom, at);
      if (kind != null) {
        String field = packedField(bytes, nameFrom, nameTo, out);
        add(out.samples(field, kind), kind, bytes, valueFrom, at, time, stamp);
      }
    }
    return null;
  }

  /** Returns a packed field that belongs in another family, or null. */
  private @Nullable String stranger(
      FamilyColumns family, byte[] bytes, int from, int to, RowSamples out) {
    for (int at = from + 1; at < to; ) {
      int nameTo = PackedCodec.nameTo(bytes, at, to);
      String field = packedField(bytes, PackedCodec.nameFrom(bytes, at, to), nameTo, out);
      if (layout.familyOf(field) != family) {
        return field;
      }
      at = PackedCodec.valueTo(bytes, nameTo, to);
    }
    return null;
  }

  /** Returns the name of a packed field, reusing that of an existing vector if possible. */
  private static String packedField(byte[] bytes, int from, int to, RowSamples out) {
    if (from == to) {
      return "";
    }
    for (int i = 0; i < out.vectors().size(); i++) {
      String field = out.vectors().get(i).field();
      if (OrderedText.equals(bytes, from, to, field)) {
        return field;
      }
    }
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  private static void add(
      Samples samples, Kind kind, byte[] bytes, int from, int to, long time, long stamp) {
    switch (kind) {
      case INT64 -> samples.add(time, ValueCodec.readLong(bytes, from, to), stamp);
      case DOUBLE -> samples.add(time, ValueCodec.readDouble(bytes, from, to), stamp);
      case STRING -> samples.add(time, bytes, from + 1, to - from - 1, stamp);
    }
  }
}
