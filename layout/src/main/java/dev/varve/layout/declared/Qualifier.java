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
 * The compiled qualifiers of a family: the position of each part, found without allocating.
 *
 * <pre>
 * Qualifier := part*, in the declared order
 * field     := Field Mark             // OrderedText
 * offset    := u8 .. u64              // big-endian, in the declared unit, from the bucket's start
 * sequence  := i64                    // OrderedNumber
 * fixed     := the text in UTF-8
 * value     := 1n byte{n} | 2n byte{n} | 30 Text Mark       // ValueCodec
 * Mark := 00 01, or nothing if the part is the last
 * </pre>
 */
final class Qualifier {
  /** The kinds of parts. */
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

  /** Ticks of the resolution in one step of the offset. */
  private final long offsetUnit;

  /**
   * Compiles checked elements.
   *
   * @param bucketTicks the maximum length of the bucket that offsets count from
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

  /** Returns how many bytes hold every offset within a bucket. */
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
   * Returns whether the cells of one series are in time order within a bucket: nothing that varies
   * within a series precedes the offset.
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

  /**
   * Returns the qualifier ranges of some fields, as narrowly as possible; empty for all qualifiers.
   */
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
   * Returns why bytes are not a valid qualifier, or null.
   *
   * @param span number of ticks in the row's bucket
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
          return "qualifier, byte %d: offset %s exceeds the row's bucket"
              .formatted(at - from, Long.toUnsignedString(steps));
        }
      }
      at = next;
    }
    return at == to ? null : "qualifier: %d extra bytes".formatted(to - at);
  }

  /**
   * Returns where the part after part {@code index} starts; -1 if the bytes are not a valid part.
   */
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
        yield field ? afterMark(index, end) : -1;
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
      return end >= 0 && OrderedText.isText(bytes, at + 1, end) ? afterMark(index, end) : -1;
    }
    int length = ValueCodec.numberLength(bytes, at);
    return length < 0 || length > to - at || ValueCodec.kind(bytes, at, at + length) == null
        ? -1
        : at + length;
  }

  private int afterMark(int index, int end) {
    return isLast(index) ? end : end + MARK;
  }

  /**
   * Returns where a part starts in a qualifier without {@link #fault}; -1 if the shape does not
   * have that part.
   */
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

  /** Returns where a part that starts at {@code start} ends, excluding its mark. */
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

  /** Decodes the offset in ticks. */
  long offset(byte[] bytes, int from, int to) {
    int at = start(Part.OFFSET, bytes, from, to);
    return OrderedNumber.unsigned(bytes, at, offsetBytes) * offsetUnit;
  }
}
