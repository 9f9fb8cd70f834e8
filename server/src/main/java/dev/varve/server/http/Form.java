package dev.varve.server.http;

import dev.varve.server.http.WriteBudget.Reservation;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bodies that are questions: names and values, as a form of a web page sends them. */
public final class Form {
  /** What a pair takes without its texts. */
  private static final int PAIR_BYTES = 300;

  /** What a query that is parsed takes for each of its characters, at most. */
  private static final int PARSED_PER_CHARACTER = 32;

  private Form() {}

  /**
   * The first value of every name in the body, which may be empty.
   *
   * @throws HttpError 400 where it is not URL-encoded, 413 where it is longer than {@link
   *     Exchange#QUESTION_MAX}
   * @throws OverBudgetException where there is no room for what comes of it
   */
  public static Map<String, String> read(Exchange exchange) throws IOException {
    Map<String, String> first = new LinkedHashMap<>();
    readAll(exchange).forEach((name, values) -> first.put(name, values.getFirst()));
    return first;
  }

  /** All values of every name in the body, of each one at least; otherwise as {@link #read}. */
  public static Map<String, List<String>> readAll(Exchange exchange) throws IOException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    byte[] bytes = exchange.wholeBody();
    Reservation memory = exchange.memory();
    memory.hold(2L * bytes.length);
    String body = new String(bytes, StandardCharsets.UTF_8);
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

  /** How many characters stand outside of texts in quotes, where each may be a part of a query. */
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
