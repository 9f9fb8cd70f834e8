package dev.varve.bench.compare;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A connection that stays open, in HTTP/1.1 and plain blocking calls: a client that takes as little
 * of the machine from the server as it can.
 */
public final class Connection implements AutoCloseable {
  private final Socket socket;
  private final BufferedInputStream in;
  private final OutputStream out;
  private byte[] answer = new byte[1 << 16];
  private int length;
  private double retryAfter;

  public Connection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    out = socket.getOutputStream();
  }

  /**
   * Sends a GET and returns its short answer.
   *
   * @throws IOException if the status is not 2xx
   */
  public static String get(int port, String target) throws IOException {
    try (Connection connection = new Connection(port)) {
      int status = connection.send("GET", target, "", new byte[0], 0);
      String text = connection.text();
      if (status / 100 != 2) {
        throw new IOException("%s answered %d: %s".formatted(target, status, text));
      }
      return text;
    }
  }

  /**
   * Sends a request and reads the answer.
   *
   * @param headers lines that end with CR LF
   * @return status of the answer, whose body stays valid until the next request
   */
  public int send(String method, String target, String headers, byte[] body, int size)
      throws IOException {
    String head =
        method
            + " "
            + target
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + headers
            + "Content-Length: "
            + size
            + "\r\n\r\n";
    byte[] start = head.getBytes(StandardCharsets.ISO_8859_1);
    byte[] first = Arrays.copyOf(start, start.length + Math.min(size, 1 << 16));
    int together = first.length - start.length;
    System.arraycopy(body, 0, first, start.length, together);
    out.write(first);
    out.write(body, together, size - together);
    return read();
  }

  private int read() throws IOException {
    String status = line();
    long announced = -1;
    boolean chunked = false;
    retryAfter = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      int colon = header.indexOf(':');
      String name = header.substring(0, colon).toLowerCase(Locale.ROOT);
      String value = header.substring(colon + 1).strip();
      switch (name) {
        case "content-length" -> announced = Long.parseLong(value);
        case "transfer-encoding" -> chunked = value.equalsIgnoreCase("chunked");
        case "retry-after" -> retryAfter = Double.parseDouble(value);
        default -> {}
      }
    }
    int code = Integer.parseInt(status.substring(9, 12));
    length = 0;
    if (chunked) {
      for (int size = chunk(); size > 0; size = chunk()) {
        read(size);
        line();
      }
      line();
    } else if (announced > 0) {
      read((int) announced);
    } else if (announced < 0 && code != 204 && code != 304) {
      throw new IOException("an answer without length: " + status);
    }
    return code;
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line().split(";", 2)[0].strip(), 16);
  }

  private void read(int size) throws IOException {
    if (answer.length < length + size) {
      answer = Arrays.copyOf(answer, Math.max(2 * answer.length, length + size));
    }
    if (in.readNBytes(answer, length, size) < size) {
      throw new EOFException("the server closed the connection within an answer");
    }
    length += size;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  /** Returns the last answer; its first {@link #length} bytes count. */
  byte[] answer() {
    return answer;
  }

  int length() {
    return length;
  }

  public String text() {
    return new String(answer, 0, length, StandardCharsets.UTF_8);
  }

  /** Returns the first bytes of the answer. */
  String text(int most) {
    return new String(answer, 0, Math.min(most, length), StandardCharsets.UTF_8);
  }

  /** Returns the seconds after which the server wants the request again, or 0. */
  double retryAfter() {
    return retryAfter;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
