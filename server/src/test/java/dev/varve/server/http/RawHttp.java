package dev.varve.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends HTTP byte for byte because HTTP clients normalize requests. */
public final class RawHttp {
  private static final int TIMEOUT_MS = 20_000;

  private RawHttp() {}

  /**
   * An answer.
   *
   * @param head status line and headers
   */
  public record Answer(int status, String head, String body) {
    /** Returns the value of a header; empty if it is missing. */
    public String header(String name) {
      for (String line : head.lines().toList()) {
        if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
          return line.substring(name.length() + 1).strip();
        }
      }
      return "";
    }
  }

  /** Sends a request on its own connection and reads until the connection is closed. */
  public static Answer send(int port, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MS);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = text.indexOf("\r\n\r\n");
      if (end < 0) {
        throw new IOException("no answer to " + request.lines().findFirst() + ": " + text);
      }
      return new Answer(
          Integer.parseInt(text.substring(9, 12)), text.substring(0, end), text.substring(end + 4));
    }
  }

  /**
   * Sends a request with a body.
   *
   * @param fields header lines in addition to {@code Host}, or including it
   */
  public static Answer send(int port, String method, String target, String body, String... fields)
      throws IOException {
    StringBuilder request = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    boolean host = false;
    for (String field : fields) {
      request.append(field).append("\r\n");
      host |= field.startsWith("Host:");
    }
    if (!host) {
      request.append("Host: localhost:").append(port).append("\r\n");
    }
    if (!body.isEmpty()) {
      request.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    return send(port, request.append("Connection: close\r\n\r\n").append(body).toString());
  }
}
