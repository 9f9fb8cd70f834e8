package dev.varve.formats.text;

import dev.varve.model.BatchBuilder;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Fuzzes exposed metrics: OpenMetrics if the first byte is odd, else the text format. */
public final class ExpositionFuzz {
  private ExpositionFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    boolean openMetrics = input[0] % 2 != 0;
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    Exposition format = format(openMetrics);
    LinesFuzz.read(format, body);
    for (MetricMetadata said : format.metadata()) {
      if (said.metric().isEmpty()) {
        throw new AssertionError("something is said of a metric without a name");
      }
    }
    Exposition posted = format(openMetrics);
    Exposition scraped = format(openMetrics);
    int at = 0;
    while (at <= body.length) {
      int end = at;
      while (end < body.length && body[end] != '\n') {
        end++;
      }
      ensureAlike(posted, scraped, body, at, end);
      at = end + 1;
    }
    if (!posted.problemAtEnd().equals(scraped.problemAtEnd())) {
      throw new AssertionError("a body ends for a scraper as it does not for a request");
    }
  }

  private static Exposition format(boolean openMetrics) {
    return new Exposition(
        openMetrics, Resolution.MILLISECONDS, () -> 1L, Map.of("job", "fuzz"), bytes -> {});
  }

  /** Requests and scrapers must get the same result for a line: a sample, none, or an error. */
  private static void ensureAlike(
      Exposition posted, Exposition scraped, byte[] bytes, int from, int to) {
    BatchBuilder batch = new BatchBuilder();
    boolean refused = false;
    try {
      posted.read(bytes, from, to, batch);
    } catch (BadLineException e) {
      refused = true;
    }
    AtomicInteger taken = new AtomicInteger();
    try {
      scraped.read(bytes, from, to, (key, timed, time, value) -> taken.incrementAndGet());
      if (refused || taken.get() != batch.sampleCount()) {
        throw new AssertionError("a scraper reads what a request does not");
      }
    } catch (BadLineException e) {
      if (!refused || taken.get() > 0) {
        throw new AssertionError("a scraper refuses what a request does not", e);
      }
    }
  }
}
