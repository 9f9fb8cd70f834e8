package dev.varve.acceptance;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A raw connection from a chosen address. The JDK's client chooses its own address and cannot send
 * slow or malformed requests. Calls block, so this is for virtual threads.
 */
final class RawConnection implements AutoCloseable {
  private static final int CONNECT_MS = 5_000;
  private static final int HEAD_MAX = 32 << 10;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /**
   * An answer.
   *
   * @param head status line and headers
   */
  record Answer(int status, String head, String body) {
    /** Returns the value of a header; empty if it is absent. */
    String header(String name) {
      String wanted = name.toLowerCase(Locale.ROOT) + ":";
      return head.lines()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(wanted))
          .map(line -> line.substring(wanted.length()).strip())
          .findFirst()
          .orElse("");
    }
  }

  private RawConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), 1 << 10);
    this.out = socket.getOutputStream();
  }

  /**
   * Connects.
   *
   * @param from local address, which the server sees
   * @param silence timeout of reads in ms
   */
  static RawConnection open(String from, int port, int silence) throws IOException {
    return open(from, port, silence, 0);
  }

  /**
   * Connects with a receive buffer of this many bytes; 0 leaves the size to the kernel. With a
   * small one, unread data soon waits in the server.
   */
  static RawConnection open(String from, int port, int silence, int receiveBuffer)
      throws IOException {
    Socket socket = new Socket();
    try {
      if (receiveBuffer > 0) {
        socket.setReceiveBufferSize(receiveBuffer);
      }
      socket.setTcpNoDelay(true);
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
      socket.setSoTimeout(silence);
      return new RawConnection(socket);
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  void send(byte[] bytes, int from, int length) throws IOException {
    out.write(bytes, from, length);
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Closes the sending half. */
  void endSending() throws IOException {
    socket.shutdownOutput();
  }

  /** Makes {@link #close} reset the connection. */
  void resetOnClose() throws IOException {
    socket.setSoLinger(true, 0);
  }

  /** Reads the next byte; -1 if the server has closed the connection. */
  int read() throws IOException {
    return in.read();
  }

  /**
   * Reads the head of an answer and skips its body up to the end of the connection.
   *
   * @return its status
   * @throws EOFException if the server closed the connection without an answer
   */
  int status() throws IOException {
    int status = statusOf(head());
    in.transferTo(OutputStream.nullOutputStream());
    return status;
  }

  /** Reads an answer up to the end of the connection. */
  Answer answer() throws IOException {
    String head = head();
    return new Answer(statusOf(head), head, rest());
  }

  /**
   * Waits until the server closes the connection or is silent for this many ms. Skips received
   * bytes.
   */
  boolean isClosedByServer(int silence) throws IOException {
    socket.setSoTimeout(silence);
    try {
      in.transferTo(OutputStream.nullOutputStream());
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }

  /** Returns what the server still sends until it closes the connection. */
  String rest() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  private String head() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    for (int last = 0; last != 0x0d0a0d0a; ) {
      int next = in.read();
      if (next < 0 || head.size() > HEAD_MAX) {
        throw new EOFException("no answer, but " + head.toString(StandardCharsets.ISO_8859_1));
      }
      head.write(next);
      last = last << 8 | next;
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static int statusOf(String head) throws IOException {
    if (!head.startsWith("HTTP/1.1 ")) {
      throw new IOException("no HTTP: " + head);
    }
    return Integer.parseInt(head.substring(9, 12));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
