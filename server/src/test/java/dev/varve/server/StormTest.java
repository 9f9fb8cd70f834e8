package dev.varve.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server with the smallest heap, while clients at several addresses send the most
 * memory-intensive bodies to every endpoint. It must not run out of memory, must answer 503 or 4xx,
 * and must hold no memory afterwards.
 */
class StormTest {
  /** Size of each body in bytes, decompressed. */
  private static final int BYTES = Integer.getInteger("varve.storm.bytes", 12 << 20);

  /** Number of clients that send each body at once. */
  private static final int CLIENTS = Integer.getInteger("varve.storm.clients", 2);

  private static final Pattern STATUS = Pattern.compile("HTTP/1.1 (\\d+) ");

  private final ConcurrentLinkedQueue<Socket> sockets = new ConcurrentLinkedQueue<>();
  private final HttpClient client = HttpClient.newHttpClient();
  @TempDir private Path directory;
  private Process process;
  private List<Integer> ports;

  @BeforeEach
  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                StormServer.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    BufferedReader out = process.inputReader();
    ports = Arrays.stream(out.readLine().split(" ")).map(Integer::valueOf).toList();
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    client.close();
    process.getOutputStream().close();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
  }

  private Socket from(int address, int port) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    byte[] local = {127, 0, 0, (byte) address};
    socket.bind(new InetSocketAddress(InetAddress.getByAddress(local), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(port)));
    socket.setSoTimeout(120_000);
    return socket;
  }

  /** Returns the status and the header of the answer. */
  private String send(Attack attack, int address) {
    try (Socket socket = from(address, 0)) {
      OutputStream out = socket.getOutputStream();
      try {
        out.write(head(attack, attack.body().length));
        out.write(attack.body());
      } catch (IOException e) {
        // The server answered and disconnected before everything was sent.
      }
      return new String(socket.getInputStream().readNBytes(4000), UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  private static byte[] head(Attack attack, int length) {
    return "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n"
        .formatted(attack.path(), attack.headers(), length)
        .getBytes(ISO_8859_1);
  }

  private String metrics() {
    URI uri = URI.create("http://127.0.0.1:" + ports.getFirst() + "/metrics");
    try {
      return client
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("the server is gone", e);
    }
  }

  private long held() {
    return figure("varve_write_budget_bytes");
  }

  private long refusals(String reason) {
    return figure("varve_write_budget_refusals_total{reason=\"" + reason + "\"}");
  }

  private long figure(String name) {
    Matcher line = Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\S+)$").matcher(metrics());
    assertThat(line.find()).as(name).isTrue();
    return (long) Double.parseDouble(line.group(1));
  }

  /** Sends as much as possible of bodies and lines that never end. */
  private void beginMuch() throws IOException {
    for (int address = 2; address < 6; address++) {
      for (String path : List.of("/api/v1/datapoints", "/api/v1/write", "/influx/write")) {
        Socket body = from(address, 0);
        body.getOutputStream().write(head(new Attack("", path, "", new byte[0]), 900_000));
        body.getOutputStream().write(new byte[800_000]);
      }
      from(address, 0).getOutputStream().write(("put m 1 1 a=" + "x".repeat(1000)).getBytes(UTF_8));
      from(address, 1).getOutputStream().write(("m,t=" + "x".repeat(900_000)).getBytes(UTF_8));
      from(address, 2).getOutputStream().write(("a;t=" + "x".repeat(10_000)).getBytes(UTF_8));
      byte[] frame = new byte[900_000];
      Arrays.fill(frame, (byte) ']');
      frame[1] = 0x0f;
      frame[0] = 0;
      from(address, 3).getOutputStream().write(frame);
    }
  }

  /** One client begins bodies of 32 MB in total; its share of the budget is 24 MiB. */
  private void beginMoreThanAShare() throws IOException {
    byte[] head = head(new Attack("", "/api/v1/datapoints", "", new byte[0]), 900_000);
    for (int i = 0; i < 40; i++) {
      OutputStream out = from(20, 0).getOutputStream();
      try {
        out.write(head);
        out.write(new byte[800_000]);
      } catch (IOException e) {
        // The server rejected the body and disconnected.
      }
    }
  }

  /**
   * Sends one attack after the other until one is refused because it needs more than a client may
   * hold. Among others it may be refused before, because they hold the memory.
   */
  private void sendUntilTooLarge(List<Attack> attacks) {
    for (Attack attack : attacks) {
      if (refusals("too-large") > 0) {
        return;
      }
      send(attack, 2);
    }
  }

  @Test
  void everyEndpointIsAttackedAtOnce() throws Exception {
    List<Attack> attacks = Attack.all(BYTES);
    beginMuch();
    Map<String, String> failed = new TreeMap<>();
    List<Callable<String>> sending = new ArrayList<>();
    for (Attack attack : attacks) {
      for (int i = 0; i < CLIENTS; i++) {
        int own = 2 + sending.size() % 16;
        sending.add(() -> attack.path() + " " + attack.name() + "\n" + send(attack, own));
      }
    }
    List<String> answers = new ArrayList<>();
    try (ExecutorService clients = Executors.newFixedThreadPool(48)) {
      for (Future<String> sent : clients.invokeAll(sending)) {
        answers.add(sent.get());
      }
    }
    assertThat(process.isAlive()).isTrue();
    for (String answer : answers) {
      String[] parts = answer.split("\n", 2);
      Matcher status = STATUS.matcher(parts[1]);
      if (status.lookingAt()) {
        int code = Integer.parseInt(status.group(1));
        boolean good =
            code < 300
                || code == 400
                || code == 413
                || (code == 503 && answer.contains("Retry-After: "));
        if (!good) {
          failed.put(parts[0], parts[1]);
        }
      }
    }
    assertThat(failed).isEmpty();
    beginMoreThanAShare();
    await().atMost(Duration.ofSeconds(30)).until(() -> refusals("full") + refusals("client") > 0);
    for (Socket socket : sockets) {
      socket.close();
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> held() == 0);
    sendUntilTooLarge(attacks);
    assertThat(refusals("too-large")).isPositive();
    await().atMost(Duration.ofSeconds(30)).until(() -> held() == 0);
    assertThat(send(new Attack("", "/influx/write", "", "m v=1\n".getBytes(UTF_8)), 1))
        .startsWith("HTTP/1.1 204");
  }
}
