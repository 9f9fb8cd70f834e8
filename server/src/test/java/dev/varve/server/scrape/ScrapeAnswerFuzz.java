package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.varve.server.http.WriteBudget;
import dev.varve.server.scrape.ScrapeClient.Answer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/**
 * Fuzzes the answers of targets. The first byte selects compression and a configured fallback
 * format; a line with the content type and the body follow. The body must be decompressed within
 * the limit and read, or rejected with a reason; compressing and decompressing must restore the
 * input.
 */
public final class ScrapeAnswerFuzz {
  private static final int MAX = 1 << 14;

  private ScrapeAnswerFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    if (input.length == 0) {
      return;
    }
    int end = 1;
    while (end < input.length && input[end] != '\n') {
      end++;
    }
    String contentType = new String(input, 1, end - 1, ISO_8859_1);
    byte[] body = Arrays.copyOfRange(input, Math.min(end + 1, input.length), input.length);
    try {
      byte[] plain =
          input[0] % 2 == 0 ? body : ScrapeClient.decompressed(body, MAX, WriteBudget.unlimited());
      if (input[0] % 2 != 0 && plain.length > MAX) {
        throw new AssertionError("decompressed to %d bytes".formatted(plain.length));
      }
      String fallback = input[0] % 4 < 2 ? null : "OpenMetricsText1.0.0";
      ScrapedText.read(
          new Answer(contentType, plain),
          fallback,
          1,
          (key, timed, time, value) -> {},
          bytes -> {});
    } catch (ScrapeException e) {
      ensureReason(e);
    }
    ensureSame(body);
  }

  private static void ensureReason(ScrapeException refused) {
    String reason = refused.getMessage();
    if (reason == null || reason.isEmpty()) {
      throw new AssertionError("refused without a reason", refused);
    }
  }

  private static void ensureSame(byte[] body) throws IOException {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(body);
    }
    try {
      byte[] again =
          ScrapeClient.decompressed(compressed.toByteArray(), MAX, WriteBudget.unlimited());
      if (body.length > MAX || !Arrays.equals(again, body)) {
        throw new AssertionError("compressed and decompressed it is another body");
      }
    } catch (ScrapeException e) {
      if (body.length <= MAX) {
        throw new AssertionError("compressed it is refused", e);
      }
    }
  }
}
