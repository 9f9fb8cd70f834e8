package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Decodes blocks. Reused from block to block; not safe for use by several threads. */
public final class BlockReader {
  private final DoubleColumn doubles = new DoubleColumn();
  private long[] ownTimes = new long[BitPacking.VECTOR];
  private long[] values = new long[BitPacking.VECTOR];
  private long[] kinds = new long[0];

  /**
   * Adds the samples of a block that are in a range.
   *
   * @param shared the times of the column that the head names; null if it names none
   * @param bytes contains the body
   * @throws DamagedCellException if the bytes are not the body of the head, or the times not those
   *     of the block
   */
  public void decode(
      BlockHead head,
      long @Nullable [] shared,
      byte[] bytes,
      int from,
      int length,
      TimeRange range,
      SampleColumn into) {
    if (ByteInput.checksum(bytes, from, length) != head.bodyChecksum()) {
      throw new DamagedCellException("value: the checksum of the body does not match");
    }
    decodeUnchecked(head, shared, bytes, from, length, range, into);
  }

  /** Decodes without comparing the checksum. */
  void decodeUnchecked(
      BlockHead head,
      long @Nullable [] shared,
      byte[] bytes,
      int from,
      int length,
      TimeRange range,
      SampleColumn into) {
    ByteInput in = new ByteInput(bytes, from, length);
    int count = head.count();
    if (count > ownTimes.length) {
      ownTimes = new long[Math.max(count, 2 * ownTimes.length)];
      values = new long[ownTimes.length];
    }
    long[] times = times(head, shared, in);
    int first = atOrAfter(range.from(), head, times);
    int end = atOrAfter(range.to(), head, times);
    if (head.regular()) {
      regularTimes(head, first, end);
    }
    if (Integer.bitCount(head.kinds()) == 1) {
      Kind kind = only(head.kinds());
      if (kind == Kind.STRING) {
        texts(in, times, count, first, end, into);
      } else {
        numbers(kind, in, count, values, first, end);
        into.addAll(times, values, kind, first, end);
      }
    } else {
      mixed(head, in, times, first, end, into);
    }
    if (in.left() != 0) {
      throw new DamagedCellException("value: %d bytes follow a block".formatted(in.left()));
    }
  }

  /** Returns the times of a block; regular ones are not filled in. */
  private long[] times(BlockHead head, long @Nullable [] shared, ByteInput in) {
    int count = head.count();
    if (head.shared() != null) {
      if (shared == null || shared.length != count || shared[0] != head.first()) {
        throw new DamagedCellException(
            "value: the shared times of %s are missing or others".formatted(head));
      }
      return shared;
    }
    if (!head.regular()) {
      LongColumn.decode(in, count, ownTimes);
      SharedTimes.ensureRising(ownTimes, count);
    }
    return ownTimes;
  }

  private static long step(BlockHead head) {
    return head.count() == 1 ? 0 : (head.last() - head.first()) / (head.count() - 1);
  }

  private void regularTimes(BlockHead head, int from, int to) {
    long step = step(head);
    for (int i = from; i < to; i++) {
      ownTimes[i] = head.first() + i * step;
    }
  }

  /** Returns the index of the first time that is not before another. */
  private static int atOrAfter(long time, BlockHead head, long[] times) {
    if (time <= head.first()) {
      return 0;
    }
    if (time > head.last()) {
      return head.count();
    }
    if (head.regular()) {
      return (int) Math.ceilDiv(time - head.first(), step(head));
    }
    int at = Arrays.binarySearch(times, 0, head.count(), time);
    return at < 0 ? -at - 1 : at;
  }

  private static Kind only(int bits) {
    for (Kind kind : Kind.values()) {
      if (BlockHead.bit(kind) == bits) {
        return kind;
      }
    }
    throw new DamagedCellException("value: a block of kinds " + bits);
  }

  private void numbers(Kind kind, ByteInput in, int count, long[] into, int from, int to) {
    if (kind == Kind.DOUBLE) {
      doubles.decode(in, count, into, from, to);
    } else {
      LongColumn.decode(in, count, into, from, to);
    }
  }

  private static void texts(
      ByteInput in, long[] times, int count, int first, int end, SampleColumn into) {
    Texts texts = new Texts(in, count);
    for (int i = first; i < end; i++) {
      into.addText(times[i], texts.at(i));
    }
  }

  /** Decodes a block with samples of several kinds. */
  private void mixed(
      BlockHead head, ByteInput in, long[] times, int first, int end, SampleColumn into) {
    int count = head.count();
    kinds = kinds.length < count ? new long[count] : kinds;
    LongColumn.decode(in, count, kinds);
    int[] counts = new int[KindCode.COUNT];
    for (int i = 0; i < count; i++) {
      if (kinds[i] < 0 || kinds[i] >= KindCode.COUNT) {
        throw new DamagedCellException("value: a sample of kind " + kinds[i]);
      }
      counts[(int) kinds[i]]++;
    }
    long[][] numbers = new long[KindCode.COUNT][];
    Texts texts = null;
    for (Kind kind : Kind.values()) {
      if ((head.kinds() & BlockHead.bit(kind)) == 0) {
        continue;
      }
      int ofKind = counts[KindCode.of(kind)];
      if (kind == Kind.STRING) {
        texts = new Texts(in, ofKind);
      } else {
        numbers[KindCode.of(kind)] = new long[ofKind];
        numbers(kind, in, ofKind, numbers[KindCode.of(kind)], 0, ofKind);
      }
    }
    int[] next = new int[KindCode.COUNT];
    for (int i = 0; i < end; i++) {
      Kind kind = KindCode.kind((int) kinds[i]);
      int at = next[KindCode.of(kind)]++;
      if (i < first) {
        continue;
      }
      if (kind == Kind.STRING && texts != null) {
        into.addText(times[i], texts.at(at));
      } else if (numbers[KindCode.of(kind)] != null) {
        into.add(times[i], kind, numbers[KindCode.of(kind)][at]);
      } else {
        throw new DamagedCellException(
            "value: a sample of kind %s, which the head lacks".formatted(kind));
      }
    }
  }

  /** The strings of a block. */
  private static final class Texts {
    private final byte[] bytes;
    private final int[] starts;
    private final long[] indexes;

    private Texts(ByteInput in, int count) {
      int different = in.count(count);
      long[] lengths = new long[different];
      LongColumn.decode(in, different, lengths);
      indexes = new long[count];
      LongColumn.decode(in, count, indexes);
      starts = new int[different + 1];
      int start = in.position();
      for (int i = 0; i < different; i++) {
        starts[i] = start;
        if (lengths[i] < 0 || lengths[i] > in.left()) {
          throw new DamagedCellException("value: a string of " + lengths[i] + " bytes");
        }
        start = in.skip((int) lengths[i]) + (int) lengths[i];
      }
      starts[different] = start;
      bytes = in.array();
    }

    private byte[] at(int index) {
      long text = indexes[index];
      if (text < 0 || text >= starts.length - 1) {
        throw new DamagedCellException("value: string %d of %d".formatted(text, starts.length - 1));
      }
      return Arrays.copyOfRange(bytes, starts[(int) text], starts[(int) text + 1]);
    }
  }
}
