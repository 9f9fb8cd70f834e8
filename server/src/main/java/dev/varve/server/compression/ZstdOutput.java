package dev.varve.server.compression;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdIOException;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Compresses into one frame of zstd. For one thread at a time.
 *
 * <p>The encoder is native code and only accesses memory outside the heap, never an array (see
 * {@code docs/decisions.md}). Closing the stream releases that memory at once.
 */
public final class ZstdOutput extends EncodingOutput {
  private static final int BUFFER = 32 << 10;

  private final ZstdCompressCtx encoder = new ZstdCompressCtx();

  public ZstdOutput(OutputStream out) {
    super(out, BUFFER);
  }

  @Override
  void encode(Flush flush) throws IOException {
    EndDirective directive =
        switch (flush) {
          case NONE -> EndDirective.CONTINUE;
          case SYNC -> EndDirective.FLUSH;
          case END -> EndDirective.END;
        };
    boolean more;
    do {
      target.clear();
      more = !encode(directive);
      emit();
    } while (flush == Flush.NONE ? source.hasRemaining() : more);
  }

  private boolean encode(EndDirective directive) throws IOException {
    try {
      return encoder.compressDirectByteBufferStream(target, source, directive);
    } catch (ZstdException e) {
      throw new ZstdIOException(e.getErrorCode(), String.valueOf(e.getMessage()));
    }
  }

  @Override
  void endEncoder() {
    encoder.close();
  }
}
