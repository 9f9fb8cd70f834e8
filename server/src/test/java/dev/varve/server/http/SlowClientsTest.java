package dev.varve.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Slow, silent or too many clients must not keep another client from being answered. */
class SlowClientsTest {
  /** Without the tested behaviour, nothing would happen before a timeout of 20 s. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final String HEALTHY = "GET /-/healthy HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String LIGHT = "GET /light HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final String HANGS = "GET /hangs HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger hanging = new AtomicInteger();
  private final List<Integer> slowWrites = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new ArrayList<>();

  /** Sends and reads as slowly as the tests want, while their threads wait for the server. */
  private final ScheduledExecutorService slowly = Executors.newScheduledThreadPool(1);

  private @Nullable SocketServer server;
  private @Nullable Dispatcher dispatcher;

  @AfterEach
  void stop() throws IOException {
    release.countDown();
    slowly.shutdownNow();
    for (Socket socket : sockets) {
      socket.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private static ConnectionLimits limits(int max, int perClient, int reserve) {
    return new ConnectionLimits(
        max,
        perClient,
        max,
        reserve,
        Duration.ofSeconds(20),
        Duration.ofSeconds(20),
        Duration.ofSeconds(20),
        10_000,
        Duration.ofMillis(500),
        TrustedProxies.of(List.of("127.0.0.9")));
  }

  private static ConnectionLimits withHeader(Duration header) {
    ConnectionLimits some = limits(10, 10, 2);
    return new ConnectionLimits(
        some.max(),
        some.perClient(),
        some.lines(),
        some.reserve(),
        header,
        some.idle(),
        some.linesIdle(),
        some.minRate(),
        some.grace(),
        some.proxies());
  }

  private SocketServer start(ConnectionLimits connections) throws IOException {
    HttpLimits usual = HttpLimits.DEFAULTS.withConnections(connections);
    dispatcher = new Dispatcher(usual, (dialect, path, status, nanos, in, out) -> {});
    List<Route> routes =
        List.of(
            Route.get(
                "/light",
                Load.READ,
                Right.READ,
                exchange -> exchange.answer(200, "text/plain", "light")),
            Route.get(
                "/whose",
                Load.READ,
                Right.READ,
                exchange ->
                    exchange.answer(
                        200, "text/plain", exchange.clientAddress() + " " + exchange.client())),
            Route.get("/hangs", Load.NONE, Right.LOGIN, this::hang),
            Route.post(
                "/write",
                Load.WRITE,
                Right.WRITE,
                exchange -> {
                  int length = exchange.body().readAllBytes().length;
                  exchange.answer(200, "text/plain", "wrote " + length);
                }),
            Route.post("/slow-write", Load.WRITE, Right.WRITE, this::readSlowly),
            Route.get("/endless", Load.READ, Right.READ, SlowClientsTest::writeEndlessly),
            Route.get(
                "/-/healthy",
                Load.OPERATIONS,
                Right.ADMIN,
                exchange -> exchange.answer(200, "text/plain", Thread.currentThread().getName())),
            Route.get(
                "/-/large",
                Load.OPERATIONS,
                Right.ADMIN,
                exchange -> exchange.answer(200, "text/plain", "x".repeat(1 << 20))));
    Router router = new Router(List.of(new Router.Mount("test", true, routes, ErrorFormat.PLAIN)));
    server =
        SocketServer.start(
            List.of(new SocketServer.Port("127.0.0.1", 0, router, null)), dispatcher());
    return server;
  }

  private void hang(Exchange exchange) throws IOException {
    hanging.incrementAndGet();
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    exchange.answer(200, "text/plain", "released");
  }

  /** Reads a long body for minutes, as a body does that takes long to decode. */
  private void readSlowly(Exchange exchange) throws IOException {
    try (InputStream body = exchange.body()) {
      body.skipNBytes(LongBodies.LONG);
      while (body.read() >= 0) {
        LockSupport.parkNanos(1_000_000);
      }
    } catch (HttpError e) {
      slowWrites.add(e.status());
      throw e;
    }
  }

  private static void writeEndlessly(Exchange exchange) throws IOException {
    try (OutputStream out = exchange.answer("text/plain")) {
      while (true) {
        out.write(new byte[10_000]);
      }
    }
  }

  /** Connects from 127.0.0.HOST. */
  private Socket connect(int host) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    // Keeps the kernel from buffering much of what is not read.
    socket.setReceiveBufferSize(16 << 10);
    socket.bind(new InetSocketAddress("127.0.0." + host, 0));
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server().ports().getFirst()));
    socket.setSoTimeout(10_000);
    return socket;
  }

  private List<Socket> connect(int host, int count, String sent) throws IOException {
    List<Socket> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Socket socket = connect(host);
      socket.getOutputStream().write(sent.getBytes(UTF_8));
      opened.add(socket);
    }
    return opened;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  /** Something that a slow client does with its connection. */
  private interface Step {
    void run() throws IOException;
  }

  /** Repeats a step until it fails, as it does once the server has ended the connection. */
  private ScheduledFuture<?> every(int millis, Step step) {
    return slowly.scheduleWithFixedDelay(
        () -> {
          try {
            step.run();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        },
        millis,
        millis,
        TimeUnit.MILLISECONDS);
  }

  /**
   * Returns status line, headers and body up to its declared length or the end of the connection.
   */
  private static String answer(Socket socket) throws IOException {
    StringBuilder text = new StringBuilder();
    int length = -1;
    for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
      text.append((char) b);
      int end = text.indexOf("\r\n\r\n");
      if (end > 0 && length < 0) {
        int header = text.indexOf("Content-Length: ");
        length = Integer.parseInt(text.substring(header + 16, text.indexOf("\r\n", header)));
      }
      if (end > 0 && text.length() == end + 4 + length) {
        break;
      }
    }
    return text.toString();
  }

  private String ask(int host, String request) throws IOException {
    Socket socket = connect(host);
    long start = System.nanoTime();
    send(socket, request);
    String answer = answer(socket);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    return answer;
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  private static void awaitAnswerOrEnd(Socket socket) throws IOException {
    try {
      socket.getInputStream().read();
    } catch (SocketException e) {
      // The server closed the connection while the client was sending.
    }
  }

  @Test
  void aHeaderThatTricklesIsEndedAtItsDeadline() throws Exception {
    start(withHeader(Duration.ofMillis(400)));
    Socket socket = connect(1);
    long start = System.nanoTime();
    send(socket, "GET /light HTTP/1.1\r\nX: ");
    ScheduledFuture<?> trickle = every(20, () -> send(socket, "x"));
    awaitAnswerOrEnd(socket);
    trickle.cancel(false);
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isBetween(Duration.ofMillis(400), Duration.ofSeconds(2));
    await()
        .untilAsserted(
            () -> assertThat(figure("closed_total{reason=\"header-deadline\"}")).isOne());
    assertThat(server().openConnections()).isZero();
  }

  @Test
  void silentConnectionsAreClosedAtTheDeadlineAndAKeptOneIsNot() throws Exception {
    start(withHeader(Duration.ofMillis(300)));
    Socket kept = connect(1);
    send(kept, LIGHT);
    assertThat(answer(kept)).endsWith("light");
    // Each connects later than the kept connection fell silent, so that one is past the deadline.
    assertThat(isClosed(connect(1))).isTrue();
    assertThat(isClosed(connect(1))).isTrue();
    send(kept, LIGHT);
    assertThat(answer(kept)).endsWith("light");
    send(kept, "GET ");
    assertThat(new String(kept.getInputStream().readAllBytes(), UTF_8))
        .startsWith("HTTP/1.1 408 ")
        .contains("did not come within 300 ms");
  }

  private SocketServer server() {
    return Objects.requireNonNull(server);
  }

  private Dispatcher dispatcher() {
    return Objects.requireNonNull(dispatcher);
  }

  private double figure(String name) {
    return server().figures().getOrDefault("connections_" + name, -1.0);
  }

  @Test
  void aBodyThatTricklesIsEnded() throws Exception {
    start(limits(10, 10, 2));
    Socket socket = connect(1);
    send(socket, "POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
    long start = System.nanoTime();
    ScheduledFuture<?> trickle = every(20, () -> send(socket, "x"));
    String answer = answer(socket);
    trickle.cancel(false);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
    assertThat(answer)
        .startsWith("HTTP/1.1 408 ")
        .contains("Connection: close", "less than 10000 bytes/s");
    assertThat(figure("closed_total{reason=\"body-rate\"}")).isOne();
    // Even though the client keeps its side open.
    await().until(() -> server().openConnections() == 0);
  }

  @Test
  void aLongBodyIsReadNoFurtherOnceItsClientIsGone() throws Exception {
    start(limits(10, 10, 2));
    int length = 2 * LongBodies.LONG;
    Socket socket = connect(1);
    send(
        socket,
        "POST /slow-write HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
            .formatted(length));
    send(socket, "x".repeat(length));
    await().until(() -> dispatcher().writing() == 1);
    socket.close();
    await().atMost(SOON).until(() -> dispatcher().writing() == 0);
    assertThat(dispatcher().budget().used()).isZero();
    assertThat(slowWrites).containsExactly(499);
  }

  @Test
  void aBodyThatKeepsTheRateIsTaken() throws Exception {
    ConnectionLimits some = limits(10, 10, 2);
    Duration grace = Duration.ofMillis(1500);
    start(
        new ConnectionLimits(
            some.max(),
            some.perClient(),
            some.lines(),
            some.reserve(),
            some.header(),
            some.idle(),
            some.linesIdle(),
            some.minRate(),
            grace,
            some.proxies()));
    Socket socket = connect(1);
    send(socket, "POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n");
    long start = System.nanoTime();
    AtomicInteger sent = new AtomicInteger();
    ScheduledFuture<?> sending =
        every(
            200,
            () -> {
              if (sent.getAndIncrement() < 10) {
                send(socket, "x".repeat(5000));
              }
            });
    assertThat(answer(socket)).endsWith("wrote 50000");
    sending.cancel(false);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(grace);
  }

  @Test
  void anAnswerThatIsHardlyReadIsGivenUp() throws Exception {
    ConnectionLimits some = limits(10, 10, 2);
    start(
        new ConnectionLimits(
            some.max(),
            some.perClient(),
            some.lines(),
            some.reserve(),
            some.header(),
            Duration.ofSeconds(1),
            some.linesIdle(),
            100_000_000,
            some.grace(),
            some.proxies()));
    Socket socket = connect(1);
    send(socket, "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await().until(() -> dispatcher().reading() == 1);
    byte[] read = new byte[64 << 10];
    // Often enough to keep the connection from being idle.
    ScheduledFuture<?> reader = every(5, () -> socket.getInputStream().read(read));
    await()
        .atMost(Duration.ofSeconds(10))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> reader.isDone() || dispatcher().reading() == 0);
    assertThat(dispatcher().reading()).isZero();
  }

  @Test
  void idleConnectionsMakeRoomForWhoeverAsks() throws Exception {
    start(limits(20, 20, 4));
    connect(1, 300, "");
    assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ").contains("varve-operations-");
    assertThat(ask(1, LIGHT)).endsWith("light");
    connect(1, 300, "GET / HT");
    assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ");
    assertThat(ask(1, LIGHT)).endsWith("light");
    assertThat(server().openConnections()).isLessThanOrEqualTo(24);
    assertThat(figure("evicted_total")).isGreaterThan(500);
  }

  @Test
  void operatorsAreAnsweredThoughAllConnectionsAreTaken() throws Exception {
    start(limits(8, 8, 4));
    connect(1, 8, HANGS);
    await().until(() -> hanging.get() == 8);
    assertThat(ask(1, LIGHT))
        .startsWith("HTTP/1.1 503 ")
        .contains("Retry-After: 5", "Connection: close", "8 connections of this client");
    assertThat(ask(2, LIGHT)).startsWith("HTTP/1.1 503 ").contains("8 connections are open");
    // If the reserve is full of connections that send or read nothing, the next one still gets in.
    connect(1, 50, "");
    assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ");
    connect(1, 50, "GET / HT");
    assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ");
    connect(2, 4, "GET /-/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // A request in the reserve makes room once it has taken a second.
    AtomicInteger asked = new AtomicInteger();
    await()
        .atMost(SOON)
        .ignoreException(SocketException.class)
        .untilAsserted(() -> {
          asked.incrementAndGet();
          assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ");
        });
    assertThat(server().openConnections()).isLessThanOrEqualTo(8 + 2 * 4);
    // One refusal was expected above, and the last of these requests was not refused.
    assertThat(figure("refused_total{reason=\"per-client\"}")).isEqualTo(asked.get());
    assertThat(figure("refused_total{reason=\"max\"}")).isOne();
    release.countDown();
    await().untilAsserted(() -> assertThat(ask(2, LIGHT)).endsWith("light"));
  }

  @Test
  void operatorsAreAnsweredThoughOthersReadNoAnswers() throws Exception {
    start(limits(400, 400, 4));
    connect(2, 2 * OperationsLane.MAX, "GET /-/large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (int i = 0; i < 20; i++) {
      assertThat(ask(1, HEALTHY)).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void oneClientCannotTakeTheConnectionsOfOthers() throws Exception {
    start(limits(20, 5, 2));
    connect(2, 5, HANGS);
    await().until(() -> hanging.get() == 5);
    assertThat(ask(2, LIGHT)).startsWith("HTTP/1.1 503 ");
    assertThat(ask(1, LIGHT)).endsWith("light");
    assertThat(ask(2, HEALTHY)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void theLongestIdleConnectionOfWhoHasMostIsEvictedFirst() throws Exception {
    start(limits(6, 6, 2));
    List<Socket> few = connect(2, 2, "");
    await().until(() -> server().openConnections() == 2);
    List<Socket> many = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      many.addAll(connect(3, 1, ""));
      int open = few.size() + i;
      await().until(() -> server().openConnections() == open);
    }
    send(many.getFirst(), LIGHT);
    assertThat(answer(many.getFirst())).endsWith("light");
    // The first just sent a request, so the second has been idle longest.
    assertThat(ask(1, LIGHT)).endsWith("light");
    assertThat(isClosed(many.get(1))).isTrue();
    assertThat(ask(4, LIGHT)).endsWith("light");
    assertThat(isClosed(many.get(2))).isTrue();
    for (Socket kept : List.of(many.get(0), many.get(3), few.get(0), few.get(1))) {
      send(kept, LIGHT);
      assertThat(answer(kept)).endsWith("light");
    }
  }

  @Test
  void behindATrustedProxyEveryClientHasItsOwnLimit() throws Exception {
    start(limits(40, 3, 2));
    String from = "GET /%s HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.1.1.1, %s\r\n\r\n";
    connect(9, 3, from.formatted("hangs", "203.0.113.5"));
    await()
        .untilAsserted(() ->
            assertThat(ask(9, from.formatted("light", "203.0.113.5")))
                .startsWith("HTTP/1.1 503 ")
                .contains("3 requests of this client are under way"));
    assertThat(ask(9, from.formatted("-/healthy", "203.0.113.5"))).startsWith("HTTP/1.1 200 ");
    assertThat(ask(9, from.formatted("whose", "203.0.113.6"))).endsWith("203.0.113.6 203.0.113.6");
    // Headers of peers that are not trusted proxies are ignored.
    assertThat(ask(2, from.formatted("whose", "203.0.113.6"))).contains("127.0.0.2 127.0.0.2:");
    release.countDown();
    await()
        .untilAsserted(
            () -> assertThat(ask(9, from.formatted("light", "203.0.113.5"))).endsWith("light"));
  }
}
