package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.TimeRange;
import dev.varve.store.FamilySpec;
import dev.varve.store.QualifierRange;
import dev.varve.store.TimeUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * A family, compiled: what stands where in its qualifiers, and what its cell times say.
 *
 * <pre>
 * Qualifier := part*, in the declared order
 * field     := Field Ended-mark?      // OrderedText; no mark where it is the last part
 * offset    := u8 .. u64              // big-endian, in the declared unit, from the bucket's start on
 * sequence  := i64                    // OrderedNumber
 * fixed     := the text in UTF-8
 * value     := 1n byte{n} | 2n byte{n} | 30 Text Ended-mark?     // ValueCodec
 * </pre>
 */
final class FamilyColumns {
  /** What a part of a qualifier is. */
  enum Part {
    FIELD,
    OFFSET,
    SEQUENCE,
    FIXED,
    VALUE
  }

  final int index;
  final FamilySpec spec;
  final Part[] parts;
  final Bytes fixed;
  final int offsetBytes;

  /** Ticks of the resolution that one step of the offset is long. */
  final long offsetUnit;

  final ValueForm form;

  /** Whether cell times are those of samples; else stamps. */
  final boolean eventTime;

  /** Added to sample times to give cell times, in ticks. */
  final long shift;

  final boolean hasField;
  final boolean hasSequence;

  /** The field of cells that do not name theirs. */
  final String onlyField;

  FamilyColumns(int index, FamilyDeclaration declaration, long bucketTicks, Resolution resolution) {
    this.index = index;
    this.parts = declaration.qualifier().stream().map(FamilyColumns::part).toArray(Part[]::new);
    this.form = declaration.value();
    this.eventTime = !(declaration.time() instanceof CellTime.Server);
    this.shift = shiftTicks(declaration.time(), resolution);
    this.spec =
        new FamilySpec(
            declaration.name(), eventTime ? TimeUse.DATA : TimeUse.CLOCK, declaration.versions());
    this.hasField = declaration.has(QualifierElement.Field.class) || form == ValueForm.ALL;
    this.hasSequence = declaration.has(QualifierElement.Sequence.class);
    this.onlyField =
        declaration.fields().isEmpty() ? Series.DEFAULT_FIELD : declaration.fields().getFirst();
    Bytes literal = Bytes.EMPTY;
    long unit = 1;
    int bytes = 0;
    for (QualifierElement element : declaration.qualifier()) {
      if (element instanceof QualifierElement.Fixed text) {
        literal = Bytes.utf8(text.bytes());
      } else if (element instanceof QualifierElement.Offset offset) {
        unit = unitTicks(offset, resolution);
        bytes = offset.bytes() == 0 ? bytesFor(bucketTicks, unit) : offset.bytes();
      }
    }
    this.fixed = literal;
    this.offsetUnit = unit;
    this.offsetBytes = bytes;
  }

  private static Part part(QualifierElement element) {
    return switch (element) {
      case QualifierElement.Field f -> Part.FIELD;
      case QualifierElement.Offset o -> Part.OFFSET;
      case QualifierElement.Sequence s -> Part.SEQUENCE;
      case QualifierElement.Fixed f -> Part.FIXED;
      case QualifierElement.Value v -> Part.VALUE;
    };
  }

  static long unitTicks(QualifierElement.Offset offset, Resolution resolution) {
    Duration unit = offset.unit();
    return unit == null ? 1 : Ticks.exact(unit, resolution);
  }

  /** How many bytes hold every offset of a bucket. */
  static int bytesFor(long bucketTicks, long unit) {
    long last = (bucketTicks - 1) / unit;
    return Math.max(1, (71 - Long.numberOfLeadingZeros(last)) / 8);
  }

  /**
   * The shift in ticks; 0 where there is none.
   *
   * @throws ArithmeticException if it does not fit into 64 bits
   */
  static long shiftTicks(CellTime time, Resolution resolution) {
    return time instanceof CellTime.Shifted(long millis)
        ? Resolution.MILLISECONDS.convert(millis, resolution)
        : 0;
  }

  /** Whether a qualifier begins with the offset. */
  boolean offsetFirst() {
    return parts[0] == Part.OFFSET;
  }

  /**
   * Whether the cells of one series come in the order of time within a bucket: nothing that differs
   * within a series stands before the offset.
   */
  boolean inTimeOrder() {
    for (Part part : parts) {
      if (part == Part.OFFSET) {
        return true;
      }
      if (part == Part.SEQUENCE || part == Part.VALUE) {
        return false;
      }
    }
    return false;
  }

  /** The cell times of samples of a range of times. */
  TimeRange cellTimes(TimeRange times) {
    return new TimeRange(shifted(times.from()), shifted(times.to()));
  }

  private long shifted(long time) {
    return time == Long.MIN_VALUE || time > Long.MAX_VALUE - shift
        ? (time < 0 ? time : Long.MAX_VALUE)
        : time + shift;
  }

  /** Where the qualifiers of some fields lie, as far as that can be said; empty for all. */
  List<QualifierRange> ranges(Collection<String> fields) {
    if (parts[0] != Part.FIELD) {
      return List.of();
    }
    TreeSet<Bytes> starts = new TreeSet<>();
    for (String field : fields) {
      KeyBytes out = new KeyBytes();
      OrderedText.appendField(field, out);
      if (parts.length > 1) {
        OrderedText.end(out);
      }
      starts.add(out.toBytes());
    }
    List<QualifierRange> ranges = new ArrayList<>(starts.size());
    for (Bytes start : starts) {
      ranges.add(parts.length > 1 ? QualifierRange.prefix(start) : QualifierRange.exactly(start));
    }
    return ranges;
  }
}
