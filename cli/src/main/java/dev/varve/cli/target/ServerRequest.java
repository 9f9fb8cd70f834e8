package dev.varve.cli.target;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server.
 *
 * @param path from the first slash on, including the query string
 * @param body body of a POST; null for a GET
 */
public record ServerRequest(String path, Map<String, String> headers, byte @Nullable [] body) {
  public static ServerRequest get(String path) {
    return new ServerRequest(path, Map.of(), null);
  }

  public static ServerRequest post(String path, byte[] body) {
    return new ServerRequest(path, Map.of(), body);
  }

  /** Returns the same request with an additional header. */
  public ServerRequest with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new ServerRequest(path, more, body);
  }

  String method() {
    return body == null ? "GET" : "POST";
  }
}
