package dev.varve.server.varve;

import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import java.time.Instant;
import java.util.Map;

/**
 * The parameters of a delete.
 *
 * @param times in the resolution of the dataset
 */
public record DeleteParameters(Selector selector, TimeRange times) {
  /**
   * Parses {@code selector}, {@code from} (inclusive) and {@code to} (exclusive). A missing bound
   * means that there is none.
   *
   * @throws IllegalArgumentException if a text is not valid, or if the range is empty
   * @throws dev.varve.query.SelectorSyntaxException if the selector is malformed
   */
  public static DeleteParameters of(Map<String, String> texts, Resolution resolution, Instant now) {
    if (texts.containsKey("scan")) {
      throw new IllegalArgumentException(
          "unknown parameter 'scan' (known: selector, from, to, dry-run)");
    }
    ReadRequest rows = QueryParameters.ofRows(texts).read(resolution, now);
    TimeRange closed = rows.times();
    long to = closed.to() == Long.MAX_VALUE ? closed.to() : closed.to() - 1;
    if (to <= closed.from()) {
      throw new IllegalArgumentException("no time lies from 'from' on and before 'to'");
    }
    return new DeleteParameters(rows.selector(), new TimeRange(closed.from(), to));
  }
}
