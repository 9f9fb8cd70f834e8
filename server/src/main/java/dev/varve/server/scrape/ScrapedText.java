package dev.varve.server.scrape;

import dev.varve.formats.text.BadLineException;
import dev.varve.formats.text.Exposition;
import dev.varve.formats.text.SampleSink;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the answer of a target in the format that it declares. An invalid answer is rejected as a
 * whole.
 */
final class ScrapedText {
  private static final String TEXT = "text/plain";
  private static final String OPEN_METRICS = "application/openmetrics-text";

  private ScrapedText() {}

  /**
   * Reads an answer. Times are in milliseconds; {@code le} and {@code quantile} are normalized.
   *
   * @param fallback format if the answer declares no known one; null to reject it
   * @param now timestamp of samples without one
   * @param growth receives the number of bytes before they are kept; may throw
   * @return metadata of metrics
   * @throws ScrapeException if the format is unknown or the answer does not follow it
   */
  static Collection<MetricMetadata> read(
      ScrapeClient.Answer answer,
      @Nullable String fallback,
      long now,
      SampleSink<ScrapeException> sink,
      LongConsumer growth)
      throws ScrapeException {
    Exposition format =
        new Exposition(
            isOpenMetrics(answer.contentType(), fallback),
            Resolution.MILLISECONDS,
            () -> now,
            Map.of(),
            growth);
    SampleSink<ScrapeException> normalizing =
        (key, timed, time, value) ->
            sink.take(FloatLabels.normalized(key, format.type()), timed, time, value);
    byte[] body = answer.body();
    int number = 0;
    for (int from = 0; from < body.length; number++) {
      int to = from;
      while (to < body.length && body[to] != '\n') {
        to++;
      }
      try {
        format.read(body, from, to, normalizing);
      } catch (BadLineException e) {
        throw new ScrapeException("line %d: %s".formatted(number + 1, e.getMessage()));
      }
      from = to + 1;
    }
    String atEnd = format.problemAtEnd();
    if (!atEnd.isEmpty()) {
      throw new ScrapeException(atEnd);
    }
    return format.metadata();
  }

  private static boolean isOpenMetrics(String contentType, @Nullable String fallback)
      throws ScrapeException {
    String type = contentType.split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
    if (type.equals(OPEN_METRICS) || type.equals(TEXT)) {
      return type.equals(OPEN_METRICS);
    }
    if (fallback != null) {
      return fallback.startsWith("OpenMetrics");
    }
    throw new ScrapeException(
        type.isEmpty()
            ? "the target sends no Content-Type, and no fallback_scrape_protocol is configured"
            : "the target sends the Content-Type '%s', which is not supported, and no fallback_scrape_protocol is configured"
                .formatted(type));
  }
}
