package dev.varve.server.http;

/**
 * A method and a path, and who answers them.
 *
 * @param path begins with a slash; a segment may be {@link #ANY}, the last one may be {@link #REST}
 * @param load which gate the handler passes
 * @param changesState whether a request changes what the server holds or does: pages of other
 *     origins may not send it
 */
public record Route(
    String method, String path, Load load, boolean changesState, HttpHandler handler) {
  /** Stands for any segment of a path that is not empty. */
  public static final String ANY = PathPattern.ONE;

  /** Stands, as the last segment, for one or more segments of a path. */
  public static final String REST = PathPattern.REST;

  /** What a request takes, and so how many of them run at once. */
  public enum Load {
    /** Nothing that could run short: such a request is never kept waiting. */
    NONE,
    /**
     * Asked by operators: it runs on threads of its own, and is answered though all connections are
     * taken.
     */
    OPERATIONS,
    WRITE,
    /** As much as a query takes, of which none is made. */
    READ,
    /** A query: it waits for others once it is known what it asks, where all can see it. */
    QUERY
  }

  /** A route that changes state if it writes, or if neither method nor load say that it reads. */
  public Route(String method, String path, Load load, HttpHandler handler) {
    this(
        method,
        path,
        load,
        load == Load.WRITE
            || ((load == Load.NONE || load == Load.OPERATIONS) && !method.equals("GET")),
        handler);
  }

  /** The same, known to change nothing. */
  public Route reading() {
    return new Route(method, path, load, false, handler);
  }

  public static Route get(String path, Load load, HttpHandler handler) {
    return new Route("GET", path, load, handler);
  }

  public static Route post(String path, Load load, HttpHandler handler) {
    return new Route("POST", path, load, handler);
  }
}
