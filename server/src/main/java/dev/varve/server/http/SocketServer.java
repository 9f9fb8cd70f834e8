package dev.varve.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
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
   * @param guard identifies the senders on those connections
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

    /** Returns whether only clients on this machine can connect. */
    boolean onLoopback() {
      InetAddress address = new InetSocketAddress(host, port).getAddress();
      return address != null && address.isLoopbackAddress();
    }
  }

  /** Number of threads that all ports share. */
  private static final int MOVING_THREADS = 12;

  /** Threads of each port and of the Unix socket: one accepts, one selects. */
  private static final int PORT_THREADS = 2;

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
  private final @Nullable ServerTls tls;
  private final List<PortConnector> connectors = new ArrayList<>();
  private final ConnectionFigures figures = new ConnectionFigures();
  private final CarrierThreads carriers = new CarrierThreads();
  private final Connections connections;
  private final LineConnections lineConnections;
  private final JettyHandler requests;
  private @Nullable LocalConnector local;

  private SocketServer(Dispatcher dispatcher, int ports, @Nullable Supplier<TlsTerms> terms) {
    this.dispatcher = dispatcher;
    this.tls = terms == null ? null : new ServerTls(terms);
    this.limits = dispatcher.limits();
    this.connections = new Connections(limits.connections(), figures, terms == null);
    this.lineConnections =
        new LineConnections(connections, limits.connections(), dispatcher.budget(), figures);
    this.requests = new JettyHandler(dispatcher, connections, figures);
    // These threads only move bytes; blocking work runs on others. All of them start now, because a
    // thread that is started by a heavy thread would inherit its priority.
    int count = MOVING_THREADS + PORT_THREADS * (ports + 1);
    QueuedThreadPool threads = new QueuedThreadPool(count, count);
    threads.setName("varve-http");
    threads.setDaemon(true);
    this.jetty = new Server(threads);
    jetty.setStopTimeout(0);
    jetty.setHandler(requests);
    jetty.setErrorHandler(requests::answerMalformed);
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
    PortConnector connector = new PortConnector(jetty, port, protocols(port), connections);
    connector.setIdleTimeout(limits.connections().idle().toMillis());
    connectors.add(connector);
    jetty.addConnector(connector);
  }

  /** Returns the protocols of a port; the first one reads the first byte. */
  private List<ConnectionFactory> protocols(Port port) {
    List<ConnectionFactory> protocols = new ArrayList<>();
    StreamProtocol lines = port.lines();
    if (lines != null) {
      LineFactory factory = new LineFactory(lineConnections, lines, port.guard());
      protocols.add(port.router() == null ? factory : new DetectorConnectionFactory(factory));
    }
    if (port.router() != null) {
      protocols.add(new HttpConnectionFactory(httpConfiguration()));
    }
    if (tls != null) {
      SslConnectionFactory encrypting =
          new SslConnectionFactory(tls, protocols.getFirst().getProtocol());
      // It would refuse a Host that is not in the certificate, which is for the client to judge.
      encrypting.setEnsureSecureRequestCustomizer(false);
      protocols.addFirst(encrypting);
    }
    return protocols;
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
    lineConnections.stop();
    long end = System.nanoTime() + limits.drain().toNanos();
    while ((requests.inProgress() > 0 || lineConnections.size() > 0) && System.nanoTime() < end) {
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
    requests.close();
    connections.close();
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
}
