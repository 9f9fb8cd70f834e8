package dev.varve.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to a server.
 *
 * @param path from the first slash on, with a query if it has one
 * @param body null for GET, else what is posted
 */
record ServerRequest(String path, Map<String, String> headers, byte @Nullable [] body) {
  static ServerRequest get(String path) {
    return new ServerRequest(path, Map.of(), null);
  }

  static ServerRequest post(String path, byte[] body) {
    return new ServerRequest(path, Map.of(), body);
  }

  /** The same request with a header more. */
  ServerRequest with(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(name, value);
    return new ServerRequest(path, more, body);
  }

  String method() {
    return body == null ? "GET" : "POST";
  }
}
