package dev.varve.server.http;

import com.github.luben.zstd.ZstdIOException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Fuzzes bodies in zstd if the first byte is odd, else in gzip. Decoding must end within the
 * limits, with the same result for every read size, or with an error for the client; compressing
 * and decompressing must restore the input.
 */
public final class BodyFuzz {
  private static final int RAW_MAX = 1 << 12;
  private static final int DECODED_MAX = 1 << 16;

  private BodyFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    Coding coding = input[0] % 2 == 0 ? Coding.GZIP : Coding.ZSTD;
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    byte[] decoded = decoded(body, coding, 1 << 10);
    if (!Arrays.equals(decoded, decoded(body, coding, 1))) {
      throw new AssertionError("read byte by byte it is another body");
    }
    if (decoded != null && (body.length > RAW_MAX || decoded.length > DECODED_MAX)) {
      throw new AssertionError("%d bytes of %d".formatted(decoded.length, body.length));
    }
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (OutputStream out = coding.into(compressed)) {
      out.write(body);
    }
    if (compressed.size() <= RAW_MAX
        && body.length <= DECODED_MAX
        && !Arrays.equals(body, decoded(compressed.toByteArray(), coding, 1 << 10))) {
      throw new AssertionError("compressed and decompressed it is another body");
    }
  }

  /** Returns the body, read in chunks of a size; null if it is rejected. */
  private static byte @Nullable [] decoded(byte[] body, Coding coding, int size)
      throws IOException {
    FuzzExchange exchange =
        new FuzzExchange(body, Map.of("content-encoding", coding.token()), Map.of())
            .limited(RAW_MAX, DECODED_MAX);
    ByteArrayOutputStream decoded = new ByteArrayOutputStream();
    try (InputStream in = exchange.body()) {
      byte[] piece = new byte[size];
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        decoded.write(piece, 0, n);
      }
      return decoded.toByteArray();
    } catch (ZipException | ZstdIOException | EOFException e) {
      return null;
    } catch (HttpError e) {
      if (e.status() != 413) {
        throw e;
      }
      return null;
    }
  }
}
