package dev.varve.matrix.differential;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to both servers.
 *
 * @param path path and query, encoded; it and the body may name what each server calls otherwise,
 *     see {@link Server#names}
 * @param body null for none
 * @param features what the request covers, for the report and for rules
 */
record Request(String method, String path, @Nullable String body, Set<String> features) {
  private static final String QUERY = "?query=";

  boolean has(String feature) {
    return features.contains(feature);
  }

  /** Returns whether a feature begins with a text. */
  boolean hasAny(String begin) {
    return features.stream().anyMatch(feature -> feature.startsWith(begin));
  }

  /** Returns whether path or body contain a text. */
  boolean contains(String text) {
    return path.contains(text) || (body != null && body.contains(text));
  }

  /** Returns the JSON of a request: its body, or the one in its path; empty without one. */
  String json() {
    int query = path.indexOf(QUERY);
    return body != null
        ? body
        : query < 0
            ? ""
            : URLDecoder.decode(path.substring(query + QUERY.length()), StandardCharsets.UTF_8);
  }

  /** Returns whether the request reads, so that it may be sent again. */
  boolean isRepeatable() {
    return path.contains("query") && !contains("save_as") && !contains("delete");
  }

  @Override
  public String toString() {
    return method + " " + path + (body == null ? "" : "\n  " + body);
  }
}
