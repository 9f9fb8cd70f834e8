package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several clients write while the server is killed with SIGKILL at a named or random moment,
 * restarted, and asked for everything. Every acknowledged point must be there, none changed and
 * none invented. By default there are twenty kills in two concurrent loops, each with its own
 * server. {@code -Dvarve.crash.kills=500} sets another number, {@code -Dvarve.crash.seed=N} repeats
 * the same choices.
 */
@ParameterizedClass
@ValueSource(ints = {0, 1})
@Execution(ExecutionMode.CONCURRENT)
class CrashLoopIT {
  private static final int LOOPS = 2;
  private static final int KILLS_A_LOOP =
      Math.ceilDiv(Integer.getInteger("varve.crash.kills", 20), LOOPS);
  private static final long SEED = Long.getLong("varve.crash.seed", System.nanoTime());
  private static final List<String> DATASETS = List.of("buckets", "blocks", "kairosdb", "opentsdb");
  private static final int CLIENTS = 4;
  private static final long START = 1_700_000_000_000L;
  private static final int PROBLEMS_SHOWN = 20;

  /**
   * Number of recent rounds whose series are checked after each start. Older ones are checked
   * occasionally.
   */
  private static final int ROUNDS_KEPT_IN_SIGHT = 20;

  private static final int ROUNDS_BETWEEN_FULL_LOOKS = 10;

  /** The moment of a kill. */
  private enum Moment {
    UNDER_WRITES,
    RIGHT_AFTER_AN_ANSWER,
    WHILE_A_REQUEST_IS_UNDER_WAY,
    DURING_START,
    WHEN_A_TABLE_FILE_APPEARS,
    WHILE_IT_STOPS,
    AT_A_SYNC("fdatasync", 100),
    WHILE_IT_RENAMES_A_FILE("rename", 3),
    WHILE_IT_REMOVES_A_FILE("unlink", 4);

    /** The system call before which strace kills the server; null if the test kills it. */
    private final @Nullable String call;

    /** Maximum number of preceding calls of a thread, since strace counts per thread. */
    private final int callNumberMax;

    Moment() {
      this(null, 0);
    }

    Moment(@Nullable String call, int callNumberMax) {
      this.call = call;
      this.callNumberMax = callNumberMax;
    }
  }

  private final int loop;
  private final Path folder;
  private final Random random;
  private final Ledger ledger = new Ledger();
  private final AtomicLong answers = new AtomicLong();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();
  private final Map<Moment, Integer> diedAtCall = new EnumMap<>(Moment.class);
  private volatile boolean expectsToDie;

  CrashLoopIT(int loop) {
    this.loop = loop;
    this.folder = Checkout.fresh("crash-loop-" + loop);
    this.random = new Random(SEED + loop);
  }

  @Test
  void keepsEveryAcknowledgedPointThroughKills() throws Exception {
    Checkout.program("strace", "strace");
    try (VarveProcess server = VarveProcess.in(folder, config()).start()) {
      for (int round = 0; round < KILLS_A_LOOP; round++) {
        Moment moment = momentOf(round);
        killAt(server, moment, round);
        server.start();
        check(server, round, round % ROUNDS_BETWEEN_FULL_LOOKS == 0 || round == KILLS_A_LOOP - 1);
      }
      assertThat(server.stop())
          .as("exit code after SIGTERM" + server.shownLog())
          .isIn(0, VarveProcess.TERMINATED);
    }
    System.out.printf(
        "crash loop %d: %d kills, seed %d, %d points acknowledged and found; killed by strace: %s%n",
        loop, KILLS_A_LOOP, SEED, ledger.acknowledged(), diedAtCall);
    assertThat(ledger.acknowledged()).isGreaterThan(50L * KILLS_A_LOOP);
  }

  /**
   * Returns the moments in turn, so that finished rounds of both loops do not repeat the same ones.
   */
  private Moment momentOf(int round) {
    Moment[] all = Moment.values();
    return all[(round + loop * all.length / LOOPS) % all.length];
  }

  /**
   * Returns a configuration with little memory, so that table files are written and logs removed
   * all the time. One loop leaves the sync of journals to the operating system, which survives.
   */
  private String config() {
    String journal = loop % 2 == 0 ? "fsync" : "os";
    return "data: data\nmemory: 8MB\nlisten: [{port: PORT}]\ndatasets:\n"
        + DATASETS.stream()
            .map(name -> "  %s: {layout: %s, journal: %s}%n".formatted(name, name, journal))
            .collect(Collectors.joining());
  }

