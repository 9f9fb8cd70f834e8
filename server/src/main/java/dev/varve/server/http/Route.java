package dev.varve.server.http;

import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A method and a path with their handler.
 *
 * @param path begins with a slash; a segment may be {@link #ANY}, the last one may be {@link #REST}
 * @param load the gate of the handler
 * @param right the right that a request needs; a handler asks for another one if the body says more
 *     than the path
 * @param changesState whether a request changes data or behaviour of the server, in which case
 *     pages of other origins may not send it
 * @param oneSpelling whether it answers only under {@code /DIALECT} and not for a dataset in the
 *     path, so that a proxy can forbid it by one prefix
 * @param yielding whether another dialect of the listener that has the same path keeps it, so that
 *     this route then answers only under {@code /DIALECT}
 * @param serverWide whether it concerns the whole server, so that callers need all datasets
 * @param allSeries whether it concerns all series of a dataset, and no selector can limit it, so
 *     that callers must not be bound to some
 * @param further says when a request needs another right too, which its handler checks; empty if
 *     none does
 * @param needs finds out which other rights a request needs; null if none does, or if that depends
 *     on more than the request
 */
public record Route(
    String method,
    String path,
    Load load,
    Right right,
    boolean changesState,
    boolean oneSpelling,
    boolean yielding,
    boolean serverWide,
    boolean allSeries,
    String further,
    @Nullable Needs needs,
    HttpHandler handler) {
  /** Determines the rights that a request needs in addition to that of its route. */
  @FunctionalInterface
  public interface Needs {
    /** Returns the rights. Fails as the handler does if the request is invalid. */
    Set<Right> of(Exchange exchange) throws IOException;
  }

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
  public Route(String method, String path, Load load, Right right, HttpHandler handler) {
    this(
        method,
        path,
        load,
        right,
        load == Load.WRITE
            || ((load == Load.NONE || load == Load.OPERATIONS) && !method.equals("GET")),
        false,
        false,
        false,
        false,
        "",
        null,
        handler);
  }

  /** Returns the same route, marked as one that changes nothing. */
  public Route reading() {
    return with(false, oneSpelling, yielding, serverWide, handler);
  }

  /** Returns the same route, marked as one that changes something. */
  public Route changing() {
    return with(true, oneSpelling, yielding, serverWide, handler);
  }

  /** Returns the same route with another handler. */
  public Route handledBy(HttpHandler other) {
    return with(changesState, oneSpelling, yielding, serverWide, other);
  }

  /** Returns the same route with one spelling. */
  public Route inOneSpelling() {
    return with(changesState, true, yielding, serverWide, handler);
  }

  /** Returns the same route, marked as one that yields its path to other dialects. */
  public Route whereFree() {
    return with(changesState, oneSpelling, true, serverWide, handler);
  }

  /** Returns the same route, marked as one of the whole server. */
  public Route ofServer() {
    return with(changesState, oneSpelling, yielding, true, handler);
  }

  /** Returns the same route, marked as one of all series of a dataset. */
  public Route ofAllSeries() {
    return new Route(
        method,
        path,
        load,
        right,
        changesState,
        oneSpelling,
        yielding,
        serverWide,
        true,
        further,
        needs,
        handler);
  }

  /**
   * Returns the same route, which says when it needs another right too. Whether it does depends on
   * more than the request.
   */
  public Route asking(String when) {
    return asking(when, null);
  }

  /** Returns the same route, which says when it needs another right too, and finds that out. */
  public Route asking(String when, @Nullable Needs finds) {
    return new Route(
        method,
        path,
        load,
        right,
        changesState,
        oneSpelling,
        yielding,
        serverWide,
        allSeries,
        when,
        finds,
        handler);
  }

  private Route with(
      boolean changes, boolean one, boolean yields, boolean server, HttpHandler handles) {
    return new Route(
        method, path, load, right, changes, one, yields, server, allSeries, further, needs,
        handles);
  }

  public static Route get(String path, Load load, Right right, HttpHandler handler) {
    return new Route("GET", path, load, right, handler);
  }

  public static Route post(String path, Load load, Right right, HttpHandler handler) {
    return new Route("POST", path, load, right, handler);
  }
}
