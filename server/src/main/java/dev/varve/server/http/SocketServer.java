package dev.varve.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * Listens on ports and hands what comes to a dispatcher, each request on a virtual thread of its
 * own. On one port the first byte of a connection decides: an upper-case letter begins the method
 * of an HTTP request, anything else a line protocol, as OpenTSDB has it.
 */
public final class SocketServer implements AutoCloseable {
  /**
   * A port.
   *
   * @param port 0 for any that is free
   * @param router null where nothing speaks HTTP, whatever the first byte
   * @param lines what a connection that is not HTTP speaks; null where it is refused
   */
  public record Port(
      String host, int port, @Nullable Router router, @Nullable StreamProtocol lines) {}

  /**
   * What connections may take that speak lines.
   *
   * @param connections open at once; each may hold a few megabytes
   * @param idle how long one may be silent: lines come in bursts, agents send once an interval
   */
  record LineLimits(int connections, Duration idle) {
    static final LineLimits DEFAULTS = new LineLimits(1_000, Duration.ofMinutes(15));
  }

  private static final Complaints FULL = new Complaints("line protocols");

  private final Dispatcher dispatcher;
  private final HttpLimits limits;
  private final LineLimits lineLimits;
  private final Server jetty;
  private final Watch watch = new Watch();
  private final List<ServerConnector> connectors = new ArrayList<>();
  private final Set<LineConnection> lineConnections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger requests = new AtomicInteger();
  private final Connections connections;

  private SocketServer(Dispatcher dispatcher, LineLimits lineLimits) {
    this.dispatcher = dispatcher;
    this.lineLimits = lineLimits;
    this.limits = dispatcher.limits();
    this.connections = new Connections(limits.connections());
    // These threads only move bytes; whatever may block runs on virtual ones.
    QueuedThreadPool threads = new QueuedThreadPool(16, 4);
    threads.setName("varve-http");
    threads.setDaemon(true);
    this.jetty = new Server(threads);
    jetty.setStopTimeout(0);
    jetty.setErrorHandler(SocketServer::answerMalformed);
  }

  /**
   * Opens all ports.
   *
   * @throws IOException if one cannot be opened; none is open then
   */
  public static SocketServer start(List<Port> ports, Dispatcher dispatcher) throws IOException {
    return start(ports, dispatcher, LineLimits.DEFAULTS);
  }

  static SocketServer start(List<Port> ports, Dispatcher dispatcher, LineLimits lineLimits)
      throws IOException {
    SocketServer server = new SocketServer(dispatcher, lineLimits);
    try {
      for (Port port : ports) {
        server.listen(port);
      }
      server.jetty.setHandler(server.new Requests(ports));
      server.jetty.start();
      return server;
    } catch (Exception e) {
      server.stopJetty();
      throw e instanceof IOException io ? io : new IOException(e.getMessage(), e);
    }
  }

  /** The port that each listener really has, in the order in which they were given. */
  public List<Integer> ports() {
    return connectors.stream().map(ServerConnector::getLocalPort).toList();
  }

  /** How many connections speak lines right now. */
  public int lineConnections() {
    return lineConnections.size();
  }

  /** How many connections are open, on all ports. */
  public int openConnections() {
    return connections.open();
  }

  /** Answers what is no request, and so comes to no handler. */
  private static boolean answerMalformed(Request request, Response response, Callback callback) {
    Object reason = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
    String text = "this is no request that can be taken: " + (reason == null ? "" : reason) + "\n";
    response.getHeaders().put("Content-Type", "text/plain; charset=utf-8");
    Content.Sink.write(response, true, text, callback);
    return true;
  }

