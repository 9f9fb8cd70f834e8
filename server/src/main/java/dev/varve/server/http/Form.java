package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads bodies that are questions: names and values in the format of HTML forms. */
public final class Form {
  /** Memory of a pair without its texts, in bytes. */
  private static final int PAIR_BYTES = 300;

  /** Maximum memory of a parsed query per character, in bytes. */
  private static final int PARSED_PER_CHARACTER = 32;

  private Form() {}

  /**
   * Returns the first value of every name in the body, which may be empty.
   *
   * @throws HttpError 400 if the body is not URL-encoded, 413 if it is longer than {@link
   *     Exchange#QUESTION_MAX}
   * @throws OverBudgetException if there is no room for the result
   */
  public static Map<String, String> read(Exchange exchange) throws IOException {
    Map<String, String> first = new LinkedHashMap<>();
    readAll(exchange).forEach((name, values) -> first.put(name, values.getFirst()));
    return first;
  }

  /**
   * Returns all values of every name in the body, at least one each; otherwise like {@link #read}.
   */
  public static Map<String, List<String>> readAll(Exchange exchange) throws IOException {
    byte[] bytes = exchange.wholeBody();
    exchange.memory().hold(2L * bytes.length);
    return readAll(new String(bytes, StandardCharsets.UTF_8), exchange.memory());
  }

  /**
   * Returns all values of every name in a text, at least one each.
   *
   * @throws HttpError 400 if the text is not URL-encoded
   * @throws OverBudgetException if there is no room for the result
   */
  public static Map<String, List<String>> readAll(String body, Reservation memory) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (int from = 0; from <= body.length(); ) {
      int end = body.indexOf('&', from);
      end = end < 0 ? body.length() : end;
      int equals = body.indexOf('=', from);
      if (equals > from && equals < end) {
        memory.hold(PAIR_BYTES + 6L * (end - from));
        String value = decoded(body.substring(equals + 1, end));
        memory.hold((long) PARSED_PER_CHARACTER * unquoted(value));
        values
            .computeIfAbsent(decoded(body.substring(from, equals)), name -> new ArrayList<>())
            .add(value);
      }
      from = end + 1;
    }
    return values;
  }

  /** Counts the characters outside of quotes, each of which may be a part of a query. */
  private static int unquoted(String text) {
    int count = 0;
    int quote = 0;
    for (int i = 0; i < text.length(); i++) {
      int c = text.charAt(i);
      if (quote == 0) {
        count++;
        quote = c == '"' || c == '\'' || c == '`' ? c : 0;
      } else if (c == '\\' && quote != '`') {
        i++;
      } else if (c == quote) {
        quote = 0;
      }
    }
    return count;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest("'" + text + "' is not URL-encoded");
    }
  }
}
