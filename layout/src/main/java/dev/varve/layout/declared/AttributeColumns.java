package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.RefusedException;
import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.TimeUse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The family of attributes, compiled.
 *
 * <pre>
 * Qualifier := Text                   // OrderedText: the name, of what holds for all time
 *            | Ended time i64         // the name, and the instant that it belongs to
 * Value     := ValueCodec
 * </pre>
 *
 * The cell time is the time of the write, in the unit of the table. Tables that keep metadata
 * beyond every window of samples add {@code shift}, which moves it into the future. In such a table
 * a cell with an unshifted time counts as damaged, because every shifted cell would permanently
 * outrank it.
 */
final class AttributeColumns {
  final int index;
  final FamilySpec spec;
  private final long shift;
  private final boolean shifted;

  AttributeColumns(int index, AttributesDeclaration declaration, Resolution unit) {
    this.index = index;
    this.shifted = declaration.time() instanceof CellTime.Shifted;
    this.shift = FamilyColumns.shiftTicks(declaration.time(), unit);
    this.spec =
        new FamilySpec(
            declaration.family(), shifted ? TimeUse.DATA : TimeUse.CLOCK, declaration.versions());
  }

  /** Selects the family's newest cells, regardless of the requested window of samples. */
  FamilySelect select() {
    TimeRange times = shifted ? new TimeRange(shift, Long.MAX_VALUE) : TimeRange.ALL;
    return new FamilySelect(index, List.of(), times, 1);
  }

  /**
   * Encodes an attribute.
   *
   * @param writeTime in the unit of the table
   * @throws RefusedException if its name is too long
   */
  void encode(Attribute attribute, long writeTime, KeyBytes row, MutationBatch batch) {
    KeyBytes out = new KeyBytes();
    OrderedText.append(attribute.name(), out);
    if (attribute.time() != null) {
      OrderedText.end(out);
      OrderedNumber.append(attribute.time(), false, out);
    }
    int valueAt = out.length();
    if (valueAt > DeclaredLayout.QUALIFIER_MAX) {
      throw new RefusedException(
          "declared.qualifier",
          "the name of the attribute takes %d bytes, more than the limit of %d"
              .formatted(valueAt, DeclaredLayout.QUALIFIER_MAX));
    }
    ValueCodec.append(attribute.value(), out);
    batch.put(
        row.array(),
        0,
        row.length(),
        index,
        out.array(),
        0,
        valueAt,
        writeTime + shift,
        out.array(),
        valueAt,
        out.length() - valueAt);
  }

  /** Decodes one cell. Returns why it is damaged, or null. */
  @Nullable String decode(CellBatch cells, int cell, RowSamples out) {
    byte[] bytes = cells.bytes();
    int from = cells.qualifierOffset(cell);
    int to = from + cells.qualifierLength(cell);
    int nameTo = nameEnd(bytes, from, to);
    if (nameTo < 0) {
      return "qualifier: not the name of an attribute";
    }
    if (cells.time(cell) < shift) {
      return "cell time %d lacks the shift of %d that attributes have"
          .formatted(cells.time(cell), shift);
    }
    int valueFrom = cells.valueOffset(cell);
    Value value = ValueCodec.read(bytes, valueFrom, valueFrom + cells.valueLength(cell));
    if (value == null) {
      return "value: not a number, text or raw bytes";
    }
    Long time = nameTo == to ? null : OrderedNumber.read(bytes, nameTo + 2, false);
    out.attribute(OrderedText.read(bytes, from, nameTo), time, value);
    return null;
  }

  /** Returns where the name ends, or -1 if the qualifier is invalid. */
  private static int nameEnd(byte[] bytes, int from, int to) {
    if (OrderedText.isText(bytes, from, to)) {
      return to;
    }
    int end = OrderedText.endOf(bytes, from, to);
    boolean timed = end >= 0 && to - end == 2 + OrderedNumber.LENGTH;
    return timed && OrderedText.isText(bytes, from, end) ? end : -1;
  }

  /**
   * Formats the name in a qualifier, with its time if it has one; null if the qualifier is invalid.
   */
  @Nullable String show(byte[] qualifier, Resolution resolution) {
    int end = nameEnd(qualifier, 0, qualifier.length);
    if (end < 0) {
      return null;
    }
    String name = OrderedText.read(qualifier, 0, end);
    return end == qualifier.length
        ? name
        : name + " at " + Instants.show(OrderedNumber.read(qualifier, end + 2, false), resolution);
  }

  long shift() {
    return shift;
  }
}
