package dev.varve.server.http;

/** Is told of every request that has been answered. Called by many threads. */
public interface RequestListener {
  /**
   * Takes note of a request.
   *
   * @param dialect empty where the path is nobody's
   * @param path of the route; empty where there is none
   */
  void answered(String dialect, String path, int status, long nanos, long bytesIn, long bytesOut);
}
