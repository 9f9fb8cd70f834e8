package dev.varve.store.rocksdb.wal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a log file in order, and continues after bad places: at the record that
 * follows the bad one according to its length, otherwise at a place from which consecutive records
 * reach the end of the block, otherwise at the next block. MANIFEST files have the same format.
 */
final class LogReader implements AutoCloseable {
  private static final String ENDS = "the file ends inside ";

  /** A record or a bad place. */
  sealed interface Entry permits Whole, Bad {}

  /**
   * A readable record.
   *
   * @param offset offset of its first fragment
   * @param end end of its last fragment
   * @param length length of its payload in bytes
   * @param payload the start of the payload, at most as many bytes as the reader keeps
   * @param checksum CRC-32C of the payload after the header and the checksum of a batch's mark
   */
  record Whole(long offset, long end, int length, byte[] payload, int checksum) implements Entry {}

  /**
   * A place where no record can be read.
   *
   * @param offset offset of the first bad fragment
   * @param cut end of the last readable record: the offset, or less if earlier fragments of the
   *     same record were readable
   * @param reason the reason, in words
   */
  record Bad(long offset, long cut, String reason) implements Entry {
    /** Returns whether the only problem is that the file ends. */
    boolean isShort() {
      return reason.startsWith(ENDS);
    }
  }

  private enum Found {
    FRAGMENT,
    BAD,
    END
  }

  private final FileChannel channel;
  private final long size;
  private final long number;
  private final int kept;
  private final byte[] block;
  private long blockStart = -1;
  private int blockLength;
  private @Nullable String unreadable;
  private long position;

  /** The fragment read last: its position, and what was wrong with it. */
  private long offset;

  private int type;
  private int payloadFrom;
  private int payloadLength;
  private String wrong = "";

  /** Whether the position is at a bad fragment. */
  private boolean lost;

  /** Whether to expect fragments of a record whose start is lost. */
  private boolean amid;

