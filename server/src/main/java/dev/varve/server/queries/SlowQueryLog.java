package dev.varve.server.queries;

import dev.varve.query.running.EndedQuery;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs slow queries, each in one line of {@code name=value} pairs with strings quoted as in JSON,
 * and keeps the last {@value #KEPT} of them. Thread-safe.
 */
public final class SlowQueryLog implements Consumer<EndedQuery> {
  private static final Logger LOG = LoggerFactory.getLogger(SlowQueryLog.class);

  /** Their texts are short, so that they take less than 1 MB together. */
  private static final int KEPT = 50;

  /**
   * A slow query that has ended.
   *
   * @param outcome such as {@code ok} or {@code timeout}
   */
  record SlowQuery(
      String id, QueryOrigin origin, String outcome, Duration waited, Duration ran, long samples) {}

  private final Duration slow;
  private final Deque<SlowQuery> last = new ArrayDeque<>();

  /**
   * Creates the log.
   *
   * @param slow duration from which a query is logged, including its wait
   */
  public SlowQueryLog(Duration slow) {
    this.slow = slow;
  }

  @Override
  public void accept(EndedQuery ended) {
    if (isSlow(ended)) {
      LOG.warn("slow query: {}", line(ended));
      keep(ended);
    }
  }

  private void keep(EndedQuery ended) {
    SlowQuery kept =
        new SlowQuery(
            ended.query().id(),
            ended.query().origin(),
            ended.outcome().text(),
            ended.waited(),
            ended.ran(),
            ended.query().use().samplesRead());
    synchronized (last) {
      last.addFirst(kept);
      if (last.size() > KEPT) {
        last.removeLast();
      }
    }
  }

  /** Returns the last slow queries, the last one first. */
  List<SlowQuery> last() {
    synchronized (last) {
      return List.copyOf(last);
    }
  }

  boolean isSlow(EndedQuery ended) {
    return ended.ran().plus(ended.waited()).compareTo(slow) >= 0;
  }

  static String line(EndedQuery ended) {
    QueryOrigin origin = ended.query().origin();
    QueryUse use = ended.query().use();
    StringBuilder line = new StringBuilder();
    line.append("id=").append(ended.query().id());
    line.append(" language=").append(origin.language());
    line.append(" outcome=").append(ended.outcome().text());
    line.append(" ran_ms=").append(ended.ran().toMillis());
    line.append(" waited_ms=").append(ended.waited().toMillis());
    line.append(" series=").append(use.seriesRead());
    line.append(" samples=").append(use.samplesRead());
    line.append(" points=").append(use.pointsReturned());
    line.append(" bytes_held=").append(use.memory().most());
    line.append(" cells_read=").append(use.cost().cellsRead());
    line.append(" bytes_read=").append(use.cost().bytesRead());
    text(line.append(" dataset="), origin.dataset());
    text(line.append(" client="), origin.client());
    text(line.append(" agent="), origin.agent());
    text(line.append(" text="), origin.text());
    String reason = ended.reason();
    if (reason != null) {
      text(line.append(" reason="), reason.length() > 500 ? reason.substring(0, 500) : reason);
    }
    return line.toString();
  }

  /** Quotes text from outside, which must neither end the line nor begin a pair. */
  private static void text(StringBuilder line, String text) {
    line.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> line.append("\\\"");
        case '\\' -> line.append("\\\\");
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (c < ' ' || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029) {
            line.append("\\u%04x".formatted((int) c));
          } else {
            line.append(c);
          }
        }
      }
    }
    line.append('"');
  }
}
