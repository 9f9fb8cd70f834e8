package dev.varve.server.http;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets so many connections be open at once, on all ports together. */
final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private final int max;

  /** Those that are closed go when room is needed. */
  private final Set<SocketChannel> admitted = ConcurrentHashMap.newKeySet();

  private final byte[] refusal;

  Connections(int max) {
    this.max = max;
    String text = "%d connections are open, which is all that this server takes\n".formatted(max);
    // In HTTP, as it is not known yet what the client speaks; who reads lines can read it too.
    this.refusal =
        ("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: "
                + text.length()
                + "\r\n\r\n"
                + text)
            .getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether a connection may stay, and is set up; one that may not is told why, and closed.
   *
   * @throws IOException if it cannot be set up; it is closed then
   */
  boolean admit(SocketChannel channel) throws IOException {
    if (admitted.size() >= max) {
      admitted.removeIf(other -> !other.isOpen());
    }
    if (admitted.size() < max) {
      admitted.add(channel);
      setUp(channel);
      return true;
    }
    try (channel) {
      channel.configureBlocking(false);
      channel.write(ByteBuffer.wrap(refusal));
      channel.shutdownOutput();
    } catch (IOException e) {
      LOG.debug("a connection that was one too many could not be told so", e);
    }
    return false;
  }

  private static void setUp(SocketChannel channel) throws IOException {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  int open() {
    return (int) admitted.stream().filter(SocketChannel::isOpen).count();
  }
}
