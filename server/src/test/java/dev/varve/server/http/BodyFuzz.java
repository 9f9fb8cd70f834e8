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
 * Fuzzed: bodies in zstd where the first byte is odd, else in gzip. They end within the limits, the
 * same however they are read, or in a refusal that a client is told; and what is compressed is
 * decompressed as the same.
 */
public final class BodyFuzz {
  private static final int RAW_MAX = 1 << 12;
  private static final int DECODED_MAX = 1 << 16;

  private BodyFuzz() {}

  /** Takes one input, as fuzzers call it. */
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

  /** The body, read in pieces of a size; null where it is refused. */
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
