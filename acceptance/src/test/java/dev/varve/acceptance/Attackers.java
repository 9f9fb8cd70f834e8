package dev.varve.acceptance;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Attacks a server with everything that clients can do to hurt it, all at once: growing bodies,
 * endless lines, heavy queries, and slow clients. Each client is a virtual thread that repeats its
 * round after a pause. The attackers themselves compute little compared with the work they cause in
 * the server.
 */
final class Attackers implements AutoCloseable {
  private static final int MB = 1 << 20;

  /** Time over which the clients start, one after the other. */
  private static final long ARRIVAL_MS = 10_000;

  /** Time for which a client holds a connection that the server does not close. */
  private static final int HOLD_MS = 60_000;

  /** Time for which a client waits for an answer, longer than any query may take. */
  private static final int ANSWER_MS = 150_000;

  /** Addresses of one attack. */
  private static final int ADDRESSES = 8;

  /** Minimum pause of a client after a refusal. */
  private static final long REFUSED_MS = 250;

  private static final String ALL = "{__name__=~\".+\"}";

  /** The ports of the server. */
  record Ports(int http, int influx, int graphite, int pickle) {}

  /** A round that a client repeats. */
  @FunctionalInterface
  private interface Round {
    void run(Client client) throws IOException, InterruptedException;
  }

  /**
   * A kind of attack.
   *
   * @param addresses number of addresses of its clients
   * @param pause time between two rounds of a client
   */
  private record Kind(String name, int clients, int addresses, Duration pause, Round round) {
    Kind(String name, int clients, Duration pause, Round round) {
      this(name, clients, ADDRESSES, pause, round);
    }
  }

  /** The outcomes of an attack. */
  private static final class Tally {
    private final LongAdder connections = new LongAdder();
    private final LongAdder requests = new LongAdder();

    /** Numbers of answers by status, and of other outcomes by a word. */
    private final Map<String, LongAdder> ends = new ConcurrentSkipListMap<>();

    private void end(String how) {
      ends.computeIfAbsent(how, h -> new LongAdder()).increment();
    }
  }

