package dev.varve.cli.io;

import dev.varve.model.Series;
import dev.varve.query.SelectorParser;

/** Narrows selectors, as text in PromQL's syntax, to one metric. */
public final class MetricSelector {
  private MetricSelector() {}

  /**
   * Returns a selector of the same series of one metric.
   *
   * @param selector of series of that metric, and possibly of others
   */
  public static String of(String selector, String metric) {
    String text = selector.strip();
    if (!text.startsWith("{") || SelectorParser.parse(text).metric() != null) {
      return text;
    }
    String inner = text.substring(1, text.lastIndexOf('}')).strip();
    String separator = inner.isEmpty() || inner.endsWith(",") ? "" : ",";
    return "{" + inner + separator + Series.NAME_LABEL + "=" + quoted(metric) + "}";
  }

  /** Returns a text in double quotes, as PromQL reads it. */
  public static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        default -> quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
