package dev.varve.server.http;

/** A connector of Jetty whose requests have routes of their own. */
interface RoutedConnector {
  /**
   * Returns the routes of its requests.
   *
   * @throws NullPointerException if the connector does not speak HTTP
   */
  Router router();

  /** Returns whether only clients on this machine can connect. */
  boolean isOnLoopback();
}