  private final Ports ports;
  private final long end;
  private final boolean oneAddress;
  private final Map<String, Tally> tallies = new TreeMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * Prepares the attackers; {@link #start} begins the attack.
   *
   * @param end time of the last sample to query, in seconds
   * @param oneAddress whether all clients use 127.0.0.1 instead of 127.0.0.2 and above
   * @param only names of the attacks; null for all
   */
  Attackers(Ports ports, long end, boolean oneAddress, @Nullable String only) {
    this.ports = ports;
    this.end = end;
    this.oneAddress = oneAddress;
    List<Kind> kinds = new ArrayList<>();
    kinds.addAll(ofBodies());
    kinds.addAll(ofJson());
    kinds.addAll(ofQueries());
    kinds.addAll(ofSlowClients());
    kinds.addAll(ofFloods());
    int address = 2;
    for (Kind kind : kinds) {
      if (only == null || List.of(only.split(",", -1)).contains(kind.name())) {
        prepare(kind, address);
      }
      address += kind.addresses();
    }
    if (threads.isEmpty()) {
      throw new IllegalArgumentException(
          "no attack is called %s, but %s"
              .formatted(only, kinds.stream().map(Kind::name).collect(Collectors.joining(","))));
    }
  }

  private void prepare(Kind kind, int firstAddress) {
    Tally tally = new Tally();
    tallies.put(kind.name(), tally);
    for (int i = 0; i < kind.clients(); i++) {
      String from = oneAddress ? "127.0.0.1" : "127.0.0." + (firstAddress + i % kind.addresses());
      Client client = new Client(kind, i, from, tally);
      threads.add(Thread.ofVirtual().name(kind.name() + "-" + i).unstarted(client));
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Stops all clients and closes their connections. */
  @Override
  public void close() {
    stopped = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Returns a table with one line per attack. */
  String report() {
    return tallies.entrySet().stream()
        .map(attack -> {
          Tally tally = attack.getValue();
          return "| %s | %,d | %,d | %s |%n"
              .formatted(
                  attack.getKey(), tally.connections.sum(), tally.requests.sum(), ends(tally));
        })
        .collect(
            Collectors.joining(
                "",
                "| attack | connections | requests | ends |\n| --- | ---: | ---: | --- |\n",
                ""));
  }

  private static String ends(Tally tally) {
    return tally.ends.entrySet().stream()
        .map(end -> "%s: %,d".formatted(end.getKey(), end.getValue().sum()))
        .collect(Collectors.joining(", "));
  }

  /** Returns the attacks that did not take place. */
  List<String> absent() {
    return tallies.entrySet().stream()
        .filter(attack -> attack.getValue().connections.sum() == 0)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns the attacks that got an internal error. */
  List<String> failing() {
    return tallies.entrySet().stream()
        .filter(attack -> attack.getValue().ends.containsKey("500"))
        .map(Map.Entry::getKey)
        .toList();
  }

  private List<Kind> ofBodies() {
    byte[] fields = Bombs.fields(12_000);
    byte[] zstd = Bombs.otlpInZstd(250 * MB);
    byte[] snappy = Bombs.remoteWriteInSnappy(80 * MB);
    byte[] announced = Bombs.announcedInSnappy(256 * MB);
    byte[] kairosDb =
        Bombs.gzip(
            "[{\"name\":\"bomb\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[1,1]",
            ",[1,1]",
            40 * MB / 6);
    byte[] influx = Bombs.gzip("bomb,a=b value=\"", "x", 250 * MB);
    byte[] text = Bombs.gzip("bomb{a=\"b\"} 1\n# ", "x", 250 * MB);
    return List.of(
        new Kind(
            "Influx line of 12000 fields",
            2,
            Duration.ofSeconds(1),
            client -> client.post("/write", fields)),
        new Kind(
            "zstd to OTLP",
            36,
            Duration.ofSeconds(10),
            client -> client.post("/v1/metrics", zstd, PROTOBUF, "Content-Encoding: zstd")),
        new Kind(
            "zstd to OTLP held open",
            36,
            Duration.ofSeconds(1),
            client -> client.postUpTo(1, "/v1/metrics", zstd, PROTOBUF, "Content-Encoding: zstd")),
        new Kind(
            "snappy to remote write",
            16,
            Duration.ofSeconds(20),
            client -> client.post("/api/v1/write", snappy, PROTOBUF, SNAPPY)),
        new Kind(
            "snappy announced and held open",
            32,
            Duration.ofSeconds(1),
            client -> client.postUpTo(1, "/api/v1/write", announced, PROTOBUF, SNAPPY)),
        new Kind(
            "gzip bombs",
            6,
            Duration.ofSeconds(10),
            client -> {
              switch (client.next(3)) {
                case 0 -> client.post("/api/v1/datapoints", kairosDb, JSON, GZIP);
                case 1 -> client.post("/write", influx, GZIP);
                default -> client.post("/api/v1/import/prometheus", text, GZIP);
              }
            }),
        new Kind(
            "series of many labels",
            2,
            Duration.ofMillis(500),
            client -> {
              String id = client.number + "-" + client.rounds;
              boolean beyond = client.next(2) == 0;
              String line = beyond ? Bombs.labels(id, 120, 4_000) : Bombs.labels(id, 120, 12);
              client.post("/write", line.getBytes(StandardCharsets.UTF_8));
            }),
        new Kind("lines without an end", 900, Duration.ofSeconds(5), this::sendLineWithoutEnd));
  }

  private static final String PROTOBUF = "Content-Type: application/x-protobuf";
  private static final String JSON = "Content-Type: application/json";
  private static final String FORM = "Content-Type: application/x-www-form-urlencoded";
  private static final String SNAPPY = "Content-Encoding: snappy";
  private static final String GZIP = "Content-Encoding: gzip";

  /** Sends a mebibyte in pieces without the end of a line or a frame, and waits. */
  private void sendLineWithoutEnd(Client client) throws IOException, InterruptedException {
    byte[] piece = "x".repeat(32 << 10).getBytes(StandardCharsets.UTF_8);
    int kind = client.number % 4;
    int port =
        switch (kind) {
          case 0 -> ports.influx();
          case 1 -> ports.graphite();
          case 2 -> ports.pickle();
          default -> ports.http();
        };
    try (RawConnection connection = client.open(port)) {
      client.tally.requests.increment();
      connection.send(kind == 2 ? new byte[] {0, 0x10, 0, 0, (byte) 0x80, 2} : new byte[] {'x'});
      for (int sent = 0; sent < MB - 2 * piece.length; sent += piece.length) {
        connection.send(piece);
        Thread.sleep(100);
      }
      client.hold(connection);
    }
  }

  private List<Kind> ofJson() {
    Map<String, String[]> beginnings =
        Map.of(
            "/api/v1/datapoints",
            new String[] {
              "[{\"name\":\"",
              "[{\"name\":\"j\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[1,1]",
              "[{\"name\":"
            },
            "/api/put",
            new String[] {"[{\"metric\":\"", "[{\"metric\":\"j\"}", "[{\"tags\":"},
            "/v1/metrics",
            new String[] {
              "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"",
              "{\"resourceMetrics\":[{}",
              "{\"resourceMetrics\":"
            });
    String[] again = {"a", ",{}", "["};
    int[] times = {100 * MB, 3 * MB, 100 * MB};
    List<Map.Entry<String, byte[]>> bodies = new ArrayList<>();
    beginnings.forEach((path, begin) -> {
      for (int i = 0; i < again.length; i++) {
        bodies.add(Map.entry(path, Bombs.gzip(begin[i], again[i], times[i])));
      }
    });
    byte[] plain = "[".repeat(8 * MB).getBytes(StandardCharsets.UTF_8);
    return List.of(
        new Kind(
            "JSON without an end",
            9,
            Duration.ofSeconds(5),
            client -> {
              Map.Entry<String, byte[]> body = bodies.get(client.next(bodies.size()));
              client.post(body.getKey(), body.getValue(), JSON, GZIP);
            }),
        new Kind(
            "JSON of brackets",
            3,
            Duration.ofSeconds(5),
            client -> {
              List<String> paths = List.of("/api/v1/datapoints", "/api/put", "/v1/metrics");
              client.post(paths.get(client.next(3)), plain, JSON);
            }));
  }

  private List<Kind> ofQueries() {
    List<String> queries =
        List.of(
            ALL + "[10y]",
            "sum by (id, zone, rack) (many)",
            "quantile_over_time(0.9, dense[6h])",
            "max_over_time(stddev_over_time(many[6h:100ms])[1h:1s])",
            "sort_desc(sort(" + ALL + "))",
            "count_values(\"v\", " + ALL + ")",
            "many + on (zone) group_left many",
            "many * on (id) many * on (id) many");
    byte[] kairosDb =
        "{\"start_absolute\":1,\"end_absolute\":%d,\"metrics\":[{\"name\":\"many\",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"id\",\"zone\",\"rack\"]}]}]}"
            .formatted(end * 1000)
            .getBytes(StandardCharsets.UTF_8);
    byte[] read = Bombs.remoteRead(10, end * 1000);
    String all = "match[]=" + URLEncoder.encode(ALL, StandardCharsets.UTF_8);
    return List.of(
        new Kind(
            "heavy queries",
            60,
            4,
            Duration.ZERO,
            client -> {
              switch (client.next(8)) {
                case 0 -> client.post("/api/v1/datapoints/query", kairosDb, JSON);
                case 1 -> client.post("/api/v1/series", all.getBytes(StandardCharsets.UTF_8), FORM);
                case 2 -> client.get("/api/v1/labels?" + all);
                case 3 -> client.post("/api/v1/read", read, PROTOBUF, SNAPPY);
                case 4 -> client.get(instant(queries.get(client.next(queries.size()))));
                default -> client.get(range(queries.get(client.next(queries.size()))));
              }
            }),
        new Kind(
            "answers read slowly",
            20,
            2,
            Duration.ofSeconds(1),
            client -> {
              try (RawConnection connection = client.openSmall(ports.http())) {
                client.ask(connection, "POST", "/api/v1/series", all.length(), FORM);
                connection.send(all);
                while (connection.read() >= 0) {
                  Thread.sleep(20);
                }
                client.tally.end("closed");
              }
            }));
  }

  private String instant(String query) {
    return "/api/v1/query?time=%d&query=%s"
        .formatted(end, URLEncoder.encode(query, StandardCharsets.UTF_8));
  }

  private String range(String query) {
    return "/api/v1/query_range?start=%d&end=%d&step=1&query=%s"
        .formatted(end - 10_000, end, URLEncoder.encode(query, StandardCharsets.UTF_8));
  }

  private List<Kind> ofSlowClients() {
    return List.of(
        new Kind(
            "bodies that trickle",
            70,
            Duration.ofSeconds(1),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                client.ask(connection, "POST", "/write", 100_000);
                client.trickle(connection, "m,a=b value=1 1\n");
              }
            }),
        new Kind(
            "headers that trickle",
            50,
            Duration.ofSeconds(1),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                connection.send("GET /api/v1/labels HTTP/1.1\r\n");
                client.trickle(connection, "X-Trickle: a\r\n");
              }
            }),
        new Kind(
            "idle connections",
            2_000,
            Duration.ofSeconds(10),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                connection.send("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n");
                client.tally.requests.increment();
                client.hold(connection);
              }
            }),
        new Kind(
            "connections that send nothing",
            100,
            Duration.ofSeconds(1),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                client.hold(connection);
              }
            }),
        new Kind(
            "half-closed connections",
            20,
            Duration.ofSeconds(1),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                String path = client.next(2) == 0 ? "/api/v1/labels" : "/api/v1/write";
                client.ask(connection, "POST", path, client.next(2) * 1_000);
                connection.endSending();
                client.hold(connection);
              }
            }),
        new Kind("telnet without a reader", 10, Duration.ofSeconds(1), this::sendBadLines));
  }

  /** Sends lines that each cause an error, and reads none of the answers. */
  private void sendBadLines(Client client) throws IOException, InterruptedException {
    String bad = ("put bad 1 x a=b\nnonsense " + "y".repeat(100) + "\n").repeat(25);
    try (RawConnection connection = client.openSmall(ports.http())) {
      for (int i = 0; i < 120 && !stopped; i++) {
        connection.send(bad);
        client.tally.requests.increment();
        Thread.sleep(500);
      }
      client.tally.end("unread");
    }
  }

  private List<Kind> ofFloods() {
    return List.of(
        new Kind(
            "reconnect storm",
            4,
            Duration.ofMillis(40),
            client -> {
              try (RawConnection connection = client.open(ports.http())) {
                if (client.next(2) == 0) {
                  connection.send("GET /api/v1/la");
                }
                connection.resetOnClose();
              }
              client.tally.end("reset");
            }),
        new Kind(
            "operations",
            8,
            Duration.ofMillis(100),
            client -> {
              switch (client.next(3)) {
                case 0 -> client.post("/-/reload", new byte[0]);
                case 1 -> client.get("/api/v1/status/queries");
                default -> client.get("/metrics");
              }
            }),
        new Kind("bad HTTP", 6, Duration.ofMillis(200), this::sendBadHttp));
  }

  private void sendBadHttp(Client client) throws IOException {
    byte[] garbage = new byte[2_000];
    client.random.nextBytes(garbage);
    garbage[0] = 'G';
    String chunked =
        "POST /write HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (RawConnection connection = client.open(ports.http())) {
      client.tally.requests.increment();
      switch (client.next(8)) {
        case 0 -> connection.send(garbage);
        case 1 -> connection.send(chunked + "-5\r\nabc\r\n");
        case 2 -> connection.send(chunked + "ffffffffffffffff\r\nabc\r\n");
        case 3 -> connection.send(chunked + "zz\r\n");
        case 4 -> connection.send(GET + "/%2d/reload/../../etc/passwd HTTP/1.1" + REST);
        case 5 -> connection.send(GET + "//datasets/%ff%fe/../x;y=1 HTTP/1.1" + REST);
        case 6 -> connection.send(GET + "/" + "a".repeat(20_000) + " HTTP/1.1" + REST);
        default ->
            connection.send(
                "POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n");
      }
      client.tally.end(Integer.toString(connection.status()));
    }
  }

  private static final String GET = "GET ";
  private static final String REST = "\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  /** One client of an attack. */
  private final class Client implements Runnable {
    private final Kind kind;
    private final int number;
    private final String from;
    private final Tally tally;
    private final Random random;
    private int rounds;
    private boolean refused;

    Client(Kind kind, int number, String from, Tally tally) {
      this.kind = kind;
      this.number = number;
      this.from = from;
      this.tally = tally;
      this.random = new Random(kind.name().hashCode() + number);
    }

    @Override
    public void run() {
      try {
        Thread.sleep(ARRIVAL_MS * number / kind.clients());
        while (!stopped) {
          rounds++;
          refused = false;
          once();
          long pause = kind.pause().toMillis();
          Thread.sleep(refused ? Math.max(pause, REFUSED_MS) : pause);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void once() throws InterruptedException {
      try {
        kind.round().run(this);
      } catch (SocketTimeoutException e) {
        count("silent");
      } catch (IOException e) {
        // The server may close a connection at any time.
        count("broken off");
        refused = true;
      }
    }

    private void count(String how) {
      if (!stopped) {
        tally.end(how);
      }
    }

    int next(int bound) {
      return random.nextInt(bound);
    }

    RawConnection open(int port) throws IOException {
      tally.connections.increment();
      return RawConnection.open(from, port, ANSWER_MS);
    }

    /** Connects with a receive buffer of a few kilobytes. */
    RawConnection openSmall(int port) throws IOException {
      tally.connections.increment();
      return RawConnection.open(from, port, ANSWER_MS, 2 << 10);
    }

    void get(String path) throws IOException {
      try (RawConnection connection = open(ports.http())) {
        ask(connection, "GET", path, 0);
        answered(connection.status());
      }
    }

    void post(String path, byte[] body, String... fields) throws IOException {
      try (RawConnection connection = open(ports.http())) {
        ask(connection, "POST", path, body.length, fields);
        connection.send(body);
        answered(connection.status());
      }
    }

    private void answered(int status) {
      refused = status == 429 || status == 503;
      tally.end(Integer.toString(status));
    }

    /** Sends a body without its last bytes, and waits until the server closes the connection. */
    void postUpTo(int missing, String path, byte[] body, String... fields) throws IOException {
      try (RawConnection connection = open(ports.http())) {
        ask(connection, "POST", path, body.length, fields);
        connection.send(body, 0, body.length - missing);
        hold(connection);
      }
    }

    /** Sends the header of a request. */
    void ask(RawConnection connection, String method, String path, int length, String... fields)
        throws IOException {
      tally.requests.increment();
      StringBuilder head = new StringBuilder(method).append(' ').append(path);
      head.append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
      for (String field : fields) {
        head.append(field).append("\r\n");
      }
      head.append("Content-Length: ").append(length).append("\r\n\r\n");
      connection.send(head.toString());
    }

    /** Sends byte after byte until the server closes the connection or the time is over. */
    void trickle(RawConnection connection, String text) throws IOException, InterruptedException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < HOLD_MS / 500; i++) {
        connection.send(bytes, i % bytes.length, 1);
        Thread.sleep(500);
      }
      tally.end("held");
    }

    /** Waits until the server closes the connection. */
    void hold(RawConnection connection) throws IOException {
      boolean closed = connection.isClosedByServer(HOLD_MS);
      count(closed ? "closed" : "held");
    }
  }
}
