package dev.varve.cli.target;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sends one HTTP/1.1 request over the socket of a data directory; Java's own client supports TCP
 * only. An answer that ends early is an error, never a shorter answer.
 */
public final class SocketHttp {
  private static final int LINE_MAX = 16 << 10;
  private static final int HEADERS_MAX = 100;

  private SocketHttp() {}

  /**
   * An answer.
   *
   * @param body must be closed, which closes the connection
   */
  public record Answer(int status, InputStream body) {}

  /**
   * Sends a request and reads the head of the answer.
   *
   * @throws IOException if no server listens or the answer is not HTTP
   */
  public static Answer send(Path directory, ServerRequest request) throws IOException {
    SocketChannel channel = DataSocket.connect(directory);
    try {
      IOException broken = null;
      try {
        write(channel, request);
      } catch (IOException e) {
        // A server may answer and close before it has read all of a body.
        broken = e;
      }
      try {
        return read(new BufferedInputStream(Channels.newInputStream(channel), 1 << 16));
      } catch (IOException e) {
        throw broken == null ? e : broken;
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void write(SocketChannel channel, ServerRequest request) throws IOException {
    StringBuilder head = new StringBuilder();
    head.append(request.method()).append(' ').append(request.path()).append(" HTTP/1.1\r\n");
    head.append("Host: localhost\r\n");
    request
        .headers()
        .forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    byte[] body = request.body();
    if (body != null) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    head.append("\r\n");
    writeAll(channel, ByteBuffer.wrap(head.toString().getBytes(StandardCharsets.US_ASCII)));
    if (body != null) {
      writeAll(channel, ByteBuffer.wrap(body));
    }
  }

  private static void writeAll(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static Answer read(InputStream in) throws IOException {
    while (true) {
      String[] start = line(in).split(" ", 3);
      if (start.length < 2 || !start[0].startsWith("HTTP/1.") || !start[1].matches("\\d{3}")) {
        throw new IOException("the answer is not HTTP/1.1");
      }
      int status = Integer.parseInt(start[1]);
      Map<String, String> headers = headers(in);
      if (status >= 200) {
        return new Answer(status, body(status, headers, in));
      }
      // An interim answer (RFC 9110, 15.2): the real one follows.
    }
  }

  private static Map<String, String> headers(InputStream in) throws IOException {
    Map<String, String> headers = new TreeMap<>();
    for (int count = 0; count < HEADERS_MAX; count++) {
      String line = line(in);
      if (line.isEmpty()) {
        return headers;
      }
      int colon = line.indexOf(':');
      if (colon <= 0) {
        throw new IOException("the answer has a header without a name");
      }
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    throw new IOException("the answer has more than " + HEADERS_MAX + " headers");
  }

  private static InputStream body(int status, Map<String, String> headers, InputStream in)
      throws IOException {
    if (status == 204 || status == 304) {
      return new Sized(in, 0);
    }
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      return new Chunked(in);
    }
    String length = headers.get("content-length");
    if (length == null || !length.matches("\\d{1,18}")) {
      throw new IOException("the answer says neither its length nor that it comes in chunks");
    }
    return new Sized(in, Long.parseLong(length));
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    while (line.length() < LINE_MAX) {
      int b = in.read();
      if (b < 0) {
        throw new EOFException("the answer ended early");
      }
      if (b == '\n') {
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r'
            ? line.substring(0, end - 1)
            : line.toString();
      }
      line.append((char) b);
    }
    throw new IOException("the answer has a line of more than " + LINE_MAX + " bytes");
  }

  /** A body of known length, or one chunk of a body. */
  private static class Sized extends FilterInputStream {
    private long left;

    Sized(InputStream in, long length) {
      super(in);
      this.left = length;
    }

    long left() {
      return left;
    }

    void more(long length) {
      left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (left == 0) {
        return -1;
      }
      int read = in.read(into, offset, (int) Math.min(length, left));
      if (read < 0) {
        throw new EOFException("the answer ended early");
      }
      left -= read;
      return read;
    }

    @Override
    public long skip(long n) throws IOException {
      byte[] skipped = new byte[Math.clamp(n, 0, 1 << 13)];
      return Math.max(0, read(skipped, 0, skipped.length));
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(left, in.available());
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }

  /** A body in chunks (RFC 9112, 7.1). */
  private static final class Chunked extends Sized {
    private boolean begun;
    private boolean ended;

    private Chunked(InputStream in) {
      super(in, 0);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (left() == 0 && !ended) {
        nextChunk();
      }
      return super.read(into, offset, length);
    }

    private void nextChunk() throws IOException {
      if (begun && !line(in).isEmpty()) {
        throw new IOException("the answer has a chunk that does not end where it says");
      }
      begun = true;
      String size = line(in).split(";", 2)[0].strip();
      if (!size.matches("[0-9a-fA-F]{1,15}")) {
        throw new IOException("the answer has a chunk without a size");
      }
      more(Long.parseLong(size, 16));
      if (left() == 0) {
        ended = true;
        headers(in);
      }
    }
  }
}
