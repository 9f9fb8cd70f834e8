package dev.varve.server.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Accepts connections at a port, as far as the limits of connections allow. */
final class PortConnector extends ServerConnector implements RoutedConnector {
  /**
   * Maximum number of connections that wait in the kernel to be accepted; the kernel may allow
   * fewer.
   */
  private static final int BACKLOG = 1024;

  private final SocketServer.Port port;
  private final boolean onLoopback;
  private final Connections connections;
  private final Connections.Door door;

  /**
   * @param protocols of the connections; the first one reads the first byte
   * @param connections counts the connections of all ports
   */
  PortConnector(
      Server server,
      SocketServer.Port port,
      List<ConnectionFactory> protocols,
      Connections connections) {
    super(server, 1, 1, protocols.toArray(ConnectionFactory[]::new));
    Router router = port.router();
    this.port = port;
    this.onLoopback = port.onLoopback();
    this.connections = connections;
    this.door = connections.door(port.lines() != null, router != null && router.hasOperations());
    setAcceptQueueSize(BACKLOG);
    setHost(port.host());
    setPort(port.port());
  }

  @Override
  public Router router() {
    return Objects.requireNonNull(port.router());
  }

  @Override
  public boolean isOnLoopback() {
    return onLoopback;
  }

  @Override
  public void accept(int acceptor) throws IOException {
    if (getTransport() instanceof ServerSocketChannel listening && listening.isOpen()) {
      SocketChannel channel = listening.accept();
      OpenConnection connection = door.admit(channel);
      if (connection != null) {
        getSelectorManager().accept(channel, connection);
      }
    }
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    OpenConnection connection = (OpenConnection) key.attachment();
    WatchedEndPoint endPoint =
        new WatchedEndPoint(
            channel, selector, key, getScheduler(), connection, connections::remove);
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }
}
