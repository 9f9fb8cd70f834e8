package dev.varve.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;
import dev.varve.engine.error.OverloadedException;
import dev.varve.formats.json.JsonLines;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.http.Route.Load;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.StoreException;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;

/** The HTTP server on real sockets, with test handlers. */
class SocketServerTest {
  /** Limit for noticing that a client has disconnected, with a margin for a busy machine. */
  private static final Duration AT_ONCE = Duration.ofSeconds(2);

  private static final HttpLimits LIMITS =
      new HttpLimits(
          1000,
          5000,
          64 << 20,
          2,
          1,
          1,
          Duration.ofMillis(300),
          Duration.ofMillis(700),
          Duration.ofSeconds(3),
          new ConnectionLimits(
              10,
              10,
              10,
              2,
              Duration.ofSeconds(2),
              Duration.ofSeconds(2),
              Duration.ofMinutes(1),
              1 << 10,
              Duration.ofSeconds(2),
              TrustedProxies.NONE));

  private final AtomicLong aborted = new AtomicLong();
  private final CountDownLatch started = new CountDownLatch(1);
  private final CountDownLatch release = new CountDownLatch(1);
  private final Map<String, Integer> statuses = new ConcurrentHashMap<>();
  private final AtomicReference<Exchange> kept = new AtomicReference<>();
  private final Dispatcher dispatcher =
      new Dispatcher(LIMITS, (dialect, path, status, nanos, in, out) -> statuses.put(path, status));
  private SocketServer server;
  private int port;

