package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.QualifierRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The qualifiers of a family, compiled: what stands where, and how it is found again without
 * allocating.
 *
 * <pre>
 * Qualifier := part*, in the declared order
 * field     := Field Mark             // OrderedText
 * offset    := u8 .. u64              // big-endian, in the declared unit, from the bucket's start
 * sequence  := i64                    // OrderedNumber
 * fixed     := the text in UTF-8
 * value     := 1n byte{n} | 2n byte{n} | 30 Text Mark       // ValueCodec
 * Mark      := 00 01, or nothing where the part is the last
 * </pre>
 */
final class Qualifier {
  /** What a part is. */
  enum Part {
    FIELD,
    OFFSET,
    SEQUENCE,
    FIXED,
    VALUE
  }

  private static final int MARK = 2;

  private final Part[] parts;
  private final Bytes fixed;
  private final int offsetBytes;

  /** Ticks of the resolution that one step of the offset is long. */
  private final long offsetUnit;

  /**
   * Compiles checked elements.
   *
   * @param bucketTicks how long the bucket that offsets count from is at most
   */
  Qualifier(List<QualifierElement> elements, long bucketTicks, Resolution resolution) {
    this.parts = elements.stream().map(Qualifier::part).toArray(Part[]::new);
    Bytes literal = Bytes.EMPTY;
    long unit = 1;
    int bytes = 0;
    for (QualifierElement element : elements) {
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

  int size() {
    return parts.length;
  }

  Part part(int index) {
    return parts[index];
  }

  boolean isLast(int index) {
    return index == parts.length - 1;
  }

  boolean has(Part part) {
    return Arrays.asList(parts).contains(part);
  }

  Bytes fixed() {
    return fixed;
  }

  int offsetBytes() {
    return offsetBytes;
  }

  long offsetUnit() {
    return offsetUnit;
  }

  boolean offsetFirst() {
    return parts[0] == Part.OFFSET;
  }

  boolean isOffsetAndPerhapsField() {
    return offsetFirst() && (parts.length == 1 || (parts.length == 2 && parts[1] == Part.FIELD));
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

  /** Where the qualifiers of some fields lie, as far as that can be said; empty for all. */
  List<QualifierRange> ranges(Collection<String> fields) {
    if (parts[0] != Part.FIELD) {
      return List.of();
    }
    TreeSet<Bytes> starts = new TreeSet<>();
    for (String field : fields) {
      KeyBytes out = new KeyBytes();
      OrderedText.appendField(field, out);
      if (!isLast(0)) {
        OrderedText.end(out);
      }
      starts.add(out.toBytes());
    }
    List<QualifierRange> ranges = new ArrayList<>(starts.size());
    for (Bytes start : starts) {
      ranges.add(isLast(0) ? QualifierRange.exactly(start) : QualifierRange.prefix(start));
    }
    return ranges;
  }

  /**
   * Why bytes are no qualifier, or null.
   *
   * @param span how many ticks the row's bucket has
   */
  @Nullable String fault(byte[] bytes, int from, int to, long span) {
    int at = from;
    for (int i = 0; i < parts.length; i++) {
      int next = next(i, bytes, at, to);
      if (next < 0) {
        return "qualifier, byte %d: no %s"
            .formatted(at - from, parts[i].name().toLowerCase(Locale.ROOT));
      }
      if (parts[i] == Part.OFFSET) {
        long steps = OrderedNumber.unsigned(bytes, at, offsetBytes);
        if (steps < 0 || steps > (span - 1) / offsetUnit) {
          return "qualifier, byte %d: offset %s lies behind the end of the row's bucket"
              .formatted(at - from, Long.toUnsignedString(steps));
        }
      }
      at = next;
    }
    return at == to ? null : "qualifier: %d bytes too many".formatted(to - at);
  }

  /** Where the part behind part {@code index} starts; -1 where the bytes are not of that part. */
  private int next(int index, byte[] bytes, int at, int to) {
    return switch (parts[index]) {
      case OFFSET -> to - at < offsetBytes ? -1 : at + offsetBytes;
      case SEQUENCE -> to - at < OrderedNumber.LENGTH ? -1 : at + OrderedNumber.LENGTH;
      case FIXED ->
          to - at < fixed.length() || !fixed.contentEquals(bytes, at, fixed.length())
              ? -1
              : at + fixed.length();
      case FIELD -> {
        int end = isLast(index) ? to : OrderedText.endOfField(bytes, at, to);
        boolean field = end >= 0 && OrderedText.isField(bytes, at, end);
        yield field ? behindMark(index, end) : -1;
      }
      case VALUE -> nextOfValue(index, bytes, at, to);
    };
  }

  private int nextOfValue(int index, byte[] bytes, int at, int to) {
    if (at >= to) {
      return -1;
    }
    if (ValueCodec.isText(bytes, at, to)) {
      int end = isLast(index) ? to : OrderedText.endOf(bytes, at + 1, to);
      return end >= 0 && OrderedText.isText(bytes, at + 1, end) ? behindMark(index, end) : -1;
    }
    int length = ValueCodec.numberLength(bytes, at);
    return length < 0 || length > to - at || ValueCodec.kind(bytes, at, at + length) == null
        ? -1
        : at + length;
  }

  private int behindMark(int index, int end) {
    return isLast(index) ? end : end + MARK;
  }

  /** Where a part starts in a qualifier without {@link #fault}; -1 where the shape has none. */
  int start(Part part, byte[] bytes, int from, int to) {
    int at = from;
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] == part) {
        return at;
      }
      at = next(i, bytes, at, to);
    }
    return -1;
  }

  /** Where a part that starts at {@code start} ends, its mark left out. */
  int end(Part part, byte[] bytes, int start, int to) {
    int index = index(part);
    int next = next(index, bytes, start, to);
    boolean marked =
        !isLast(index)
            && (part == Part.FIELD || (part == Part.VALUE && ValueCodec.isText(bytes, start, to)));
    return marked ? next - MARK : next;
  }

  private int index(Part part) {
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] == part) {
        return i;
      }
    }
    throw new IllegalArgumentException("a qualifier without " + part);
  }

  /** The offset in ticks. */
  long offset(byte[] bytes, int from, int to) {
    int at = start(Part.OFFSET, bytes, from, to);
    return OrderedNumber.unsigned(bytes, at, offsetBytes) * offsetUnit;
  }
}
