package dev.varve.server.http;

import dev.varve.server.http.ConnectionFigures.Event;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.jspecify.annotations.Nullable;

/** The open line connections of all ports, and their numbers by client. Thread-safe. */
final class LineConnections {
  private final Connections connections;
  private final ConnectionLimits limits;
  private final WriteBudget budget;
  private final ConnectionFigures figures;

  /** Guarded by this, like the field below. */
  private final Set<LineConnection> open = new HashSet<>();

  /** Number of line connections of each client, at least 1. */
  private final Map<ClientAddress, Integer> openOf = new HashMap<>();

  /**
   * @param connections counts the refusals
   * @param budget for received bytes
   */
  LineConnections(
      Connections connections,
      ConnectionLimits limits,
      WriteBudget budget,
      ConnectionFigures figures) {
    this.connections = connections;
    this.limits = limits;
    this.budget = budget;
    this.figures = figures;
  }

  /**
   * Opens a line connection. The limits are checked and the connection is counted under one lock,
   * so that two connections cannot take the last place. A connection beyond the limit is closed
   * without an answer: senders reconnect, and few of them read.
   */
  synchronized LineConnection open(
      Connector connector, EndPoint endPoint, StreamProtocol protocol, Guard.Lines guard) {
    OpenConnection carrier = WatchedEndPoint.below(endPoint).connection();
    carrier.beginLines();
    Event exceeded = exceededLimit(carrier);
    LineConnection connection =
        new LineConnection(
            endPoint,
            connector.getExecutor(),
            exceeded == null
                ? protocol
                : (sender, in, out, memory) -> connections.countRefusal(exceeded, carrier.client()),
            exceeded == null ? guard : Guard.Lines.NONE,
            budget,
            carrier.client(),
            figures,
            limits.linesIdle().toMillis());
    open.add(connection);
    openOf.merge(carrier.client(), 1, Integer::sum);
    return connection;
  }

  /** Returns the limit that a connection exceeds; null if there is room. */
  private @Nullable Event exceededLimit(OpenConnection carrier) {
    if (open.size() >= limits.lines()) {
      return Event.REFUSED_LINES;
    }
    int own = openOf.getOrDefault(carrier.client(), 0);
    return !carrier.isProxy() && own >= limits.linesPerClient()
        ? Event.REFUSED_LINES_PER_CLIENT
        : carrier.reservedFor();
  }

  synchronized void remove(LineConnection connection) {
    if (open.remove(connection)) {
      openOf.computeIfPresent(connection.client(), (_, count) -> count == 1 ? null : count - 1);
    }
  }

  /** Returns the number of open line connections. */
  synchronized int size() {
    return open.size();
  }

  /** Asks all connections to process what they have received and to end. */
  void stop() {
    List<LineConnection> all;
    synchronized (this) {
      all = List.copyOf(open);
    }
    all.forEach(LineConnection::stop);
  }
}
