package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;

/** A compiled family: its qualifiers, the meaning of its cell times, and the form of its values. */
final class FamilyColumns {
  final int index;
  final FamilySpec spec;
  final Qualifier qualifier;
  final ValueForm form;

  /** Whether cell times are sample times; otherwise they are stamps. */
  final boolean eventTime;

  /** Ticks added to sample times to obtain cell times. */
  final long shift;

  /** Whether cells contain the name of their field. */
  final boolean namesFields;

  final boolean qualifierHasField;
  final boolean hasSequence;
  final boolean hasOffset;

  /**
   * Whether a cell is one sample whose qualifier consists of its offset and, unless omitted, its
   * field.
   */
  final boolean plain;

  /** The field of cells that do not name theirs. */
  final String onlyField;

  FamilyColumns(int index, FamilyDeclaration declaration, long bucketTicks, Resolution resolution) {
    this.index = index;
    this.qualifier = new Qualifier(declaration.qualifier(), bucketTicks, resolution);
    this.form = declaration.value();
    this.eventTime = !(declaration.time() instanceof CellTime.Server);
    this.shift = shiftTicks(declaration.time(), resolution);
    this.spec =
        new FamilySpec(
            declaration.name(), eventTime ? TimeUse.DATA : TimeUse.CLOCK, declaration.versions());
    this.qualifierHasField = qualifier.has(Qualifier.Part.FIELD);
    this.namesFields = qualifierHasField || form == ValueForm.ALL;
    this.hasSequence = qualifier.has(Qualifier.Part.SEQUENCE);
    this.hasOffset = qualifier.has(Qualifier.Part.OFFSET);
    this.plain = form == ValueForm.ONE && !eventTime && qualifier.isOffsetAndPerhapsField();
    this.onlyField =
        declaration.fields().isEmpty() ? Series.DEFAULT_FIELD : declaration.fields().getFirst();
  }

  /** Returns the field of cells whose qualifiers have no bytes for it. */
  String unnamedField() {
    return qualifierHasField ? Series.DEFAULT_FIELD : onlyField;
  }

  /**
   * Returns the shift in ticks; 0 if there is none.
   *
   * @throws ArithmeticException if it overflows 64 bits
   */
  static long shiftTicks(CellTime time, Resolution resolution) {
    return time instanceof CellTime.Shifted(long millis)
        ? Resolution.MILLISECONDS.convert(millis, resolution)
        : 0;
  }

  /** Returns the cell times of samples in a range of times. */
  TimeRange cellTimes(TimeRange times) {
    return new TimeRange(shifted(times.from()), shifted(times.to()));
  }

  /** Saturates at both ends, which stand for no bound. */
  private long shifted(long time) {
    if (time == Long.MIN_VALUE) {
      return time;
    }
    return time > Long.MAX_VALUE - shift ? Long.MAX_VALUE : time + shift;
  }
}
