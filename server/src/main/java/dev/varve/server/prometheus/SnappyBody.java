package dev.varve.server.prometheus;

import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import java.io.IOException;
import java.util.function.LongConsumer;

/** Bodies in snappy's block format, as remote write and remote read send them. */
final class SnappyBody {
  /** A question, decompressed, and what is read of it: objects of a few bytes each at worst. */
  private static final int QUESTION_PER_BYTE = 40;

  private SnappyBody() {}

  /**
   * The body decompressed; its announced length is looked at first.
   *
   * @param what it is, for messages
   * @throws HttpError 400 where it is no snappy, 413 where it is too large, 415 where it says to be
   *     something else
   */
  static byte[] read(Exchange exchange, String what) throws IOException {
    requireSnappy(exchange, what);
    byte[] compressed = exchange.bodyAsSent();
    byte[] content =
        unpack(
            compressed,
            length -> {
              exchange.awaitTurn(length);
              exchange.memory().hold(length);
            });
    exchange.memory().letGo(compressed.length);
    return content;
  }

  /**
   * The same of a body that is no more than a question.
   *
   * @throws HttpError also 413 where it is larger than {@link Exchange#QUESTION_MAX}
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
      throw new HttpError(415, "%s comes in snappy, not in '%s'".formatted(what, encoding));
    }
  }

  private static byte[] unpack(byte[] compressed, LongConsumer announced) {
    try {
      return SnappyBlock.unpack(compressed, announced);
    } catch (IOException e) {
      throw HttpError.badRequest("the body is not in snappy's block format");
    }
  }
}
