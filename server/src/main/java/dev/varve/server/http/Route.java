package dev.varve.server.http;

/**
 * A method and a path with their handler.
 *
 * @param path begins with a slash; a segment may be {@link #ANY}, the last one may be {@link #REST}
 * @param load the gate of the handler
 * @param changesState whether a request changes data or behaviour of the server, in which case
 *     pages of other origins may not send it
 * @param oneSpelling whether it answers only under {@code /DIALECT} and not for a dataset in the
 *     path, so that a proxy can forbid it by one prefix
 * @param yielding whether another dialect of the listener that has the same path keeps it, so that
 *     this route then answers only under {@code /DIALECT}
 */
public record Route(
    String method,
    String path,
    Load load,
    boolean changesState,
    boolean oneSpelling,
    boolean yielding,
    HttpHandler handler) {
  /** Matches any non-empty segment of a path. */
  public static final String ANY = PathPattern.ONE;

  /** Matches, as the last segment, one or more segments of a path. */
  public static final String REST = PathPattern.REST;

  /** The load of a request, which determines how many run at once. */
  public enum Load {
    /** No limited resource; such a request never waits. */
    NONE,
    /**
     * A request of operators: it runs on threads of its own and is answered even if all connections
     * are in use.
     */
    OPERATIONS,
    WRITE,
    /** The load of a query, without being listed as one. */
    READ,
    /** A query: it waits for others after it was parsed, listed among the waiting queries. */
    QUERY
  }

  /**
   * Creates a route. It changes state if it writes, or if neither method nor load show that it
   * reads.
   */
  public Route(String method, String path, Load load, HttpHandler handler) {
    this(
        method,
        path,
        load,
        load == Load.WRITE
            || ((load == Load.NONE || load == Load.OPERATIONS) && !method.equals("GET")),
        false,
        false,
        handler);
  }

  /** Returns the same route, marked as one that changes nothing. */
  public Route reading() {
    return new Route(method, path, load, false, oneSpelling, yielding, handler);
  }

  /** Returns the same route, marked as one that changes something. */
  public Route changing() {
    return new Route(method, path, load, true, oneSpelling, yielding, handler);
  }

  /** Returns the same route with another handler. */
  public Route handledBy(HttpHandler other) {
    return new Route(method, path, load, changesState, oneSpelling, yielding, other);
  }

  /** Returns the same route with one spelling. */
  public Route inOneSpelling() {
    return new Route(method, path, load, changesState, true, yielding, handler);
  }

  /** Returns the same route, marked as one that yields its path to other dialects. */
  public Route whereFree() {
    return new Route(method, path, load, changesState, oneSpelling, true, handler);
  }

  public static Route get(String path, Load load, HttpHandler handler) {
    return new Route("GET", path, load, handler);
  }

  public static Route post(String path, Load load, HttpHandler handler) {
    return new Route("POST", path, load, handler);
  }
}
