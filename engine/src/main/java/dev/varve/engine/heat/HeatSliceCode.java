package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.Busiest;
import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.engine.heat.HeatSlice.Range;
import dev.varve.engine.heat.HeatSlice.Stretch;
import dev.varve.model.Bytes;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored form of a slice.
 *
 * <pre>
 * form         1
 * from, to     varint, milliseconds since 1970
 * count        varint, of ranges; then each:
 *   key        bytes that it shares with the key before, varint; rest as a text of bytes
 *   load       six varints in the order of {@link Load}
 *   sampled    0, or 1 and two texts of bytes
 * written      0, or 1 and two texts of bytes
 * busiest      twice, of reads and of writes: 0, or 1, a text of bytes and four varints
 * largest      0, or 1, a text of bytes and two varints
 * </pre>
 *
 * <p>Varints have seven bits a byte, the lowest first. A text of bytes begins with its length, a
 * varint.
 */
final class HeatSliceCode {
  private static final int FORM = 1;
  private static final int RANGE_BYTES = 2 * KeyRanges.KEY_BYTES_MAX + 128;

  private HeatSliceCode() {}

  static Bytes encode(HeatSlice slice) {
    int keys = slice.ranges().stream().mapToInt(HeatSliceCode::keyBytes).sum();
    ByteBuffer out = ByteBuffer.allocate(keys + (slice.ranges().size() + 8) * RANGE_BYTES);
    out.put((byte) FORM);
    number(slice.from(), out);
    number(slice.to(), out);
    number(slice.ranges().size(), out);
    byte[] before = {};
    for (Range range : slice.ranges()) {
      byte[] key = range.from().toArray();
      int different = Arrays.mismatch(before, key);
      int shared = different < 0 ? key.length : different;
      number(shared, out);
      bytes(range.from().slice(shared, key.length), out);
      load(range.load(), out);
      stretch(range.sampled(), out);
      before = key;
    }
    stretch(slice.written(), out);
    busiest(slice.busiestRead(), out);
    busiest(slice.busiestWritten(), out);
    LargeRow largest = slice.largest();
    present(largest != null, out);
    if (largest != null) {
      bytes(largest.row(), out);
      number(largest.bytes(), out);
      number(largest.cells(), out);
    }
    return Bytes.copyOf(out.array(), 0, out.position());
  }

  private static int keyBytes(Range range) {
    Stretch sampled = range.sampled();
    return range.from().length()
        + (sampled == null ? 0 : sampled.first().length() + sampled.last().length());
  }

  private static void present(boolean present, ByteBuffer out) {
    out.put((byte) (present ? 1 : 0));
  }

  private static void load(Load load, ByteBuffer out) {
    number(load.reads(), out);
    number(load.writes(), out);
    number(load.bytesRead(), out);
    number(load.bytesWritten(), out);
    number(load.readMicros(), out);
    number(load.writeMicros(), out);
  }

  private static void stretch(@Nullable Stretch stretch, ByteBuffer out) {
    present(stretch != null, out);
    if (stretch != null) {
      bytes(stretch.first(), out);
      bytes(stretch.last(), out);
    }
  }

  private static void busiest(@Nullable Busiest busiest, ByteBuffer out) {
    present(busiest != null, out);
    if (busiest != null) {
      bytes(busiest.row(), out);
      number(busiest.prefix(), out);
      number(busiest.samples(), out);
      number(busiest.outOf(), out);
      number(busiest.partitions(), out);
    }
  }

  private static void bytes(Bytes bytes, ByteBuffer out) {
    number(bytes.length(), out);
    out.put(bytes.toArray());
  }

  private static void number(long number, ByteBuffer out) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  /**
   * Decodes a slice.
   *
   * @throws IllegalArgumentException if the bytes are not a slice
   */
  static HeatSlice decode(Bytes bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes.toArray());
      HeatSlice slice = decode(in);
      if (in.hasRemaining()) {
        throw new IllegalArgumentException(in.remaining() + " bytes too many");
      }
      return slice;
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("it ends early", e);
    }
  }

  private static HeatSlice decode(ByteBuffer in) {
    int form = in.get();
    if (form != FORM) {
      throw new IllegalArgumentException("form %d is unknown".formatted(form));
    }
    long from = number(in);
    long to = number(in);
    List<Range> ranges = new ArrayList<>();
    Bytes before = Bytes.EMPTY;
    for (int left = size(in); left > 0; left--) {
      int shared = size(in);
      if (shared > before.length()) {
        throw new IllegalArgumentException("a key shares more than the key before it has");
      }
      before = before.slice(0, shared).concat(bytes(in));
      ranges.add(new Range(before, load(in), stretch(in)));
    }
    return new HeatSlice(from, to, ranges, stretch(in), busiest(in), busiest(in), largest(in));
  }

  private static boolean present(ByteBuffer in) {
    return in.get() != 0;
  }

  private static Load load(ByteBuffer in) {
    return new Load(number(in), number(in), number(in), number(in), number(in), number(in));
  }

  private static @Nullable Stretch stretch(ByteBuffer in) {
    return present(in) ? new Stretch(bytes(in), bytes(in)) : null;
  }

  private static @Nullable Busiest busiest(ByteBuffer in) {
    return present(in) ? new Busiest(bytes(in), size(in), size(in), size(in), size(in)) : null;
  }

  private static @Nullable LargeRow largest(ByteBuffer in) {
    return present(in) ? new LargeRow(bytes(in), number(in), number(in)) : null;
  }

  private static Bytes bytes(ByteBuffer in) {
    int length = size(in);
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return Bytes.of(bytes);
  }

  private static int size(ByteBuffer in) {
    long number = number(in);
    if (number < 0 || number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(number + " is not a size");
    }
    return (int) number;
  }

  private static long number(ByteBuffer in) {
    long number = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = in.get();
      number |= (next & 0x7fL) << shift;
      if (next >= 0) {
        return number;
      }
    }
    throw new IllegalArgumentException("a number is longer than 64 bits");
  }
}
