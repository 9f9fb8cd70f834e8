package dev.varve.server.prometheus;

import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.util.function.LongConsumer;

/** Reads bodies in snappy's block format, which remote write and remote read send. */
final class SnappyBody {
  /**
   * Memory per byte of a decompressed query and of the objects read from it, a few bytes each in
   * the worst case.
   */
  private static final int QUESTION_PER_BYTE = 40;

  private SnappyBody() {}

  /**
   * Decompresses the body. Its announced length is checked first.
   *
   * @param what names the body in messages
   * @param buffers provides the array, which the caller gives back
   * @throws HttpError 400 if it is not valid snappy, 413 if it is too large, 415 if it declares
   *     another encoding
   */
  static SnappyBlock.Content read(Exchange exchange, String what, MessageBuffers buffers)
      throws IOException {
    requireSnappy(exchange, what);
    byte[] compressed = exchange.bodyAsSent();
    SnappyBlock.Content content;
    try {
      content =
          SnappyBlock.unpack(
              compressed,
              length -> {
                exchange.awaitTurn(length);
                exchange.memory().hold(length);
              },
              buffers::take);
    } catch (IOException e) {
      throw malformed();
    }
    exchange.memory().letGo(compressed.length);
    return content;
  }

  /**
   * Decompresses a body that contains only a query.
   *
   * @throws HttpError 400, 413 and 415 as above, and 413 if the body is larger than {@link
   *     Exchange#QUESTION_MAX}
   */
  static byte[] readQuestion(Exchange exchange, String what) throws IOException {
    requireSnappy(exchange, what);
    return unpack(
        exchange.wholeBody("identity"),
        length -> {
          Exchange.requireQuestionLength(length);
          exchange.memory().hold(QUESTION_PER_BYTE * length);
        });
  }

  private static void requireSnappy(Exchange exchange, String what) {
    String encoding = exchange.header("Content-Encoding");
    if (encoding != null && !encoding.strip().equalsIgnoreCase("snappy")) {
      throw new HttpError(
          415, "%s must be compressed with snappy, not with '%s'".formatted(what, encoding));
    }
  }

  private static byte[] unpack(byte[] compressed, LongConsumer announced) {
    try {
      return SnappyBlock.unpack(compressed, announced);
    } catch (IOException e) {
      throw malformed();
    }
  }

  private static HttpError malformed() {
    return HttpError.badRequest("the body is not in snappy's block format");
  }
}
