package dev.varve.matrix;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Sends statements to a Cassandra node in frames of its native protocol, version 4, so that tests
 * change tables as another program would, without Varve's own client. Statements have no bound
 * values, and only errors are read from the answers.
 *
 * <pre>
 *   frame   version 04 | flags 00 | stream, 2 bytes | opcode | length, 4 bytes | body
 *   STARTUP 01   body: 0001, then "CQL_VERSION" and "3.0.0", each a length of 2 bytes and UTF-8
 *   QUERY   07   body: length of 4 bytes, UTF-8, consistency 0001 (ONE), flags 00
 * </pre>
 */
final class Cql implements AutoCloseable {
  private static final int STARTUP = 0x01;
  private static final int QUERY = 0x07;
  private static final int ERROR = 0x00;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;

  private interface Body {
    void write(DataOutputStream out) throws IOException;
  }

  /**
   * Connects to a node.
   *
   * @param address as {@code host:port}
   */
  Cql(String address) {
    int colon = address.lastIndexOf(':');
    try {
      socket =
          new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    request(
        "the start",
        STARTUP,
        body -> {
          body.writeShort(1);
          body.writeUTF("CQL_VERSION");
          body.writeUTF("3.0.0");
        });
  }

  void execute(String statement) {
    byte[] utf8 = statement.getBytes(StandardCharsets.UTF_8);
    request(
        statement,
        QUERY,
        body -> {
          body.writeInt(utf8.length);
          body.write(utf8);
          body.writeShort(1);
          body.writeByte(0);
        });
  }

  private void request(String what, int opcode, Body body) {
    try {
      var bytes = new ByteArrayOutputStream();
      body.write(new DataOutputStream(bytes));
      out.write(new byte[] {4, 0, 0, 0, (byte) opcode});
      out.writeInt(bytes.size());
      bytes.writeTo(out);
      out.flush();
      in.skipNBytes(4);
      int answered = in.readUnsignedByte();
      byte[] answer = in.readNBytes(in.readInt());
      if (answered == ERROR) {
        throw new AssertionError(
            what + ": " + new String(answer, 6, answer.length - 6, StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(what, e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
