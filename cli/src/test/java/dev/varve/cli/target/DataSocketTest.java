package dev.varve.cli.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.cli.Main;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.block.BlockLayout;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands find the server of a directory by the socket in it, and no other server. */
class DataSocketTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private String run(String... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute(arguments)).as("%s", err).isZero();
    return out.toString();
  }

  private void put(Path data, int value) {
    run(
        "put",
        "{\"metric\":\"m\",\"time\":17000000000%02d,\"value\":%d}".formatted(value, value),
        "--data",
        data.toString());
  }

  private long rows(Path data) {
    return run("query", "m", "--from", "2023-11-01", "--output", "csv", "--data", data.toString())
            .lines()
            .count()
        - 1;
  }

  /** A server that listens on the socket of a directory and on a port. */
  private record Running(Server server, Engine engine, Path data) implements AutoCloseable {
    static Running on(Path data) throws IOException {
      DatasetConfig dataset = DatasetConfig.of("default", BlockLayout.of(Map.of()));
      ServerConfig config =
          new ServerConfig(
              List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
              ServerConfig.DEFAULTS.http(),
              ServerConfig.DEFAULTS.query(),
              null,
              null,
              null);
      Server server =
          Server.start(
              config,
              () -> Engine.open(new EngineConfig(data, 64 << 20, List.of(dataset), "default")),
              DataSocket.listen(data));
      return new Running(server, server.engine(), data);
    }

    @Override
    public void close() throws IOException {
      server.close();
      engine.close();
      DataSocket.remove(data);
    }
  }

  @Test
  void aCopyOfADirectoryIsReadItself() throws Exception {
    Path data = folder.resolve("data");
    Path copy = folder.resolve("copy");
    put(data, 1);
    assertThat(new ProcessBuilder("cp", "-a", data.toString(), copy.toString()).start().waitFor())
        .isZero();
    try (Running _ = Running.on(data)) {
      put(data, 2);
      put(data, 3);
      String socket = data.resolve(DataSocket.NAME).toString();
      assertThat(new ProcessBuilder("cp", "-a", socket, copy.toString()).start().waitFor())
          .isZero();
      assertThat(rows(data)).isEqualTo(3);
      run("queries", "--data", data.toString());
      assertThat(err.toString()).contains("no query waits or runs");
      assertThat(copy.resolve(DataSocket.NAME)).exists();
      assertThat(rows(copy)).isEqualTo(1);
    }
    assertThat(data.resolve(DataSocket.NAME)).doesNotExist();
    assertThat(rows(data)).isEqualTo(3);
  }

  @Test
  void aPathMayBeLongerThanTheKernelTakesForASocket() throws IOException {
    Path data = Files.createDirectories(folder.resolve("a".repeat(120)).resolve("b".repeat(120)));
    try (Running _ = Running.on(data)) {
      put(data, 1);
      assertThat(rows(data)).isEqualTo(1);
    }
    assertThat(data.resolve(DataSocket.NAME)).doesNotExist();
  }

  @Test
  void onlyItsOwnerMayUseIt() throws IOException {
    try (ServerSocketChannel _ = DataSocket.listen(folder)) {
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(folder.resolve(DataSocket.NAME))))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void replacesWhatAKilledServerHasLeft() throws IOException {
    DataSocket.listen(folder).close();
    assertThat(folder.resolve(DataSocket.NAME)).exists();
    assertThat(RunningServer.find(folder)).isEmpty();
    try (ServerSocketChannel _ = DataSocket.listen(folder)) {
      assertThat(RunningServer.find(folder)).isPresent();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1234",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n1234",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n12345\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        "HTTP/1.1 200 OK\r\n\r\n12345",
        "SMTP 200\r\n\r\n"
      })
  void halfAnAnswerIsNone(String answer) throws Exception {
    try (ServerSocketChannel socket = DataSocket.listen(folder)) {
      Thread server = Thread.ofVirtual().start(() -> answer(socket, answer));
      assertThatThrownBy(() -> body(ServerRequest.get("/"))).isInstanceOf(IOException.class);
      server.join();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n12345",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n3;x=y\r\n345\r\n0\r\nA: b\r\n\r\n"
      })
  void readsAnAnswerOfAKnownLengthOrInChunks(String answer) throws Exception {
    try (ServerSocketChannel socket = DataSocket.listen(folder)) {
      Thread server = Thread.ofVirtual().start(() -> answer(socket, answer));
      assertThat(body(ServerRequest.post("/", new byte[100_000]))).isEqualTo("12345");
      server.join();
    }
  }

  private String body(ServerRequest request) throws IOException {
    try (var body = SocketHttp.send(folder, request).body()) {
      return new String(body.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static void answer(ServerSocketChannel socket, String answer) {
    try (SocketChannel client = socket.accept()) {
      ByteBuffer some = ByteBuffer.allocate(200_000);
      client.read(some);
      client.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
