package dev.varve.server.http;

/**
 * A method and a path, and who answers them.
 *
 * @param path begins with a slash; matched whole
 * @param load which gate the handler passes
 */
public record Route(String method, String path, Load load, HttpHandler handler) {
  /** What a request takes, and so how many of them run at once. */
  public enum Load {
    /** Nothing that could run short: such a request is never kept waiting. */
    NONE,
    WRITE,
    READ
  }

  public static Route get(String path, Load load, HttpHandler handler) {
    return new Route("GET", path, load, handler);
  }

  public static Route post(String path, Load load, HttpHandler handler) {
    return new Route("POST", path, load, handler);
  }
}
