package dev.varve.server.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts connections at a Unix socket that is already bound. */
final class LocalConnector extends ServerConnector implements RoutedConnector {
  private static final Logger LOG = LoggerFactory.getLogger(LocalConnector.class);

  private final ServerSocketChannel socket;
  private final Router router;

  LocalConnector(Server server, ServerSocketChannel socket, Router router, ConnectionFactory http) {
    super(server, 1, 1, http);
    this.socket = socket;
    this.router = router;
  }

  @Override
  public Router router() {
    return router;
  }

  @Override
  public boolean isOnLoopback() {
    return true;
  }

  /** Jetty's implementation would open a TCP port. */
  @Override
  public void open() throws IOException {
    socket.configureBlocking(true);
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public Object getTransport() {
    return socket;
  }

  @Override
  public void accept(int acceptor) throws IOException {
    SocketChannel channel = socket.accept();
    channel.configureBlocking(false);
    getSelectorManager().accept(channel);
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    WatchedEndPoint endPoint =
        new WatchedEndPoint(
            channel,
            selector,
            key,
            getScheduler(),
            OpenConnection.local(channel),
            connection -> {});
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }

  @Override
  public void close() {
    super.close();
    try {
      socket.close();
    } catch (IOException e) {
      LOG.warn("closing the Unix socket", e);
    }
  }
}
