package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.varve.server.http.Route.Load;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Long computations do not delay other requests. */
class LongWorkTest {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final AtomicInteger computing = new AtomicInteger();
  private final CountDownLatch allCompute = new CountDownLatch(PROCESSORS + 1);
  private volatile boolean over;

  private void compute(Exchange exchange) {
    computing.incrementAndGet();
    allCompute.countDown();
    while (!over) {
      Thread.onSpinWait();
    }
    exchange.answer(204);
  }

  @Test
  void answersWhileMoreWritesComputeThanThereAreProcessors() throws Exception {
    Router.Mount mount =
        new Router.Mount(
            "test",
            false,
            List.of(
                Route.post("/computes", Load.WRITE, Right.WRITE, this::compute),
                Route.get(
                    "/short", Load.NONE, Right.LOGIN, e -> e.answer(200, "text/plain", "short\n"))),
            ErrorFormat.PLAIN);
    Dispatcher dispatcher =
        new Dispatcher(HttpLimits.DEFAULTS, (dialect, path, status, nanos, in, out) -> {});
    List<Socket> clients = new ArrayList<>();
    try (SocketServer server =
        SocketServer.start(
            List.of(new SocketServer.Port("127.0.0.1", 0, new Router(List.of(mount)), null)),
            dispatcher)) {
      int port = server.ports().getFirst();
      for (int i = 0; i <= PROCESSORS; i++) {
        Socket client = new Socket(InetAddress.getLoopbackAddress(), port);
        clients.add(client);
        client
            .getOutputStream()
            .write(
                "POST /computes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(allCompute.await(10, TimeUnit.SECONDS)).as("all of them compute").isTrue();
      assertThat(RawHttp.send(port, "GET", "/short", "").body()).isEqualTo("short\n");
      assertThat(computing).hasValue(PROCESSORS + 1);
    } finally {
      over = true;
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  @Test
  void readsFewLongBodiesAtOnceAndAnyNumberOfShortOnes() throws Exception {
    LongBodies bodies = new LongBodies(0, Duration.ofSeconds(10));
    List<LongBodies.Turn> turns = new ArrayList<>();
    AtomicInteger left = new AtomicInteger();
    for (int i = 0; i < 2 * PROCESSORS; i++) {
      ClientAddress client = ClientAddress.of(InetAddress.getByName("10.0.0." + i));
      LongBodies.Turn turn = bodies.of(client, left::incrementAndGet, gone -> {});
      assertThat(readAll(turn, LongBodies.LONG + 1)).isEqualTo(LongBodies.LONG + 1);
      turns.add(turn);
    }
    assertThat(left).as("places given up before").hasValue(2 * PROCESSORS);
    LongBodies.Turn one = bodies.of(ClientAddress.LOCAL, left::incrementAndGet, gone -> {});
    assertThat(readAll(one, LongBodies.LONG)).isEqualTo(LongBodies.LONG);
    assertThat(left).hasValue(2 * PROCESSORS);
    assertThatThrownBy(() -> readAll(one, LongBodies.LONG + 1))
        .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.status()).isEqualTo(503));
    turns.getFirst().end();
    turns.getFirst().end();
    one.await(LongBodies.LONG + 1);
    assertThat(bodies.inFlight()).isEqualTo(2 * PROCESSORS);
  }

  @Test
  void readsNoFurtherWhenTheClientOfALongBodyIsGone() throws Exception {
    LongBodies bodies = new LongBodies(1, Duration.ofSeconds(60));
    AtomicReference<Runnable> gone = new AtomicReference<>();
    LongBodies.Turn turn = bodies.of(ClientAddress.LOCAL, () -> {}, gone::set);
    try (InputStream in = turn.input(new ByteArrayInputStream(new byte[3 * LongBodies.LONG]))) {
      in.readNBytes(LongBodies.LONG);
      assertThat(gone).as("short bodies are not watched").hasNullValue();
      in.readNBytes(LongBodies.LONG);
      gone.get().run();
      assertThatThrownBy(in::readAllBytes).satisfies(LongWorkTest::isGone);
    }
    turn.end();
    assertThat(bodies.inFlight()).isZero();
  }

  @Test
  void waitsNoLongerWhenTheClientOfALongBodyIsGone() throws Exception {
    LongBodies bodies = new LongBodies(1, Duration.ofSeconds(60));
    for (int i = 0; i < 2 * PROCESSORS; i++) {
      ClientAddress client = ClientAddress.of(InetAddress.getByName("10.0.0." + i));
      bodies.of(client, () -> {}, gone -> {}).await(LongBodies.LONG + 1);
    }
    AtomicReference<Runnable> gone = new AtomicReference<>();
    AtomicReference<Throwable> end = new AtomicReference<>();
    LongBodies.Turn turn = bodies.of(ClientAddress.LOCAL, () -> {}, gone::set);
    Thread waits =
        Thread.ofVirtual()
            .start(() -> end.set(catchThrowable(() -> turn.await(LongBodies.LONG + 1))));
    await().until(() -> bodies.waiting() == 1);
    gone.get().run();
    assertThat(waits.join(Duration.ofSeconds(20))).as("does not wait for a minute").isTrue();
    assertThat(end.get()).satisfies(LongWorkTest::isGone);
    assertThat(bodies.waiting()).isZero();
  }

  private static void isGone(Throwable end) {
    assertThat(end)
        .isInstanceOfSatisfying(HttpError.class, e -> assertThat(e.status()).isEqualTo(499));
  }

  private static int readAll(LongBodies.Turn turn, int length) throws IOException {
    return turn.input(new ByteArrayInputStream(new byte[length])).readAllBytes().length;
  }
}
