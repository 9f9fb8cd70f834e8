package dev.varve.server.http;

/** Called after every answered request, by many threads. */
public interface RequestListener {
  /**
   * Records a request.
   *
   * @param dialect empty if the path belongs to none
   * @param path path of the route; empty if there is none
   */
  void answered(String dialect, String path, int status, long nanos, long bytesIn, long bytesOut);
}
