package dev.varve.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;

/** Creates the line connections of a port, and distinguishes them from HTTP by the first byte. */
final class LineFactory extends AbstractConnectionFactory implements ConnectionFactory.Detecting {
  private final LineConnections connections;
  private final StreamProtocol protocol;
  private final Guard.Lines guard;

  LineFactory(LineConnections connections, StreamProtocol protocol, Guard.Lines guard) {
    super("lines");
    this.connections = connections;
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

  @Override
  public Connection newConnection(Connector connector, EndPoint endPoint) {
    LineConnection connection = connections.open(connector, endPoint, protocol, guard);
    connection.addEventListener(
        new Connection.Listener() {
          @Override
          public void onClosed(Connection closed) {
            connections.remove(connection);
          }
        });
    return configure(connection, connector, endPoint);
  }
}