  @BeforeEach
  void start() throws IOException {
    List<Route> routes =
        List.of(
            Route.post(
                "/echo",
                Load.WRITE,
                Right.WRITE,
                exchange -> {
                  byte[] body = exchange.body().readAllBytes();
                  try (OutputStream out = exchange.answer("text/plain")) {
                    out.write(body);
                  }
                }),
            Route.get(
                "/where",
                Load.NONE,
                Right.LOGIN,
                exchange ->
                    exchange.answer(200, "text/plain", exchange.path() + " " + exchange.dataset())),
            Route.get(
                "/big",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  try (OutputStream out = exchange.answer("text/plain")) {
                    for (int i = 0; i < 20_000; i++) {
                      out.write("0123456789".getBytes(UTF_8));
                    }
                  }
                }),
            Route.get(
                "/endless",
                Load.READ,
                Right.READ,
                exchange -> {
                  try (OutputStream out = exchange.answer("text/plain")) {
                    while (true) {
                      out.write(new byte[10_000]);
                    }
                  }
                }),
            Route.get(
                "/endless-json",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  try (OutputStream out = exchange.answer("application/json");
                      JsonGenerator json = JsonLines.generator(out)) {
                    json.writeStartArray();
                    while (true) {
                      json.writeString("0123456789");
                    }
                  }
                }),
            Route.get(
                "/endless-unchecked",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  OutputStream out = exchange.answer("text/plain");
                  try {
                    while (true) {
                      out.write(new byte[10_000]);
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }),
            Route.get(
                "/kept",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  kept.set(exchange);
                  exchange.answer(200, "text/plain", "kept\n");
                }),
            Route.get("/closed", Load.NONE, Right.LOGIN, SocketServerTest::askWhatIsClosed),
            Route.get("/slow", Load.READ, Right.READ, this::slow),
            Route.get(
                "/full",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  throw new OverloadedException("too much", Duration.ofMillis(1500));
                }),
            Route.get(
                "/store",
                Load.READ,
                Right.READ,
                exchange -> {
                  throw new StoreException("no node can be reached");
                }),
            Route.get(
                "/store-late",
                Load.READ,
                Right.READ,
                exchange -> {
                  throw new StoreException("no node answers", new TimeoutException());
                }),
            Route.get(
                "/store-cut",
                Load.READ,
                Right.READ,
                exchange -> {
                  throw new IllegalStateException(
                      new StoreException("a node went away", new EOFException()));
                }),
            Route.get(
                "/bug",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  throw new IllegalStateException("secret");
                }),
            Route.get(
                "/half",
                Load.NONE,
                Right.LOGIN,
                exchange -> {
                  OutputStream out = exchange.answer("text/plain");
                  out.write(new byte[100_000]);
                  throw new IllegalStateException("half way");
                }));
    Router router = new Router(List.of(new Router.Mount("test", true, routes, ErrorFormat.PLAIN)));
    StreamProtocol shout =
        (sender, in, out, memory) -> {
          BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
          for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.write((line.toUpperCase(Locale.ROOT) + "\n").getBytes(UTF_8));
          }
        };
    server =
        SocketServer.start(
            List.of(new SocketServer.Port("127.0.0.1", 0, router, shout)), dispatcher);
    port = server.ports().getFirst();
  }

  /** Runs a query on an instance that is already closed. */
  private static void askWhatIsClosed(Exchange exchange) throws IOException {
    RunningQueries queries =
        new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, Clock.systemUTC());
    queries.close();
    String answer =
        queries.<String, IOException>run(
            new QueryOrigin("d", "l", "t", "c", ""),
            QueryLimits.DEFAULTS,
            query -> {},
            query -> "let in");
    exchange.answer(200, "text/plain", answer);
  }

  /** Waits until it is released or cancelled. */
  private void slow(Exchange exchange) throws IOException {
    CountDownLatch cancelled = new CountDownLatch(1);
    exchange.onAbort(() -> {
      aborted.set(System.nanoTime());
      cancelled.countDown();
    });
    started.countDown();
    try {
      while (release.getCount() > 0 && !cancelled.await(5, TimeUnit.MILLISECONDS)) {
        // Neither yet.
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    if (cancelled.getCount() == 0) {
      throw new ReadCancelledException();
    }
    exchange.answer(200, "text/plain", "done");
  }

  @AfterEach
  void stop() {
    release.countDown();
    server.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private HttpResponse<String> post(byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request =
        request("/echo").POST(HttpRequest.BodyPublishers.ofByteArray(body));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  @Test
  void takesBodiesPlainAndCompressed() throws Exception {
    byte[] body = "hello ".repeat(100).getBytes(UTF_8);
    assertThat(post(body).body()).isEqualTo(new String(body, UTF_8));
    assertThat(post(gzip(body), "Content-Encoding", "gzip").body())
        .isEqualTo(new String(body, UTF_8));
    assertThat(post(Zstd.compress(body), "Content-Encoding", "zstd").body())
        .isEqualTo(new String(body, UTF_8));
    assertThat(post(body, "Content-Encoding", "br").statusCode()).isEqualTo(415);
    assertThat(post(body, "Content-Encoding", "gzip").statusCode()).isEqualTo(400);
    assertThat(post(body, "Content-Encoding", "zstd").statusCode()).isEqualTo(400);
  }

  @Test
  void refusesBodiesThatAreTooLarge() throws Exception {
    HttpResponse<String> announced = post(new byte[1001]);
    assertThat(announced.statusCode()).isEqualTo(413);
    assertThat(announced.body()).contains("1000 bytes");

    HttpResponse<String> chunked =
        send(
            request("/echo")
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(new byte[1001]))));
    assertThat(chunked.statusCode()).isEqualTo(413);

    HttpResponse<String> bomb = post(gzip(new byte[5001]), "Content-Encoding", "gzip");
    assertThat(bomb.statusCode()).isEqualTo(413);
    assertThat(bomb.body()).contains("decompressed").contains("5000 bytes");
    assertThat(post(Zstd.compress(new byte[5001]), "Content-Encoding", "zstd").statusCode())
        .isEqualTo(413);
  }

  /** A reset would discard the answer that waits in the client's kernel. */
  @Test
  void theAnswerReachesAClientThatSendsOn() throws Exception {
    int length = 1 << 20;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
              .formatted(length)
              .getBytes(UTF_8));
      await().until(() -> socket.getInputStream().available() > 0);
      for (int sent = 0; sent < length; sent += 64 << 10) {
        out.write(new byte[64 << 10]);
        TimeUnit.MILLISECONDS.sleep(5);
      }
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 413 ")
          .contains("Connection: close");
    }
  }

  @Test
  void aClientThatNeverStopsSendingIsCutOff() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n"
              .getBytes(UTF_8));
      assertThatThrownBy(
              () -> {
                while (true) {
                  out.write(new byte[1 << 10]);
                  TimeUnit.MILLISECONDS.sleep(1);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void answersInGzipWhereItIsTaken() throws Exception {
    HttpResponse<byte[]> answer;
    try (HttpClient client = HttpClient.newHttpClient()) {
      answer =
          client.send(
              request("/big").header("Accept-Encoding", "deflate, gzip;q=0.5").build(),
              HttpResponse.BodyHandlers.ofByteArray());
    }
    assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(answer.body()))) {
      assertThat(in.readAllBytes()).hasSize(200_000);
    }
    assertThat(send(request("/big")).body()).hasSize(200_000);
    assertThat(send(request("/big").header("Accept-Encoding", "gzip;q=0")).body()).hasSize(200_000);
  }

  @Test
  void findsRoutesByPathPrefixAndDataset() throws Exception {
    assertThat(send(request("/where")).body()).isEqualTo("/where null");
    assertThat(send(request("/test/where")).body()).isEqualTo("/where null");
    assertThat(send(request("/datasets/a/where")).body()).isEqualTo("/where a");
    assertThat(send(request("/datasets/a/test/where")).body()).isEqualTo("/where a");
    assertThat(send(request("/where").header("X-Varve-Dataset", "b")).body()).isEqualTo("/where b");
    assertThat(send(request("/nowhere")).statusCode()).isEqualTo(404);
    HttpResponse<String> wrong = send(request("/echo"));
    assertThat(wrong.statusCode()).isEqualTo(405);
    assertThat(wrong.headers().firstValue("Allow")).contains("POST");
    assertThat(
            send(request("/where").method("HEAD", HttpRequest.BodyPublishers.noBody()))
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void tellsAClientToComeBackLater() throws Exception {
    HttpResponse<String> full = send(request("/full"));
    assertThat(full.statusCode()).isEqualTo(503);
    assertThat(full.headers().firstValue("Retry-After")).contains("2");
    assertThat(full.body()).contains("too much");
  }

  @Test
  void tellsThatTheStoreFailedAndToComeAgain() throws Exception {
    HttpResponse<String> failed = send(request("/store"));
    assertThat(failed.statusCode()).isEqualTo(503);
    assertThat(failed.headers().firstValue("Retry-After")).hasValue("5");
    assertThat(failed.body()).contains("the store failed: no node can be reached");
  }

  @Test
  void tellsThatTheStoreFailedWhateverLiesBelow() throws Exception {
    HttpResponse<String> late = send(request("/store-late"));
    assertThat(late.statusCode()).isEqualTo(503);
    assertThat(late.body()).contains("the store failed: no node answers");
    HttpResponse<String> cut = send(request("/store-cut"));
    assertThat(cut.statusCode()).isEqualTo(503);
    assertThat(cut.body()).contains("the store failed: a node went away");
  }

  @Test
  void sendsAQueryThatComesTooLateToAnotherServer() throws Exception {
    assertThat(send(request("/closed")).statusCode()).isEqualTo(429);
    dispatcher.drain();
    HttpResponse<String> stopping = send(request("/closed"));
    assertThat(stopping.statusCode()).isEqualTo(503);
    assertThat(stopping.headers().firstValue("Retry-After")).hasValue("5");
    assertThat(stopping.body()).contains("the server is stopping");
  }

  @Test
  void tellsNoSecretsAndNoStackTraces() throws Exception {
    HttpResponse<String> bug = send(request("/bug"));
    assertThat(bug.statusCode()).isEqualTo(500);
    assertThat(bug.body()).contains("internal error").doesNotContain("secret", "Exception", "at ");
  }

  @Test
  void answersWhatIsNoRequestInPlainWords() throws IOException {
    for (String malformed :
        List.of(
            "GET\r\n\r\n",
            "GET / HTTP/9.7\r\n\r\n",
            "GET / HTTP/1.1\r\nHost x\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write(malformed.getBytes(UTF_8));
        socket.setSoTimeout(5000);
        String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
        assertThat(answer)
            .startsWith("HTTP/1.1 ")
            .contains("text/plain", "this is no request that can be taken: ")
            .doesNotContainIgnoringCase("<html", "jetty", "exception");
        assertThat(answer).containsPattern("^HTTP/1\\.1 (4\\d\\d|505) ");
      }
    }
  }

  @Test
  void breaksOffAnAnswerThatFailsHalfWay() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write("GET /half HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      socket.setSoTimeout(5000);
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      // A complete chunked body ends with an empty chunk.
      assertThat(answer).startsWith("HTTP/1.1 200").doesNotEndWith("0\r\n\r\n");
    }
  }

  @Test
  void cancelsWhenTheClientGoesAway() throws Exception {
    long closed;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      Thread.sleep(100);
      assertThat(aborted).hasValue(0);
      closed = System.nanoTime();
    }
    Awaitility.await().until(() -> aborted.get() != 0);
    assertThat(Duration.ofNanos(aborted.get() - closed)).isLessThan(AT_ONCE);
  }

  @Test
  void cancelsWhenAClientGoesAwayThatHasSentMore() throws Exception {
    long closed;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      out.write("\r\n".getBytes(UTF_8));
      Thread.sleep(100);
      assertThat(aborted).hasValue(0);
      closed = System.nanoTime();
    }
    Awaitility.await().until(() -> aborted.get() != 0);
    assertThat(Duration.ofNanos(aborted.get() - closed)).isLessThan(AT_ONCE);
  }

  @Test
  void countsAClientThatGoesAwayAmidAnAnswer() throws Exception {
    for (String path : List.of("/endless", "/endless-json", "/endless-unchecked")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket
            .getOutputStream()
            .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
      Awaitility.await().until(() -> statuses.containsKey(path));
      assertThat(statuses).as(path).containsEntry(path, 499);
    }
  }

  /** A connection with sequential requests, each answered with a line. */
  private final class KeptAlive implements AutoCloseable {
    private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    private final BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));

    private KeptAlive() throws IOException {
      socket.setSoTimeout(1000);
    }

    private void ask() throws IOException {
      socket
          .getOutputStream()
          .write("GET /kept HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      String line = in.readLine();
      assertThat(line).startsWith("HTTP/1.1 200");
      while (!line.equals("kept")) {
        line = in.readLine();
        assertThat(line).isNotNull();
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void leavesTheConnectionAloneOnceTheAnswerIsComplete() throws Exception {
    try (KeptAlive client = new KeptAlive()) {
      client.ask();
      Exchange first = kept.get();
      client.ask();
      first.abandonAnswer();
      client.ask();
    }
  }

  /** Simulates a check that began while the request was in progress. */
  @Test
  void looksNotForTheClientOnceTheAnswerIsComplete() throws Exception {
    try (KeptAlive client = new KeptAlive()) {
      client.ask();
      JettyExchange first = (JettyExchange) kept.get();
      client.ask();
      AtomicBoolean done = new AtomicBoolean();
      Thread checking =
          Thread.ofPlatform()
              .start(() -> {
                while (!done.get()) {
                  first.onGone(() -> {});
                  first.check();
                }
              });
      try {
        for (int i = 0; i < 1000; i++) {
          client.ask();
        }
      } finally {
        done.set(true);
        checking.join();
      }
    }
  }

  @Test
  void keepsWhatComesWhileARequestIsUnderWay() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      socket.setSoTimeout(5000);
      out.write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      out.write(
          "GET /where HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes(UTF_8));
      Thread.sleep(150);
      release.countDown();
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).contains("done").endsWith("/where null");
      assertThat(aborted).hasValue(0);
    }
  }

  @Test
  void givesUpAClientThatReadsNoAnswer() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket
          .getOutputStream()
          .write("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(UTF_8));
      Awaitility.await().until(() -> dispatcher.reading() == 1);
      Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> dispatcher.reading() == 0);
    }
  }

  @Test
  void givesUpAClientThatSendsHalfARequest() throws Exception {
    try (Socket body = new Socket(InetAddress.getLoopbackAddress(), port);
        Socket head = new Socket(InetAddress.getLoopbackAddress(), port)) {
      body.setSoTimeout(10_000);
      head.setSoTimeout(10_000);
      body.getOutputStream()
          .write(
              "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"
                  .getBytes(UTF_8));
      head.getOutputStream().write("GET /where HTTP/1.1\r\nHos".getBytes(UTF_8));
      Awaitility.await().until(() -> dispatcher.budget().used() > 0);
      // Waiting for a body does not occupy a place for writing.
      assertThat(dispatcher.writing()).isZero();
      String answer = new String(body.getInputStream().readAllBytes(), UTF_8);
      assertThat(answer).startsWith("HTTP/1.1 408").doesNotContain("Exception");
      assertThat(new String(head.getInputStream().readAllBytes(), UTF_8))
          .doesNotContain("HTTP/1.1 200", "Exception");
      assertThat(dispatcher.budget().used()).isZero();
    }
  }

  @Test
  void stopsWhatTakesTooLong() throws Exception {
    HttpResponse<String> slow = send(request("/slow"));
    assertThat(slow.statusCode()).isEqualTo(503);
    assertThat(slow.body()).contains("took longer");
  }

  @Test
  void sendsRequestsAwayWhenTooManyWait() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var handler = HttpResponse.BodyHandlers.ofString();
      var first = client.sendAsync(request("/slow").build(), handler);
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      var second = client.sendAsync(request("/slow").build(), handler);
      Awaitility.await().until(() -> dispatcher.waiting() == 1);
      HttpResponse<String> third = client.send(request("/slow").build(), handler);
      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("Retry-After")).isPresent();
      assertThat(client.send(request("/where").build(), handler).statusCode()).isEqualTo(200);
      assertThat(second.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
      release.countDown();
      assertThat(first.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void takesBodiesThatHaveComeWhileOthersAreStillComing() throws Exception {
    // More than the number of requests that may write or wait at once.
    List<Socket> halves = new ArrayList<>();
    try {
      for (int i = 0; i < 6; i++) {
        Socket half = new Socket(InetAddress.getLoopbackAddress(), port);
        halves.add(half);
        half.getOutputStream()
            .write(
                "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"
                    .getBytes(UTF_8));
      }
      Awaitility.await().until(() -> dispatcher.budget().used() >= halves.size() * (4L << 10));
      HttpResponse<String> whole =
          send(request("/echo").POST(HttpRequest.BodyPublishers.ofString("whole")));
      assertThat(whole.body()).isEqualTo("whole");
    } finally {
      for (Socket half : halves) {
        half.close();
      }
    }
    Awaitility.await().until(() -> dispatcher.budget().used() == 0);
  }

  @Test
  void tellsLinesFromHttpByTheFirstByte() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(5000);
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      socket.getOutputStream().write("put a\nver".getBytes(UTF_8));
      assertThat(in.readLine()).isEqualTo("PUT A");
      socket.getOutputStream().write("sion\n".getBytes(UTF_8));
      assertThat(in.readLine()).isEqualTo("VERSION");
      server.close();
      assertThat(in.readLine()).isNull();
    }
  }

  @Test
  void letsRequestsEndWhenItStops() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var slow = client.sendAsync(request("/slow").build(), HttpResponse.BodyHandlers.ofString());
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      Thread closing = Thread.ofPlatform().start(server::close);
      Thread.sleep(200);
      assertThat(closing.isAlive()).isTrue();
      release.countDown();
      assertThat(slow.get(5, TimeUnit.SECONDS).body()).isEqualTo("done");
      closing.join(3000);
      assertThat(closing.isAlive()).isFalse();
    }
  }

  @Test
  void refusesDialectsThatClaimOnePath() {
    Route route = Route.get("/same", Load.NONE, Right.LOGIN, exchange -> exchange.answer(204));
    Assertions.assertThatThrownBy(() ->
            new Router(
                List.of(
                    new Router.Mount("one", true, List.of(route), ErrorFormat.PLAIN),
                    new Router.Mount("two", true, List.of(route), ErrorFormat.PLAIN))))
        .hasMessageContaining("GET /same is both one's and two's");
  }
}
