package dev.varve.devstores;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy to a server, within this process. It can cut connections and drop the server's
 * answers.
 */
public final class Wire implements AutoCloseable {
  private final int serverPort;
  private final int port;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean losesAnswers;
  private @Nullable ServerSocket listener;

  /** Opens a proxy to a port of 127.0.0.1. */
  public Wire(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.port = listen(0);
  }

  /** Returns the proxy's port on 127.0.0.1. */
  public int port() {
    return port;
  }

  private synchronized int listen(int on) throws IOException {
    ServerSocket opened = new ServerSocket(on, 50, InetAddress.getLoopbackAddress());
    listener = opened;
    Thread.ofVirtual().start(() -> accept(opened));
    return opened.getLocalPort();
  }

  private void accept(ServerSocket from) {
    try {
      while (true) {
        Socket client = from.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        sockets.add(client);
        sockets.add(server);
        Thread.ofVirtual().start(() -> carry(client, server, false));
        Thread.ofVirtual().start(() -> carry(server, client, true));
      }
    } catch (IOException e) {
      close(from);
    }
  }

  private void carry(Socket from, Socket to, boolean answers) {
    byte[] bytes = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
        if (!(answers && losesAnswers)) {
          out.write(bytes, 0, length);
          out.flush();
        }
      }
    } catch (IOException e) {
      // If one side closes, the other is closed, too.
    } finally {
      close(from);
      close(to);
    }
  }

  /** Delivers requests and drops answers, until {@link #cut()}. */
  public void loseAnswers() {
    losesAnswers = true;
  }

  /** Closes all connections and accepts no new ones. */
  public synchronized void cut() {
    ServerSocket open = listener;
    if (open != null) {
      close(open);
    }
    sockets.forEach(Wire::close);
    sockets.clear();
    losesAnswers = false;
  }

  /** Accepts connections again. */
  public void mend() throws IOException {
    listen(port);
  }

  private static void close(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  @Override
  public void close() {
    cut();
  }
}
