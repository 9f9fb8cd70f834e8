package dev.varve.server.http;

/**
 * A method and a path, and who answers them.
 *
 * @param path begins with a slash; matched whole, but that one step may be {@link #ANY}, or that it
 *     may end with {@link #REST}
 * @param load which gate the handler passes
 */
public record Route(String method, String path, Load load, HttpHandler handler) {
  /** Stands for any step of a path that is not empty. */
  public static final String ANY = "/*/";

  /** Stands, as the last step, for any steps of a path, of which one is not empty. */
  public static final String REST = "**";

  /** Whether a path of a route means more paths than one. */
  static boolean isOpen(String pattern) {
    return pattern.contains(ANY) || pattern.endsWith(REST);
  }

  /** Whether a path is meant by the path of a route. */
  static boolean matches(String pattern, String path) {
    if (pattern.endsWith(REST)) {
      int before = pattern.length() - REST.length();
      return path.length() > before && path.startsWith(pattern.substring(0, before));
    }
    int any = pattern.indexOf(ANY);
    if (any < 0) {
      return pattern.equals(path);
    }
    String before = pattern.substring(0, any + 1);
    String behind = pattern.substring(any + ANY.length() - 1);
    int end = path.length() - behind.length();
    return path.startsWith(before)
        && path.endsWith(behind)
        && end > before.length()
        && path.indexOf('/', before.length()) == end;
  }

  /** What a request takes, and so how many of them run at once. */
  public enum Load {
    /** Nothing that could run short: such a request is never kept waiting. */
    NONE,
    WRITE,
    /** As much as a query takes, of which none is made. */
    READ,
    /** A query: it waits for others once it is known what it asks, where all can see it. */
    QUERY
  }

  public static Route get(String path, Load load, HttpHandler handler) {
    return new Route("GET", path, load, handler);
  }

  public static Route post(String path, Load load, HttpHandler handler) {
    return new Route("POST", path, load, handler);
  }
}