  private void listen(Port port) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(16 << 10);
    http.setHttpCompliance(HttpCompliance.RFC7230);
    HttpConnectionFactory httpConnections = new HttpConnectionFactory(http);
    StreamProtocol lines = port.lines();
    List<ConnectionFactory> factories = new ArrayList<>();
    if (lines != null) {
      Lines factory = new Lines(lines);
      factories.add(port.router() == null ? factory : new DetectorConnectionFactory(factory));
    }
    if (port.router() != null) {
      factories.add(httpConnections);
    }
    ServerConnector connector =
        new ServerConnector(jetty, 1, 1, factories.toArray(ConnectionFactory[]::new)) {
          @Override
          protected SocketChannelEndPoint newEndPoint(
              SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            WatchedEndPoint endPoint = new WatchedEndPoint(channel, selector, key, getScheduler());
            endPoint.setIdleTimeout(getIdleTimeout());
            return endPoint;
          }

          @Override
          public void accept(int acceptor) throws IOException {
            if (getTransport() instanceof ServerSocketChannel listening && listening.isOpen()) {
              SocketChannel channel = listening.accept();
              if (connections.admit(channel)) {
                getSelectorManager().accept(channel);
              }
            }
          }
        };
    connector.setHost(port.host());
    connector.setPort(port.port());
    connector.setIdleTimeout(limits.idle().toMillis());
    connectors.add(connector);
    jetty.addConnector(connector);
  }

  /**
   * Takes no more connections, lets requests under way end, for a while, then closes everything.
   * Closing twice is allowed.
   */
  @Override
  public void close() {
    dispatcher.drain();
    for (ServerConnector connector : connectors) {
      connector.close();
    }
    lineConnections.forEach(LineConnection::stop);
    long end = System.nanoTime() + limits.drain().toNanos();
    while ((requests.get() > 0 || !lineConnections.isEmpty()) && System.nanoTime() < end) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    stopJetty();
  }

  private void stopJetty() {
    try {
      jetty.stop();
    } catch (Exception e) {
      org.slf4j.LoggerFactory.getLogger(SocketServer.class).warn("stopping the listeners", e);
    } finally {
      watch.close();
    }
  }

  private final class Requests extends Handler.Abstract.NonBlocking {
    private final List<Port> ports;

    private Requests(List<Port> ports) {
      this.ports = ports;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      Router router =
          Objects.requireNonNull(
              ports
                  .get(connectors.indexOf(request.getConnectionMetaData().getConnector()))
                  .router());
      long deadline = System.nanoTime() + limits.timeout().toNanos();
      JettyExchange exchange = new JettyExchange(request, response, callback, watch, deadline);
      requests.incrementAndGet();
      Thread.ofVirtual()
          .name("varve-request")
          .start(() -> {
            try {
              dispatcher.dispatch(exchange, router);
            } finally {
              exchange.complete(null);
              requests.decrementAndGet();
            }
          });
      return true;
    }
  }

  /** A sender that is told nothing comes again later. */
  private void turnAway(InputStream in, OutputStream out) {
    FULL.add(
        1,
        "a connection is closed: %,d are open, as many as may be"
            .formatted(lineLimits.connections()));
  }

  /** Tells lines from HTTP by their first byte. */
  private final class Lines extends AbstractConnectionFactory
      implements ConnectionFactory.Detecting {
    private final StreamProtocol protocol;

    private Lines(StreamProtocol protocol) {
      super("lines");
      this.protocol = protocol;
    }

    @Override
    public Detection detect(ByteBuffer buffer) {
      if (!buffer.hasRemaining()) {
        return Detection.NEED_MORE_BYTES;
      }
      byte first = buffer.get(buffer.position());
      return first >= 'A' && first <= 'Z' ? Detection.NOT_RECOGNIZED : Detection.RECOGNIZED;
    }

    /** Several may come at once, of which each has to see those before it. */
    private LineConnection opened(Connector connector, EndPoint endPoint) {
      synchronized (lineConnections) {
        boolean full = lineConnections.size() >= lineLimits.connections();
        LineConnection connection =
            new LineConnection(
                endPoint,
                connector.getExecutor(),
                full ? SocketServer.this::turnAway : protocol,
                lineLimits.idle().toMillis());
        lineConnections.add(connection);
        return connection;
      }
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
      LineConnection connection = opened(connector, endPoint);
      connection.addEventListener(
          new Connection.Listener() {
            @Override
            public void onClosed(Connection closed) {
              lineConnections.remove(connection);
            }
          });
      return configure(connection, connector, endPoint);
    }
  }
}
