package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.store.CellBatch;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the cells of a row. Without objects of its own: rows may hold a single sample, and a name
 * of a field that the row samples know already is not made again.
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
    long time;
    long stamp;
    try {
      time = keys.check(bytes, row, rowEnd);
      stamp = keys.oneRowASample() ? keys.stamp(bytes, row, rowEnd) : 0;
    } catch (DamagedCellException damage) {
      for (int cell = from; cell < to; cell++) {
        out.damaged(cell, String.valueOf(damage.getMessage()));
      }
      return;
    }
    long end = keys.hasTime() ? keys.time().next(time) : Long.MAX_VALUE;
    for (int cell = from; cell < to; cell++) {
      int family = cells.family(cell);
      String reason =
          family == layout.attributesFamily()
              ? layout.attributes().decode(cells, cell, out)
              : sample(layout.family(family), cells, cell, time, end, stamp, out);
      if (reason != null) {
        out.damaged(cell, reason);
      }
    }
  }

  /**
   * Decodes one cell.
   *
   * @param rowTime the start of the row's bucket, or its instant
   * @param rowEnd the start of the next
   * @param rowStamp what the row key says
   * @return why it is damaged, or null
   */
  private @Nullable String sample(
      FamilyColumns family,
      CellBatch cells,
      int cell,
      long rowTime,
      long rowEnd,
      long rowStamp,
      RowSamples out) {
    byte[] bytes = cells.bytes();
    int at = cells.qualifierOffset(cell);
    int to = at + cells.qualifierLength(cell);
    long time = rowTime;
    long stamp = rowStamp;
    int fieldFrom = -1;
    int fieldTo = -1;
    int valueFrom = cells.valueOffset(cell);
    int valueTo = valueFrom + cells.valueLength(cell);
    int valueEnd = valueTo;
    int last = family.parts.length - 1;
    for (int i = 0; i <= last; i++) {
      switch (family.parts[i]) {
        case OFFSET -> {
          if (to - at < family.offsetBytes) {
            return "qualifier: offset of %d bytes, %d are left"
                .formatted(family.offsetBytes, to - at);
          }
          long steps = OrderedNumber.unsigned(bytes, at, family.offsetBytes);
          if (steps < 0 || steps > (rowEnd - rowTime - 1) / family.offsetUnit) {
            return "qualifier: offset %s lies behind the end of the row's bucket"
                .formatted(Long.toUnsignedString(steps));
          }
          time = rowTime + steps * family.offsetUnit;
          at += family.offsetBytes;
        }
        case SEQUENCE -> {
          if (to - at < OrderedNumber.LENGTH) {
            return "qualifier: sequence of 8 bytes, %d are left".formatted(to - at);
          }
          stamp = OrderedNumber.read(bytes, at, false);
          at += OrderedNumber.LENGTH;
        }
        case FIXED -> {
          if (to - at < family.fixed.length()
              || !family.fixed.contentEquals(bytes, at, family.fixed.length())) {
            return "qualifier: expected '%s'".formatted(family.fixed.toUtf8());
          }
          at += family.fixed.length();
        }
        case FIELD -> {
          fieldFrom = at;
          fieldTo = i == last ? to : OrderedText.endOfField(bytes, at, to);
          if (fieldTo < 0 || !OrderedText.isField(bytes, fieldFrom, fieldTo)) {
            return "qualifier: no name of a field at byte %d"
                .formatted(fieldFrom - cells.qualifierOffset(cell));
          }
          at = i == last ? to : fieldTo + 2;
        }
        case VALUE -> {
          int end = endOfValue(bytes, at, to, i == last);
          if (end < 0) {
            return "qualifier: no value at byte %d".formatted(at - cells.qualifierOffset(cell));
          }
          if (valueFrom != valueEnd) {
            return "value of %d bytes, which stands in the qualifier"
                .formatted(valueEnd - valueFrom);
          }
          valueFrom = at;
          valueTo = end;
          at = ValueCodec.isText(bytes, at, to) && i != last ? end + 2 : end;
        }
      }
    }
    if (at != to) {
      return "qualifier: %d bytes too many".formatted(to - at);
    }
    if (family.eventTime) {
      long cellTime = cells.time(cell);
      time = cellTime - family.shift;
      if (cellTime < Long.MIN_VALUE + family.shift || !layout.domain().times().contains(time)) {
        return "cell time %d is that of no sample".formatted(cellTime);
      }
      if (keys.hasTime() && (time < rowTime || time >= rowEnd)) {
        return "cell time %d lies outside the row's bucket".formatted(cellTime);
      }
    } else if (!family.hasSequence && !keys.oneRowASample()) {
      stamp = cells.time(cell);
    }
    if (!layout.domain().times().contains(time)) {
      return "time %d lies outside the layout's domain".formatted(time);
    }
    return switch (family.form) {
      case ONE -> one(family, bytes, fieldFrom, fieldTo, valueFrom, valueTo, time, stamp, out);
      case ALL -> packed(family, bytes, valueFrom, valueTo, time, stamp, out);
      case EMPTY -> {
        if (ValueCodec.isText(bytes, valueFrom, valueTo)) {
          yield escaped(family, bytes, fieldFrom, fieldTo, valueFrom, valueTo, time, stamp, out);
        }
        yield one(family, bytes, fieldFrom, fieldTo, valueFrom, valueTo, time, stamp, out);
      }
    };
  }

  /** Where a value in a qualifier ends, before its end mark; -1 where there is none. */
  static int endOfValue(byte[] bytes, int from, int to, boolean last) {
    if (from >= to) {
      return -1;
    }
    if (ValueCodec.isText(bytes, from, to)) {
      int end = last ? to : OrderedText.endOf(bytes, from + 1, to);
      return end >= 0 && OrderedText.isText(bytes, from + 1, end) ? end : -1;
    }
    int length = ValueCodec.numberLength(bytes, from);
    return length < 0 || from + length > to ? -1 : from + length;
  }

  private @Nullable String one(
      FamilyColumns family,
      byte[] bytes,
      int fieldFrom,
      int fieldTo,
      int valueFrom,
      int valueTo,
      long time,
      long stamp,
      RowSamples out) {
    Kind kind = ValueCodec.kind(bytes, valueFrom, valueTo);
    if (kind == null) {
      return "value: no number and no text";
    }
    String field = fieldFrom < 0 ? family.onlyField : field(bytes, fieldFrom, fieldTo, kind, out);
    if (layout.familyOf(field) != family) {
      return "field '%s' has no place in family %s".formatted(field, family.spec.name());
    }
    add(out.samples(field, kind), kind, bytes, valueFrom, valueTo, time, stamp);
    return null;
  }

  /** As {@link #one}, for a text that stands escaped in the qualifier. */
  private @Nullable String escaped(
      FamilyColumns family,
      byte[] bytes,
      int fieldFrom,
      int fieldTo,
      int valueFrom,
      int valueTo,
      long time,
      long stamp,
      RowSamples out) {
    String field =
        fieldFrom < 0 ? family.onlyField : field(bytes, fieldFrom, fieldTo, Kind.STRING, out);
    if (layout.familyOf(field) != family) {
      return "field '%s' has no place in family %s".formatted(field, family.spec.name());
    }
    byte[] text = OrderedText.unescape(bytes, valueFrom + 1, valueTo);
    out.samples(field, Kind.STRING).add(time, text, 0, text.length, stamp);
    return null;
  }

  /** The name of a field in a qualifier, taken from the vectors that are there if it can be. */
  private static String field(byte[] bytes, int from, int to, Kind kind, RowSamples out) {
    if (from == to) {
      return Series.DEFAULT_FIELD;
    }
    String known = known(bytes, from, to, kind, out);
    return known != null ? known : OrderedText.readField(bytes, from, to);
  }

  private static @Nullable String known(byte[] bytes, int from, int to, Kind kind, RowSamples out) {
    for (int i = 0; i < out.vectors().size(); i++) {
      RowSamples.Vector vector = out.vectors().get(i);
      if (vector.samples().kind() == kind && OrderedText.equals(bytes, from, to, vector.field())) {
        return vector.field();
      }
    }
    return null;
  }

  private @Nullable String packed(
      FamilyColumns family, byte[] bytes, int from, int to, long time, long stamp, RowSamples out) {
    if (from == to || bytes[from] != PackedCodec.VERSION) {
      return from == to
          ? "value: empty, expected packed fields"
          : "value: packed fields of version %d, version %d is known"
              .formatted(bytes[from], PackedCodec.VERSION);
    }
    String reason = checkPacked(family, bytes, from + 1, to);
    if (reason != null) {
      return reason;
    }
    int at = from + 1;
    while (at < to) {
      int name = PackedCodec.varintAt(bytes, at, to);
      int nameFrom = at + PackedCodec.varintLength(name);
      int value = PackedCodec.varintAt(bytes, nameFrom + name, to);
      int valueFrom = nameFrom + name + PackedCodec.varintLength(value);
      at = valueFrom + value;
      Kind kind = ValueCodec.kind(bytes, valueFrom, at);
      if (kind != null) {
        String known = known(bytes, nameFrom, nameFrom + name, kind, out);
        String field =
            known != null ? known : new String(bytes, nameFrom, name, StandardCharsets.UTF_8);
        add(out.samples(field, kind), kind, bytes, valueFrom, at, time, stamp);
      }
    }
    return null;
  }

  private static void add(
      Samples samples, Kind kind, byte[] bytes, int from, int to, long time, long stamp) {
    switch (kind) {
      case INT64 -> samples.add(time, ValueCodec.readLong(bytes, from, to), stamp);
      case DOUBLE -> samples.add(time, ValueCodec.readDouble(bytes, from, to), stamp);
      case STRING -> samples.add(time, bytes, from + 1, to - from - 1, stamp);
    }
  }

  /** Why packed fields are damaged, before the first of them is handed out; or null. */
  private @Nullable String checkPacked(FamilyColumns family, byte[] bytes, int from, int to) {
    int at = from;
    int before = -1;
    int beforeTo = -1;
    while (at < to) {
      int name = PackedCodec.varintAt(bytes, at, to);
      int nameFrom = at + PackedCodec.varintLength(Math.max(name, 0));
      if (name < 0 || name > to - nameFrom || !Utf8.valid(bytes, nameFrom, nameFrom + name)) {
        return "value, byte %d: no name of a field".formatted(at - from + 1);
      }
      int nameTo = nameFrom + name;
      int value = PackedCodec.varintAt(bytes, nameTo, to);
      int valueFrom = nameTo + PackedCodec.varintLength(Math.max(value, 0));
      if (value < 1 || value > to - valueFrom) {
        return "value, byte %d: a field without a value".formatted(nameTo - from + 1);
      }
      at = valueFrom + value;
      if (ValueCodec.kind(bytes, valueFrom, at) == null
          && !ValueCodec.isReserved(bytes, valueFrom, at)) {
        return "value, byte %d: no number and no text".formatted(valueFrom - from + 1);
      }
      if (before >= 0 && !PackedCodec.rises(bytes, before, beforeTo, nameFrom, nameTo)) {
        return "value, byte %d: names of fields do not rise".formatted(nameFrom - from + 1);
      }
      before = nameFrom;
      beforeTo = nameTo;
      if (!layout.holdsEveryField()
          && layout.familyOf(new String(bytes, nameFrom, name, StandardCharsets.UTF_8)) != family) {
        return "value, byte %d: a field that has no place in family %s"
            .formatted(nameFrom - from + 1, family.spec.name());
      }
    }
    return from == to ? "value: no field at all" : null;
  }
}
