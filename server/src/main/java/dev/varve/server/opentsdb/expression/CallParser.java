package dev.varve.server.opentsdb.expression;

import dev.varve.server.opentsdb.expression.Call.Input;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import dev.varve.server.opentsdb.query.QueryWords;
import dev.varve.server.opentsdb.query.SubQuery;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses {@code function(argument, argument...)}. An argument is another call, a query such as
 * {@code sum:1m-avg:cpu{host=*}}, or a parameter.
 */
final class CallParser {
  private static final int DEPTH_MAX = 50;
  private static final int QUERIES_MAX = 1000;

  private final String text;
  private final List<SubQuery> queries;
  private int at;

  private CallParser(String text, List<SubQuery> queries) {
    this.text = text;
    this.queries = queries;
  }

  /**
   * Parses an expression.
   *
   * @param queries receives the queries
   * @throws OpenTsdbError 500, as in OpenTSDB, if it is malformed
   */
  static Call parse(String text, List<SubQuery> queries) {
    CallParser parser = new CallParser(text, queries);
    String function = parser.word();
    if (parser.peek() != '(') {
      // OpenTSDB looks for the function before it looks further.
      Functions.requireKnown(function);
    }
    Call call = parser.call(function, 0);
    parser.space();
    if (parser.at < text.length()) {
      throw parser.wrong("the end");
    }
    return call;
  }

  private Call call(String function, int depth) {
    if (depth > DEPTH_MAX) {
      throw wrong("at most %d levels".formatted(DEPTH_MAX));
    }
    take('(');
    List<Input> inputs = new ArrayList<>();
    List<String> parameters = new ArrayList<>();
    argument(inputs, parameters, depth);
    while (peek() == ',') {
      take(',');
      argument(inputs, parameters, depth);
    }
    take(')');
    return new Call(function, List.copyOf(inputs), List.copyOf(parameters));
  }

  private void argument(List<Input> inputs, List<String> parameters, int depth) {
    space();
    int from = at;
    String word = word();
    switch (peek()) {
      case '(' -> inputs.add(new Call.Nested(call(word, depth + 1)));
      case ':' -> inputs.add(query(from));
      default -> {
        boolean quoted = word.startsWith("'") || word.startsWith("\"");
        if (!quoted && word.chars().anyMatch(Character::isWhitespace)) {
          throw wrong("one word, or a text in quotes,");
        }
        parameters.add(word);
      }
    }
  }

  private Call.OfQuery query(int from) {
    while (at < text.length() && ",)".indexOf(text.charAt(at)) < 0) {
      if (text.charAt(at) == '{') {
        at = Math.max(at, text.indexOf('}', at));
      }
      at++;
    }
    if (queries.size() == QUERIES_MAX) {
      throw wrong("at most %d queries".formatted(QUERIES_MAX));
    }
    queries.add(QueryWords.metric(text.substring(from, at).strip()));
    return new Call.OfQuery(queries.size() - 1);
  }

  private String word() {
    space();
    int from = at;
    while (at < text.length() && "(),:{}".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(from, at).strip();
    if (word.isEmpty()) {
      throw wrong("a name");
    }
    return word;
  }

  private void take(char c) {
    if (peek() != c) {
      throw wrong("'" + c + "'");
    }
    at++;
    space();
  }

  /** Returns the next character, or NUL at the end. */
  private char peek() {
    space();
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private void space() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private OpenTsdbError wrong(String expected) {
    return new OpenTsdbError(
        500,
        "Failed to parse " + text,
        "character %d: %s expected, there is %s"
            .formatted(
                at + 1, expected, at < text.length() ? "'" + text.charAt(at) + "'" : "the end"));
  }
}