  /** Runs clients against a server until it is killed. */
  private void killAt(VarveProcess server, Moment moment, int round) throws Exception {
    expectsToDie = moment.call != null;
    if (moment == Moment.DURING_START) {
      server.kill();
      server.launch();
      VarveProcess.sleep(random.nextInt(2_000));
      server.kill();
      return;
    }
    if (moment.call != null && !restartsToDieAt(server, moment)) {
      return;
    }
    Writers writers = new Writers(server, round, moment);
    writers.start();
    BooleanSupplier over =
        switch (moment) {
          case UNDER_WRITES, WHILE_IT_STOPS -> after(200 + random.nextInt(600));
          case RIGHT_AFTER_AN_ANSWER -> answered(20 + random.nextInt(100));
          case WHILE_A_REQUEST_IS_UNDER_WAY -> after(300 + random.nextInt(100));
          case WHEN_A_TABLE_FILE_APPEARS -> tableFileAppears();
          default -> after(5_000);
        };
    while (!over.getAsBoolean() && server.isAlive()) {
      Thread.sleep(0, 200_000);
    }
    if (moment.call != null && !server.isAlive()) {
      diedAtCall.merge(moment, 1, Integer::sum);
    }
    expectsToDie = true;
    if (moment == Moment.WHILE_IT_STOPS) {
      server.terminate();
      VarveProcess.sleep(random.nextInt(400));
    }
    server.kill();
    writers.join();
    assertThat(problems).as("seed %d, loop %d, round %d, %s", SEED, loop, round, moment).isEmpty();
  }

  /**
   * Restarts the server so that it is killed before a system call.
   *
   * @return false if it was killed before it was ready
   */
  private boolean restartsToDieAt(VarveProcess server, Moment moment) {
    server.stop();
    int number = 1 + random.nextInt(moment.callNumberMax);
    server.launch(
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=" + moment.call,
        "-e",
        "inject=" + moment.call + ":signal=SIGKILL:when=" + number);
    try {
      server.awaitReady();
      return true;
    } catch (AssertionError e) {
      if (server.isAlive()) {
        throw e;
      }
      diedAtCall.merge(moment, 1, Integer::sum);
      return false;
    }
  }

  private static BooleanSupplier after(int millis) {
    long end = System.nanoTime() + 1_000_000L * millis;
    return () -> System.nanoTime() >= end;
  }

  private BooleanSupplier answered(int count) {
    long end = answers.get() + count;
    return () -> answers.get() >= end;
  }

  private BooleanSupplier tableFileAppears() {
    List<Path> before = tableFiles();
    BooleanSupplier late = after(4_000);
    return () -> late.getAsBoolean() || !before.containsAll(tableFiles());
  }

  private List<Path> tableFiles() {
    try (Stream<Path> files = Files.walk(folder.resolve("data"))) {
      return files.filter(file -> file.toString().endsWith(".sst")).toList();
    } catch (IOException | UncheckedIOException e) {
      // A file disappeared while the folder was listed; the next poll tries again.
      return List.of();
    }
  }

