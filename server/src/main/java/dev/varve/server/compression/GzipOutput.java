package dev.varve.server.compression;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Compresses into one member of gzip. For one thread at a time. Source: <a
 * href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952</a>.
 */
public final class GzipOutput extends EncodingOutput {
  private static final int BUFFER = 16 << 10;

  /** Deflate without flags, time and level, for an unknown system. */
  private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
  private final CRC32 checksum = new CRC32();
  private boolean begun;

  public GzipOutput(OutputStream out) {
    super(out, BUFFER);
  }

  @Override
  void encode(Flush flush) throws IOException {
    if (!begun) {
      begun = true;
      target.clear().put(HEADER);
      emit();
    }
    checksum.update(source.duplicate());
    deflater.setInput(source);
    if (flush == Flush.END) {
      deflater.finish();
    }
    do {
      target.clear();
      deflater.deflate(target, flush == Flush.SYNC ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH);
      emit();
      // An encoder that leaves room in the target has no more output for now.
    } while (target.limit() == target.capacity());
    if (flush == Flush.END) {
      target.clear();
      putInteger((int) checksum.getValue());
      putInteger((int) deflater.getBytesRead());
      emit();
    }
  }

  private void putInteger(int value) {
    target.putInt(Integer.reverseBytes(value));
  }

  @Override
  void endEncoder() {
    deflater.end();
  }
}
