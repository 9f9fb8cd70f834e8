package dev.varve.server.compression;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses one or more members of gzip. For one thread at a time. Source: <a
 * href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952</a>.
 *
 * <p>Like {@link java.util.zip.GZIPInputStream}, it ignores bytes after the last member unless they
 * begin another one, because some senders add padding.
 *
 * <p>Reading throws a {@link ZipException} if the bytes are not gzip or a checksum differs, and an
 * {@link EOFException} if the last member is cut off. An empty stream is a member that is cut off.
 */
public final class GzipInput extends DecodingInput {
  private static final int BUFFER = 16 << 10;

  private static final int MAGIC = 0x8b1f;
  private static final int DEFLATED = 8;

  private static final int HEADER_CHECKSUM = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xe0;

  /** The part of a member to which the next bytes belong. */
  private enum Part {
    FIRST_HEADER,
    CONTENT,
    NEXT_HEADER,
    NOTHING
  }

  private final Inflater inflater = new Inflater(true);
  private final CRC32 headerChecksum = new CRC32();
  private final CRC32 contentChecksum = new CRC32();
  private Part part = Part.FIRST_HEADER;

  public GzipInput(InputStream in) {
    super(in, BUFFER);
  }

  @Override
  void decode() throws IOException {
    while (!target.hasRemaining() && part != Part.NOTHING) {
      if (part == Part.CONTENT) {
        inflate();
      } else {
        part = readHeader() ? Part.CONTENT : Part.NOTHING;
      }
    }
  }

  private void inflate() throws IOException {
    target.clear();
    try {
      inflater.setInput(source);
      inflater.inflate(target);
    } catch (DataFormatException e) {
      String reason = e.getMessage();
      throw new ZipException(reason == null ? "its compressed content is damaged" : reason);
    } finally {
      target.flip();
    }
    contentChecksum.update(target.duplicate());
    if (inflater.finished()) {
      readTrailer();
      part = Part.NEXT_HEADER;
    } else if (inflater.needsDictionary()) {
      throw new ZipException("it needs a preset dictionary, which gzip does not have");
    } else if (!target.hasRemaining() && !source.hasRemaining() && !refill()) {
      throw cutOff();
    }
  }

  /**
   * Reads the header of a member.
   *
   * @return false if another member does not begin here
   */
  private boolean readHeader() throws IOException {
    headerChecksum.reset();
    if (part == Part.NEXT_HEADER) {
      if (!nextIs(MAGIC & 0xff) || !nextIs(MAGIC >>> 8)) {
        return false;
      }
    } else if (twoBytes() != MAGIC) {
      throw new ZipException("it does not begin with 1f 8b");
    }
    if (oneByte() != DEFLATED) {
      throw new ZipException("its compression method is not deflate");
    }
    int flags = oneByte();
    if ((flags & RESERVED) != 0) {
      throw new ZipException("its header has flags that are reserved");
    }
    // Time, level and system do not affect decoding.
    skip(6);
    readOptionalFields(flags);
    inflater.reset();
    contentChecksum.reset();
    return true;
  }

  private void readOptionalFields(int flags) throws IOException {
    if ((flags & EXTRA) != 0) {
      skip(twoBytes());
    }
    if ((flags & NAME) != 0) {
      skipString();
    }
    if ((flags & COMMENT) != 0) {
      skipString();
    }
    if ((flags & HEADER_CHECKSUM) != 0) {
      int computed = (int) headerChecksum.getValue() & 0xffff;
      if (twoBytes() != computed) {
        throw new ZipException("the checksum of its header differs");
      }
    }
  }

  private void readTrailer() throws IOException {
    int checksum = fourBytes();
    if (checksum != (int) contentChecksum.getValue()) {
      throw new ZipException("the checksum of its content differs");
    }
    int length = fourBytes();
    if (length != (int) inflater.getBytesWritten()) {
      throw new ZipException("the length of its content differs");
    }
  }

  private void skip(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      oneByte();
    }
  }

  private void skipString() throws IOException {
    while (oneByte() != 0) {
      // The string ends with a zero.
    }
  }

  private int fourBytes() throws IOException {
    return twoBytes() | twoBytes() << 16;
  }

  private int twoBytes() throws IOException {
    return oneByte() | oneByte() << 8;
  }

  private boolean nextIs(int expected) throws IOException {
    return (source.hasRemaining() || refill()) && oneByte() == expected;
  }

  private int oneByte() throws IOException {
    if (!source.hasRemaining() && !refill()) {
      throw cutOff();
    }
    int b = source.get() & 0xff;
    headerChecksum.update(b);
    return b;
  }

  private static EOFException cutOff() {
    return new EOFException("the gzip ends in the middle");
  }

  @Override
  void endDecoder() {
    inflater.end();
  }
}
