package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.store.LaterFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The head of a block, which is stored apart from the body.
 *
 * <pre>
 * version    u8       3
 * form       u8       kinds of samples: 1 int64, 2 double, 4 string; +8: times are regular;
 *                     +16: times are shared
 * count      varint   number of samples, at least 1
 * first      signed   first time
 * length     varint   last time less the first
 * leader     varint   only if times are shared: the series that their column is named after
 * stamp      varint   only if times are shared: the generation of their column
 * body       u32      CRC-32C of the body
 * checksum   u32      CRC-32C of all that precedes
 * </pre>
 *
 * @param kinds bits of the kinds of samples, by {@link #bit}
 * @param regular whether all times are equally far apart
 * @param count number of samples, 1 to {@link #SAMPLES_MAX}
 * @param first the time of the first sample, in the resolution of the layout
 * @param last the time of the last sample, in the resolution of the layout
 * @param shared the column of times that the block shares with others; null if it has its own
 * @param bodyChecksum CRC-32C of the body
 */
public record BlockHead(
    int kinds,
    boolean regular,
    int count,
    long first,
    long last,
    @Nullable SharedTimes shared,
    int bodyChecksum) {
  /** Maximum number of samples of a block. */
  public static final int SAMPLES_MAX = 1 << 16;

  private static final int VERSION = 3;
  private static final int REGULAR = 8;
  private static final int SHARED = 16;
  private static final int CHECKSUM_BYTES = 4;

  /** Returns the bit of a kind in {@link #kinds}. */
  static int bit(Kind kind) {
    return 1 << KindCode.of(kind);
  }

  /** Returns whether the block may have samples in a range. */
  public boolean overlaps(TimeRange times) {
    return first < times.to() && last >= times.from();
  }

  private static boolean isRegular(int count, long length) {
    return count == 1 ? length == 0 : length >= count - 1 && length % (count - 1) == 0;
  }

  void write(ByteOutput out) {
    int form = kinds | (regular ? REGULAR : 0) | (shared != null ? SHARED : 0);
    out.u8(VERSION).u8(form).varint(count).signed(first).varint(last - first);
    if (shared != null) {
      out.varint(shared.leader()).varint(shared.generation());
    }
    out.u32(bodyChecksum);
    out.u32(out.checksum());
  }

  /**
   * Reads a head.
   *
   * @throws DamagedCellException if the bytes are not a head
   * @throws LaterFormatException if a later version wrote them
   */
  public static BlockHead read(byte[] bytes, int from, int length) {
    if (length <= CHECKSUM_BYTES) {
      throw new DamagedCellException("value: a head of " + length + " bytes");
    }
    int content = length - CHECKSUM_BYTES;
    ByteInput in = new ByteInput(bytes, from, length);
    int sum = new ByteInput(bytes, from + content, CHECKSUM_BYTES).u32();
    if (ByteInput.checksum(bytes, from, content) != sum) {
      throw new DamagedCellException("value: the checksum of the head does not match");
    }
    int version = in.u8();
    if (version > VERSION) {
      throw new LaterFormatException("a block", version, VERSION);
    }
    if (version != VERSION) {
      throw new DamagedCellException(
          "value: a block of version %d, known is %d".formatted(version, VERSION));
    }
    int form = in.u8();
    int count = in.count(SAMPLES_MAX);
    long first = in.signed();
    long last = first + in.varint();
    SharedTimes shared =
        (form & SHARED) == 0 ? null : new SharedTimes((int) in.varint(), first, in.varint());
    boolean regular = (form & REGULAR) != 0;
    int kinds = form & (REGULAR - 1);
    BlockHead head = new BlockHead(kinds, regular, count, first, last, shared, in.u32());
    if (count == 0
        || last < first
        || kinds == 0
        || form >= 2 * SHARED
        || (regular && shared != null)
        || (regular && !isRegular(count, last - first))
        || in.left() != CHECKSUM_BYTES) {
      throw new DamagedCellException("value: a head contradicts itself: " + head);
    }
    return head;
  }
}
