package dev.varve.server.http;

import dev.varve.query.running.Ticker;
import dev.varve.server.http.ConnectionFigures.Event;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests from Jetty, refuses those beyond the limits of connections, and passes the others
 * to the dispatcher, each on a virtual thread of its own. Safe for use by several threads.
 */
final class JettyHandler extends Handler.Abstract.NonBlocking {
  /** Time between two checks whether the client of a request is still connected. */
  private static final Duration BETWEEN_CHECKS = Duration.ofMillis(40);

  private final Dispatcher dispatcher;
  private final HttpLimits limits;
  private final Connections connections;
  private final ConnectionFigures figures;
  private final Ticker<JettyExchange> watch =
      new Ticker<>("varve-http-watch", BETWEEN_CHECKS, JettyExchange::check);
  private final OperationsLane operations = new OperationsLane();
  private final AtomicInteger inProgress = new AtomicInteger();

  JettyHandler(Dispatcher dispatcher, Connections connections, ConnectionFigures figures) {
    this.dispatcher = dispatcher;
    this.limits = dispatcher.limits();
    this.connections = connections;
    this.figures = figures;
  }

  /** Returns the number of requests whose answer is not complete. */
  int inProgress() {
    return inProgress.get();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    RoutedConnector connector = (RoutedConnector) request.getConnectionMetaData().getConnector();
    Router router = connector.router();
    OpenConnection connection =
        WatchedEndPoint.below(request.getConnectionMetaData().getConnection().getEndPoint())
            .connection();
    if (!connection.beginRequest()) {
      callback.failed(new EofException("the connection is being closed"));
      return true;
    }
    boolean isOperations = router.isOperations(request.getMethod(), JettyExchange.rawPath(request));
    InetAddress client = client(request, connection);
    Event exceeded = isOperations ? null : exceededLimit(connection, ClientAddress.of(client));
    if (exceeded != null) {
      connections.countRefusal(exceeded, ClientAddress.of(client));
      refuse(connection, response, callback, connections.reason(exceeded));
      return true;
    }
    inProgress.incrementAndGet();
    JettyExchange exchange =
        new JettyExchange(
            request,
            response,
            callback,
            watch,
            System.nanoTime() + limits.timeout().toNanos(),
            connector.isOnLoopback(),
            client,
            figures,
            isOperations ? operations : null,
            () -> end(connection, client, isOperations));
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

  private void end(OpenConnection connection, InetAddress client, boolean isOperations) {
    inProgress.decrementAndGet();
    if (!isOperations && connection.isProxy()) {
      connections.endForwarded(ClientAddress.of(client));
    }
    connection.endRequest();
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

  /** Answers a malformed request, which {@link #handle} never sees. */
  boolean answerMalformed(Request request, Response response, Callback callback) {
    dispatcher.answeredMalformed(response.getStatus());
    Object reason = request.getAttribute(ErrorHandler.ERROR_MESSAGE);
    String text = "this is no request that can be taken: " + (reason == null ? "" : reason) + "\n";
    response.getHeaders().put("Content-Type", "text/plain; charset=utf-8");
    Content.Sink.write(response, true, text, callback);
    return true;
  }

  /** Ends the threads that watch requests and serve operators. */
  void close() {
    watch.close();
    operations.close();
  }
}