  /** Reads all series of the recent rounds and compares them with the ledger. */
  private void check(VarveProcess server, int round, boolean all) throws IOException {
    Map<String, List<Ledger.Key>> byDataset = new LinkedHashMap<>();
    for (Ledger.Key key : ledger.keys()) {
      if (all || roundOf(key) > round - ROUNDS_KEPT_IN_SIGHT) {
        byDataset.computeIfAbsent(key.dataset(), name -> new ArrayList<>()).add(key);
      }
    }
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, List<Ledger.Key>> dataset : byDataset.entrySet()) {
      List<Ledger.Key> keys = dataset.getValue();
      List<NavigableMap<Long, BigDecimal>> found =
          KairosQuery.all(server, dataset.getKey(), keys.stream().map(Ledger.Key::series).toList());
      for (int i = 0; i < keys.size(); i++) {
        wrong.addAll(ledger.settle(keys.get(i), found.get(i)));
      }
    }
    assertThat(wrong.stream().limit(PROBLEMS_SHOWN).toList())
        .as(
            "%d wrong after kill %d of loop %d, seed %d%s",
            wrong.size(), round, loop, SEED, server.shownLog())
        .isEmpty();
  }

  private static int roundOf(Ledger.Key key) {
    return Integer.parseInt(key.series().metric().substring("crash.".length()));
  }

  /** The clients of one round. */
  private final class Writers {
    private final List<Thread> threads = new ArrayList<>();

    private Writers(VarveProcess server, int round, Moment moment) {
      for (int i = 0; i < CLIENTS; i++) {
        threads.add(new Thread(new Client(server, round, i, moment, random.nextLong())));
      }
    }

    private void start() {
      threads.forEach(Thread::start);
    }

    private void join() throws InterruptedException {
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  /** A point as it is sent. */
  private record Sent(Ledger.Key key, long time, String value) {}

  /**
   * Sends requests until the server is gone, each with new points of a series and a new value for
   * an instant that it wrote before.
   */
  private final class Client implements Runnable {
    private final VarveProcess server;
    private final int round;
    private final int number;
    private final String dataset;
    private final boolean overKairosDb;
    private final int pointsMax;
    private final Random random;
    private int requests;

    private Client(VarveProcess server, int round, int number, Moment moment, long seed) {
      this.server = server;
      this.round = round;
      this.number = number;
      this.dataset = DATASETS.get((round + number) % DATASETS.size());
      this.overKairosDb = (round + number) % 2 == 0;
      this.pointsMax =
          switch (moment) {
            case WHEN_A_TABLE_FILE_APPEARS -> 1_000;
            case WHILE_A_REQUEST_IS_UNDER_WAY -> 500;
            default -> 30;
          };
      this.random = new Random(seed);
    }

    @Override
    public void run() {
      try {
        while (!expectsToDie || server.isAlive()) {
          List<Sent> points = next();
          points.forEach(point -> ledger.send(point.key(), point.time(), point.value()));
          if (isAcknowledged(send(points))) {
            points.forEach(point -> ledger.acknowledge(point.key(), point.time(), point.value()));
            answers.incrementAndGet();
          }
        }
      } catch (IOException e) {
        if (!expectsToDie) {
          problems.add("client " + number + ": " + e + server.shownLog());
        }
      }
    }

    private List<Sent> next() {
      int request = requests++;
      // A new series every few requests, so that names are assigned and indexed all the time.
      Ledger.Key series = key("s" + request / 8);
      boolean integers = request / 8 % 2 == 0;
      List<Sent> points = new ArrayList<>();
      int count = 1 + random.nextInt(pointsMax);
      for (int i = 0; i < count; i++) {
        long time = START + 1_000_000L * (request % 8) + 10L * i;
        long value = 1_000_000L * request + i;
        points.add(new Sent(series, time, integers ? Long.toString(value) : value + ".25"));
      }
      points.add(new Sent(key("again"), START, Integer.toString(request)));
      return points;
    }

    private Ledger.Key key(String name) {
      return new Ledger.Key(
          dataset,
          new KairosQuery.Wanted(
              "crash." + round, Map.of("client", Integer.toString(number), "series", name)));
    }

    private HttpResponse<String> send(List<Sent> points) throws IOException {
      String prefix = "/datasets/" + dataset;
      return overKairosDb
          ? server.post(
              prefix + "/api/v1/datapoints",
              points.stream().map(Client::kairosDb).collect(Collectors.joining(",", "[", "]")))
          : server.post(
              prefix + "/varve/v1/points",
              points.stream().map(Client::pointForm).collect(Collectors.joining("\n")));
    }

    private static String kairosDb(Sent point) {
      return "{\"name\":\"%s\",\"tags\":%s,\"datapoints\":[[%d,%s]]}"
          .formatted(point.key().series().metric(), tags(point), point.time(), point.value());
    }

    private static String pointForm(Sent point) {
      return "{\"metric\":\"%s\",\"tags\":%s,\"time\":%d,\"value\":%s}"
          .formatted(point.key().series().metric(), tags(point), point.time(), point.value());
    }

    private static String tags(Sent point) {
      return point.key().series().tags().entrySet().stream()
          .map(tag -> "\"" + tag.getKey() + "\":\"" + tag.getValue() + "\"")
          .collect(Collectors.joining(",", "{", "}"));
    }

    private boolean isAcknowledged(HttpResponse<String> answer) {
      boolean done =
          overKairosDb
              ? answer.statusCode() == 204
              : answer.statusCode() == 200 && answer.body().contains("\"refused\":0");
      if (!done && answer.statusCode() != 503 && answer.statusCode() != 429) {
        problems.add("client " + number + " got " + answer.statusCode() + ": " + answer.body());
      }
      return done;
    }
  }
}
