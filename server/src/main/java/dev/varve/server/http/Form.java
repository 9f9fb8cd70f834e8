package dev.varve.server.http;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Bodies that are questions: names and values, as a form of a web page sends them. */
public final class Form {
  private Form() {}

  /**
   * The first value of every name in the body, which may be empty.
   *
   * @throws HttpError 400 where it is not URL-encoded, 413 where it is longer than {@link
   *     Exchange#QUESTION_MAX}
   */
  public static Map<String, String> read(Exchange exchange) throws IOException {
    Map<String, String> first = new LinkedHashMap<>();
    readAll(exchange).forEach((name, values) -> first.put(name, values.getFirst()));
    return first;
  }

  /** All values of every name in the body, of each one at least; otherwise as {@link #read}. */
  public static Map<String, List<String>> readAll(Exchange exchange) throws IOException {
    Map<String, List<String>> values = new LinkedHashMap<>();
    String body = new String(exchange.wholeBody(), StandardCharsets.UTF_8);
    for (String pair : body.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        values
            .computeIfAbsent(decoded(pair.substring(0, equals)), name -> new ArrayList<>())
            .add(decoded(pair.substring(equals + 1)));
      }
    }
    return values;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest("'" + text + "' is not URL-encoded");
    }
  }
}
