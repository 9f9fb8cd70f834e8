package dev.varve.server.http;

import dev.varve.query.running.Ticker;
import dev.varve.server.http.ConnectionFigures.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on ports and passes requests to a dispatcher, each on a virtual thread of its own. The
 * first byte of a connection decides its protocol, as in OpenTSDB: an upper-case letter begins an
 * HTTP request, anything else a line protocol.
 */
public final class SocketServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);

  /**
   * A port.
   *
   * @param port 0 for any free port
   * @param router routes of HTTP requests; null if the port does not speak HTTP
   * @param lines protocol of connections that are not HTTP; null to refuse them
   * @param guard decides who sends on those connections
   */
  public record Port(
      String host,
      int port,
      @Nullable Router router,
      @Nullable StreamProtocol lines,
      Guard.Lines guard) {
    /** Creates a port that serves all connections. */
    public Port(String host, int port, @Nullable Router router, @Nullable StreamProtocol lines) {
      this(host, port, router, lines, Guard.Lines.NONE);
    }

    private boolean onLoopback() {
      InetAddress address = new InetSocketAddress(host, port).getAddress();
      return address != null && address.isLoopbackAddress();
    }
  }

  /** Time between two checks whether the client of a request is still connected. */
  private static final Duration BETWEEN_CHECKS = Duration.ofMillis(40);

  /** Number of threads that all ports share. */
  private static final int MOVING_THREADS = 12;

  /** Threads of each port and of the Unix socket: one accepts, one selects. */
  private static final int PORT_THREADS = 2;

  /**
   * Maximum number of connections that wait in the kernel to be accepted; the kernel may allow
   * fewer.
   */
  private static final int BACKLOG = 1024;

  /**
   * Accepts every path as it was sent, because the router matches it before decoding. Everything
   * else of a URI is checked strictly.
   */
  private static final UriCompliance PATHS_AS_SENT =
      UriCompliance.DEFAULT.with(
          "paths as sent",
          Violation.AMBIGUOUS_PATH_SEGMENT,
          Violation.AMBIGUOUS_EMPTY_SEGMENT,
          Violation.AMBIGUOUS_PATH_SEPARATOR,
          Violation.AMBIGUOUS_PATH_PARAMETER,
          Violation.AMBIGUOUS_PATH_ENCODING,
          Violation.SUSPICIOUS_PATH_CHARACTERS,
          Violation.ILLEGAL_PATH_CHARACTERS);

  private final Dispatcher dispatcher;
  private final HttpLimits limits;
  private final Server jetty;
  private final Ticker<JettyExchange> watch =
      new Ticker<>("varve-http-watch", BETWEEN_CHECKS, JettyExchange::check);
  private final @Nullable ServerTls tls;
  private final List<ServerConnector> connectors = new ArrayList<>();
  private final Set<LineConnection> lineConnections = ConcurrentHashMap.newKeySet();

  /** Number of line connections of each client, at least 1. Guarded by {@link #lineConnections}. */
  private final Map<ClientAddress, Integer> linesOf = new HashMap<>();

  private final AtomicInteger requests = new AtomicInteger();
  private final ConnectionFigures figures = new ConnectionFigures();
  private final OperationsLane operations = new OperationsLane();
  private final CarrierThreads carriers = new CarrierThreads();
  private final Connections connections;
  private @Nullable LocalConnector local;

  private SocketServer(Dispatcher dispatcher, int ports, @Nullable Supplier<TlsTerms> terms) {
    this.dispatcher = dispatcher;
    this.tls = terms == null ? null : new ServerTls(terms);
    this.limits = dispatcher.limits();
    this.connections = new Connections(limits.connections(), figures, terms == null);
    // These threads only move bytes; blocking work runs on others. All of them start now, because a
    // thread that is started by a heavy thread would inherit its priority.
    int count = MOVING_THREADS + PORT_THREADS * (ports + 1);
    QueuedThreadPool threads = new QueuedThreadPool(count, count);
    threads.setName("varve-http");
    threads.setDaemon(true);
    this.jetty = new Server(threads);
    jetty.setStopTimeout(0);
    jetty.setErrorHandler(this::answerMalformed);
  }

  /** Opens all ports, without encryption. */
  public static SocketServer start(List<Port> ports, Dispatcher dispatcher) throws IOException {
    return start(ports, dispatcher, null);
  }

  /**
   * Opens all ports.
   *
   * @param tls supplies the terms of each new connection, which is then encrypted; null for ports
   *     without encryption
   * @throws IOException if one cannot be opened, in which case none is open
   */
  public static SocketServer start(
      List<Port> ports, Dispatcher dispatcher, @Nullable Supplier<TlsTerms> tls)
      throws IOException {
    SocketServer server = new SocketServer(dispatcher, ports.size(), tls);
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

  /**
   * Also listens at a Unix socket, for local commands. Its connections do not count against the
   * limits.
   *
   * @param socket bound; closed with the ports
   */
  public void listenLocally(ServerSocketChannel socket, Router router) throws IOException {
    LocalConnector connector =
        new LocalConnector(jetty, socket, router, new HttpConnectionFactory(httpConfiguration()));
    connector.setIdleTimeout(limits.connections().idle().toMillis());
    try {
      connector.start();
    } catch (Exception e) {
      connector.close();
      throw e instanceof IOException io ? io : new IOException(e.getMessage(), e);
    }
    local = connector;
  }

  /** Returns the actual port of each listener, in the given order. */
  public List<Integer> ports() {
    return connectors.stream().map(ServerConnector::getLocalPort).toList();
  }

  /** Returns the number of connections with a line protocol. */
  public int lineConnections() {
    return lineConnections.size();
  }

  /** Returns the number of open connections on all ports. */
  public int openConnections() {
    return connections.open();
  }

  /** Returns the number of connections in the reserves. */
  public int reservedConnections() {
    return connections.reserved();
  }

  /** Returns the counts of refused and closed connections, by metric. */
  public Map<String, Double> figures() {
    return figures.all();
  }

  /** Answers a malformed request, which reaches no handler. */
  private boolean answerMalformed(Request request, Response response, Callback callback) {
    dispatcher.answeredMalformed(response.getStatus());
    Object reason = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
    String text = "this is no request that can be taken: " + (reason == null ? "" : reason) + "\n";
    response.getHeaders().put("Content-Type", "text/plain; charset=utf-8");
    Content.Sink.write(response, true, text, callback);
    return true;
  }

  private static HttpConfiguration httpConfiguration() {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(false);
    http.setRequestHeaderSize(16 << 10);
    http.setHttpCompliance(HttpCompliance.RFC7230);
    http.setUriCompliance(PATHS_AS_SENT);
    return http;
  }

  private void listen(Port port) {
    HttpConnectionFactory httpConnections = new HttpConnectionFactory(httpConfiguration());
    StreamProtocol lines = port.lines();
    List<ConnectionFactory> factories = new ArrayList<>();
    if (lines != null) {
      Lines factory = new Lines(lines, port.guard());
      factories.add(port.router() == null ? factory : new DetectorConnectionFactory(factory));
    }
    if (port.router() != null) {
      factories.add(httpConnections);
    }
    if (tls != null) {
      SslConnectionFactory encrypting =
          new SslConnectionFactory(tls, factories.getFirst().getProtocol());
      // It would refuse a Host that is not in the certificate, which is for the client to judge.
      encrypting.setEnsureSecureRequestCustomizer(false);
      factories.addFirst(encrypting);
    }
    Router router = port.router();
    Connections.Door door =
        connections.door(lines != null, router != null && router.hasOperations());
    ServerConnector connector =
        new ServerConnector(jetty, 1, 1, factories.toArray(ConnectionFactory[]::new)) {
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
        };
    connector.setAcceptQueueSize(BACKLOG);
    connector.setHost(port.host());
    connector.setPort(port.port());
    connector.setIdleTimeout(limits.connections().idle().toMillis());
    connectors.add(connector);
    jetty.addConnector(connector);
  }

  /**
   * Accepts no more connections, waits a while for requests in progress, then closes everything.
   * Idempotent.
   */
  @Override
  public void close() {
    dispatcher.drain();
    for (ServerConnector connector : connectors) {
      connector.close();
    }
    if (local != null) {
      local.close();
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
    if (local != null) {
      stop(local);
    }
    stop(jetty);
    watch.close();
    connections.close();
    operations.close();
    carriers.close();
  }

  /** Stops a part. A failure must not keep the other parts open. */
  private static void stop(LifeCycle part) {
    try {
      part.stop();
    } catch (Exception e) {
      LOG.warn("stopping the listeners", e);
    }
  }

  private final class Requests extends Handler.Abstract.NonBlocking {
    private final List<Port> ports;
    private final List<Boolean> onLoopback;

    private Requests(List<Port> ports) {
      this.ports = ports;
      this.onLoopback = ports.stream().map(Port::onLoopback).toList();
    }

    private Router router(Connector connector) {
      return connector instanceof LocalConnector here
          ? here.router()
          : Objects.requireNonNull(ports.get(connectors.indexOf(connector)).router());
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      ConnectionMetaData from = request.getConnectionMetaData();
      Router router = router(from.getConnector());
      OpenConnection connection =
          WatchedEndPoint.below(from.getConnection().getEndPoint()).connection();
      if (!connection.beginRequest()) {
        callback.failed(new EofException("the connection is being closed"));
        return true;
      }
      boolean isOperations =
          router.isOperations(request.getMethod(), JettyExchange.rawPath(request));
      InetAddress client = client(request, connection);
      Event exceeded = isOperations ? null : exceededLimit(connection, ClientAddress.of(client));
      if (exceeded != null) {
        connections.countRefusal(exceeded, ClientAddress.of(client));
        refuse(connection, response, callback, connections.reason(exceeded));
        return true;
      }
      requests.incrementAndGet();
      Runnable onEnd =
          () -> {
            requests.decrementAndGet();
            if (!isOperations && connection.isProxy()) {
              connections.endForwarded(ClientAddress.of(client));
            }
            connection.endRequest();
          };
      JettyExchange exchange =
          new JettyExchange(
              request,
              response,
              callback,
              watch,
              System.nanoTime() + limits.timeout().toNanos(),
              isOnLoopback(from.getConnector()),
              client,
              figures,
              isOperations ? operations : null,
              onEnd);
      Runnable work =
          () -> {
            try {
              dispatcher.dispatch(exchange, router);
            } finally {
              exchange.complete(null);
            }
          };
      if (isOperations) {
        operations.run(exchange, work);
      } else {
        Thread.ofVirtual().name("varve-request").start(work);
      }
      return true;
    }

    /** Returns the limit that a request exceeds; null if it has begun. */
    private @Nullable Event exceededLimit(OpenConnection connection, ClientAddress client) {
      Event reserved = connection.reservedFor();
      if (reserved != null || !connection.isProxy()) {
        return reserved;
      }
      return connections.beginForwarded(client) ? null : Event.REFUSED_FORWARDED;
    }

    private InetAddress client(Request request, OpenConnection connection) {
      InetAddress peer = connection.peer();
      return connection.isProxy()
          ? limits
              .connections()
              .proxies()
              .client(peer, request.getHeaders().getValuesList("X-Forwarded-For"))
          : peer;
    }

    private boolean isOnLoopback(Connector connector) {
      return connector instanceof LocalConnector || onLoopback.get(connectors.indexOf(connector));
    }
  }

  /** Answers without a thread, then closes the connection. */
  private static void refuse(
      OpenConnection connection, Response response, Callback callback, String reason) {
    response.setStatus(503);
    response.getHeaders().put("Connection", "close");
    response.getHeaders().put("Retry-After", "5");
    response.getHeaders().put("Content-Type", "text/plain; charset=utf-8");
    connection.endRequest();
    Content.Sink.write(response, true, reason + "\n", callback);
  }

  /** Distinguishes line protocols from HTTP by the first byte. */
  private final class Lines extends AbstractConnectionFactory
      implements ConnectionFactory.Detecting {
    private final StreamProtocol protocol;
    private final Guard.Lines guard;

    private Lines(StreamProtocol protocol, Guard.Lines guard) {
      super("lines");
      this.protocol = protocol;
      this.guard = guard;
    }

    @Override
    public Detection detect(ByteBuffer buffer) {
      if (!buffer.hasRemaining()) {
        return Detection.NEED_MORE_BYTES;
      }
      byte first = buffer.get(buffer.position());
      return first >= 'A' && first <= 'Z' ? Detection.NOT_RECOGNIZED : Detection.RECOGNIZED;
    }

    /**
     * Opens a line connection. The limits are checked and the connection is counted under one lock,
     * so that two connections cannot take the last one. A connection beyond the limit is closed
     * without an answer: senders reconnect, and few of them read.
     */
    private LineConnection opened(Connector connector, EndPoint endPoint) {
      OpenConnection open = WatchedEndPoint.below(endPoint).connection();
      open.beginLines();
      synchronized (lineConnections) {
        Event exceeded = exceededLimit(open);
        LineConnection connection =
            new LineConnection(
                endPoint,
                connector.getExecutor(),
                exceeded == null
                    ? protocol
                    : (sender, in, out, memory) ->
                        connections.countRefusal(exceeded, open.client()),
                exceeded == null ? guard : Guard.Lines.NONE,
                dispatcher.budget(),
                open.client(),
                figures,
                limits.connections().linesIdle().toMillis());
        lineConnections.add(connection);
        linesOf.merge(open.client(), 1, Integer::sum);
        return connection;
      }
    }

    /** Returns the limit that a connection exceeds; null if there is room. */
    private @Nullable Event exceededLimit(OpenConnection open) {
      if (lineConnections.size() >= limits.connections().lines()) {
        return Event.REFUSED_LINES;
      }
      int own = linesOf.getOrDefault(open.client(), 0);
      return !open.isProxy() && own >= limits.connections().linesPerClient()
          ? Event.REFUSED_LINES_PER_CLIENT
          : open.reservedFor();
    }

    private void closed(LineConnection connection) {
      synchronized (lineConnections) {
        if (lineConnections.remove(connection)) {
          linesOf.computeIfPresent(
              connection.client(), (client, count) -> count == 1 ? null : count - 1);
        }
      }
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
      LineConnection connection = opened(connector, endPoint);
      connection.addEventListener(
          new Connection.Listener() {
            @Override
            public void onClosed(Connection closed) {
              closed(connection);
            }
          });
      return configure(connection, connector, endPoint);
    }
  }
}