  /**
   * Opens a file.
   *
   * @param number number of the log, which fragments in a recycled file contain
   * @param kept how many bytes of each payload to keep
   */
  LogReader(Path file, long number, int kept) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.size = channel.size();
    this.block = new byte[(int) Math.min(LogForm.BLOCK, size)];
    this.number = number;
    this.kept = kept;
  }

  long size() {
    return size;
  }

  /** Returns the next record or bad place; null at the end of the file. */
  @Nullable Entry next() {
    if (lost && !findRecord()) {
      position = size;
      lost = false;
      return null;
    }
    lost = false;
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    CRC32C checksum = new CRC32C();
    long begun = -1;
    int length = 0;
    while (true) {
      Found found = look();
      if (found == Found.END) {
        return begun < 0 ? null : new Bad(size, begun, ENDS + "a record");
      }
      if (found == Found.BAD) {
        lost = true;
        amid = true;
        return new Bad(offset, begun < 0 ? offset : begun, wrong);
      }
      int fragment =
          type >= LogForm.RECYCLABLE_FULL && type <= LogForm.RECYCLABLE_LAST
              ? type - LogForm.RECYCLABLE_FULL + LogForm.FULL
              : type;
      boolean begins = fragment == LogForm.FULL || fragment == LogForm.FIRST;
      if (begins && begun >= 0 && length > 0) {
        // The fragment is read again, as the start of the next record.
        position = offset;
        return new Bad(offset, begun, "a record has no end");
      }
      switch (fragment) {
        case LogForm.FULL, LogForm.FIRST -> {
          amid = false;
          begun = offset;
          payload.reset();
          checksum.reset();
          length = 0;
        }
        case LogForm.MIDDLE, LogForm.LAST -> {
          if (begun < 0) {
            if (amid) {
              continue;
            }
            amid = true;
            return new Bad(offset, offset, "a record has no beginning");
          }
        }
        case LogForm.TIMESTAMP_SIZES,
            LogForm.RECYCLABLE_TIMESTAMP_SIZES,
            LogForm.PREDECESSOR,
            LogForm.RECYCLABLE_PREDECESSOR -> {
          continue;
        }
        default -> {
          if ((fragment & LogForm.IGNORABLE) != 0) {
            continue;
          }
          amid = true;
          return new Bad(
              offset,
              begun < 0 ? offset : begun,
              fragment == LogForm.COMPRESSION
                  ? "the log is compressed, which Varve never asks for"
                  : "a record of unknown type " + fragment);
        }
      }
      int unchecked = Math.clamp((long) BatchHead.CHECKED - length, 0, payloadLength);
      checksum.update(block, payloadFrom + unchecked, payloadLength - unchecked);
      length += payloadLength;
      payload.write(block, payloadFrom, Math.min(payloadLength, kept - payload.size()));
      if (fragment == LogForm.FULL || fragment == LogForm.LAST) {
        return new Whole(begun, position, length, payload.toByteArray(), (int) checksum.getValue());
      }
    }
  }

  /** Reads the fragment at the position, and moves past it if it is good. */
  private Found look() {
    while (true) {
      if (position >= size) {
        return Found.END;
      }
      load();
      int at = (int) (position - blockStart);
      if (LogForm.BLOCK - at >= LogForm.HEADER) {
        offset = position;
        String problem = problem(at);
        if (problem != null) {
          wrong = problem;
          return Found.BAD;
        }
        type = block[at + 6] & 0xff;
        payloadFrom = at + LogForm.headerLength(type);
        payloadLength = length(at);
        position = blockStart + payloadFrom + payloadLength;
        return Found.FRAGMENT;
      }
      position = blockStart + LogForm.BLOCK;
    }
  }

  private void load() {
    long start = position / LogForm.BLOCK * LogForm.BLOCK;
    if (start == blockStart) {
      return;
    }
    blockStart = start;
    blockLength = (int) Math.min(LogForm.BLOCK, size - start);
    unreadable = null;
    ByteBuffer buffer = ByteBuffer.wrap(block, 0, blockLength);
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, start + buffer.position()) < 0) {
          throw new IOException("the file ends early");
        }
      }
    } catch (IOException e) {
      // A bad sector is treated like any other bad place.
      unreadable = "the disk cannot read the block: " + e.getMessage();
    }
  }

  private int length(int at) {
    return (short) LogForm.SHORT_LE.get(block, at + 4) & 0xffff;
  }

  /** Returns what is wrong with the fragment at an index of the block; null if it is good. */
  private @Nullable String problem(int at) {
    if (unreadable != null) {
      return unreadable;
    }
    if (blockLength - at < LogForm.HEADER) {
      return ENDS + "the header of a record";
    }
    int found = block[at + 6] & 0xff;
    int header = LogForm.headerLength(found);
    int length = length(at);
    int checksum = (int) LogForm.INT_LE.get(block, at);
    if (checksum == 0 && length == 0 && found == 0) {
      return "zeros instead of a record";
    }
    int end = at + header + length;
    if (end > LogForm.BLOCK) {
      return "a record longer than its block";
    }
    if (end > blockLength) {
      return ENDS + "a record";
    }
    if (LogForm.checksum(block, at + 6, end - at - 6) != checksum) {
      return "the checksum does not match";
    }
    boolean foreign =
        header == LogForm.RECYCLABLE_HEADER
            && (int) LogForm.INT_LE.get(block, at + LogForm.HEADER) != (int) number;
    return foreign ? "a record of another log" : null;
  }

  /** Moves from a bad fragment to the next good one; false if there is none. */
  private boolean findRecord() {
    load();
    int at = (int) (position - blockStart);
    // The length stated in a bad fragment is usually correct.
    int next = blockLength - at < LogForm.HEADER ? blockLength : at + statedLength(at);
    if (unreadable == null && next < blockLength && problem(next) == null) {
      position = blockStart + next;
      return true;
    }
    while (true) {
      for (int place = at + 1; unreadable == null && place < blockLength; place++) {
        if (leadsToTheEnd(place)) {
          position = blockStart + place;
          return true;
        }
      }
      position = blockStart + LogForm.BLOCK;
      if (position >= size) {
        return false;
      }
      load();
      if (problem(0) == null) {
        return true;
      }
      at = 0;
    }
  }

  private int statedLength(int at) {
    return LogForm.headerLength(block[at + 6] & 0xff) + length(at);
  }

  /**
   * Returns whether good fragments follow one another from here to the end of the block. This rules
   * out bytes of a value that only look like a fragment.
   */
  private boolean leadsToTheEnd(int from) {
    int at = from;
    while (LogForm.BLOCK - at >= LogForm.HEADER && at < blockLength) {
      if (problem(at) != null) {
        return false;
      }
      at += statedLength(at);
    }
    return at > from;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
