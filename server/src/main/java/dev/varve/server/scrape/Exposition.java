package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.server.text.BadLineException;
import dev.varve.server.text.PrometheusLines;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads what a target exposes, in the format that it says. */
final class Exposition {
  private static final String TEXT = "text/plain";
  private static final String OPEN_METRICS = "application/openmetrics-text";

  /** What OpenMetrics ends with, so that half an answer is known as such. */
  private static final String END = "# EOF";

  private static final double SECONDS_MAX = 9e15;

  private Exposition() {}

  /** Takes one sample. */
  interface Sink {
    /**
     * Takes a sample.
     *
     * @param time in milliseconds; null where there is none
     */
    void take(GroupKey exposed, @Nullable Long time, double value) throws ScrapeException;
  }

  /**
   * Reads an answer.
   *
   * @param fallback how it is read where it does not say; null where that is an error
   * @throws ScrapeException if it is of no format that is read, or not of its format
   */
  static void read(ScrapeClient.Answer answer, @Nullable String fallback, Sink sink)
      throws ScrapeException {
    String type = answer.contentType().split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
    if (type.equals(OPEN_METRICS)) {
      readLines(answer.body(), true, sink);
    } else if (type.equals(TEXT)) {
      readLines(answer.body(), false, sink);
    } else if (fallback != null) {
      readLines(answer.body(), fallback.startsWith("OpenMetrics"), sink);
    } else if (type.isEmpty()) {
      throw new ScrapeException(
          "the target sends no Content-Type, and no fallback_scrape_protocol is configured");
    } else {
      throw new ScrapeException(
          "the target sends the Content-Type '%s', which is not read, and no fallback_scrape_protocol is configured"
              .formatted(type));
    }
  }

  private static void readLines(byte[] body, boolean openMetrics, Sink sink)
      throws ScrapeException {
    PrometheusLines lines = new PrometheusLines(Resolution.MILLISECONDS, () -> Long.MIN_VALUE);
    BatchBuilder one = new BatchBuilder();
    int number = 0;
    boolean ended = false;
    for (int from = 0; from < body.length; ) {
      int to = from;
      while (to < body.length && body[to] != '\n') {
        to++;
      }
      number++;
      try {
        if (ended) {
          throw new BadLineException("a line stands behind " + END);
        }
        ended = openMetrics && isEnd(body, from, to);
        byte[] plain = openMetrics ? plain(body, from, to) : null;
        if (plain == null) {
          lines.read(body, from, to, one);
        } else {
          lines.read(plain, 0, plain.length, one);
        }
      } catch (BadLineException e) {
        throw new ScrapeException("line %d: %s".formatted(number, e.getMessage()));
      }
      if (!one.isEmpty()) {
        hand(one.build(), sink);
      }
      from = to + 1;
    }
    if (openMetrics && !ended) {
      throw new ScrapeException("the answer does not end with " + END);
    }
  }

  private static boolean isEnd(byte[] body, int from, int to) {
    return to - from == END.length() && new String(body, from, to - from, US_ASCII).equals(END);
  }

  /**
   * A line of OpenMetrics as one of the older format, which has times in milliseconds and no
   * exemplars; null where they do not differ.
   */
  private static byte @Nullable [] plain(byte[] body, int from, int to) {
    int key = keyEnd(body, from, to);
    if (key == to || body[from] == '#') {
      return null;
    }
    String tail = new String(body, key, to - key, UTF_8);
    int exemplar = tail.indexOf(" # ");
    String[] words = (exemplar < 0 ? tail : tail.substring(0, exemplar)).strip().split(" +", -1);
    if (exemplar < 0 && words.length < 2) {
      return null;
    }
    if (words.length > 1) {
      words[1] = milliseconds(words[1]);
    }
    byte[] rest = (" " + String.join(" ", words)).getBytes(UTF_8);
    byte[] plain = Arrays.copyOf(Arrays.copyOfRange(body, from, key), key - from + rest.length);
    System.arraycopy(rest, 0, plain, key - from, rest.length);
    return plain;
  }

  private static String milliseconds(String seconds) {
    try {
      double read = Double.parseDouble(seconds);
      if (Math.abs(read) < SECONDS_MAX) {
        return Long.toString(Math.round(read * 1000));
      }
    } catch (NumberFormatException e) {
      // Said below, as for a time that is too large.
    }
    throw new BadLineException("time '" + seconds + "' is not in seconds");
  }

  /** Behind name and labels. */
  private static int keyEnd(byte[] body, int from, int to) {
    int at = from;
    while (at < to && body[at] != '{' && body[at] != ' ') {
      at++;
    }
    if (at == to || body[at] == ' ') {
      return at;
    }
    boolean quoted = false;
    for (; at < to; at++) {
      if (quoted && body[at] == '\\') {
        at++;
      } else if (body[at] == '"') {
        quoted = !quoted;
      } else if (!quoted && body[at] == '}') {
        return at + 1;
      }
    }
    return to;
  }

  private static void hand(Batch one, Sink sink) throws ScrapeException {
    SampleGroup group = one.groups().getFirst();
    if (group.columns().getFirst() instanceof Column.Doubles doubles) {
      long time = group.times()[0];
      sink.take(group.key(), time == Long.MIN_VALUE ? null : time, doubles.values()[0]);
    }
  }
}
