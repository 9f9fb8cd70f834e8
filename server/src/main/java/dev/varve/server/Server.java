package dev.varve.server;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.formats.text.GraphiteLines;
import dev.varve.formats.text.GraphiteTemplates;
import dev.varve.query.running.EndedQuery;
import dev.varve.query.running.RunningQueries;
import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.config.ConfigException;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.feed.FeedProtocol;
import dev.varve.server.feed.LineFeed;
import dev.varve.server.graphite.PickleFeed;
import dev.varve.server.http.Caller;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.Dispatcher;
import dev.varve.server.http.Guard;
import dev.varve.server.http.Sender;
import dev.varve.server.http.SenderRefusedException;
import dev.varve.server.http.SocketServer;
import dev.varve.server.http.StreamProtocol;
import dev.varve.server.influx.Precision;
import dev.varve.server.kairosdb.KairosDb;
import dev.varve.server.kairosdb.RollupScheduler;
import dev.varve.server.opentsdb.Telnet;
import dev.varve.server.operations.Operations;
import dev.varve.server.operations.SelfMonitoring;
import dev.varve.server.operations.ServerMetrics;
import dev.varve.server.queries.SlowQueryLog;
import dev.varve.server.rules.RuleService;
import dev.varve.server.scrape.Scraper;
import dev.varve.server.scrape.Scrapes;
import dev.varve.server.security.AccessControl;
import dev.varve.server.security.AccessRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves an engine over HTTP and line protocols. Closing a server drains its ports; the engine
 * remains open and belongs to its creator.
 */
public final class Server implements AutoCloseable {
  /**
   * Maximum length of a Graphite line in bytes: carbon's limit, enough for a path of several
   * hundred nodes.
   */
  private static final int GRAPHITE_LINE_MAX = 16 << 10;

  /** Maximum length of an Influx line in bytes; a line may hold a log message. */
  private static final int INFLUX_LINE_MAX = 1 << 20;

  private final AtomicReference<@Nullable Engine> engine = new AtomicReference<>();
  private final ServerMetrics metrics = new ServerMetrics();
  private final ServerConfig config;
  private final AccessControl access;
  private final Clock clock = Clock.systemUTC();
  private final RuleService rules;
  private final RunningQueries queries;
  private final SlowQueryLog slowQueries;
  private final Dispatcher dispatcher;
  private final ListenerRoutes routes;
  private final SocketServer sockets;
  private final AtomicReference<@Nullable Scraper> scraper = new AtomicReference<>();
  private @Nullable SelfMonitoring selfMonitoring;
  private @Nullable RollupScheduler rollups;

  private Server(ServerConfig config) throws IOException {
    this.config = config;
    this.access = AccessControl.open(config.access(), new Exposure(config)::objections);
    this.rules = new RuleService(config.rules(), metrics, clock);
    this.slowQueries = new SlowQueryLog(config.query().slow());
    this.queries = new RunningQueries(config.query().capacity(), this::ended, clock);
    this.dispatcher =
        new Dispatcher(
            config.http(),
            config.web().withOriginOf(config.rules().externalUrl()),
            access,
            metrics,
            () -> engine.get() != null);
    metrics.build(version());
    this.routes =
        new ListenerRoutes(
            config.listen(),
            new Operations(metrics, engine::get, dispatcher::draining, this::reload),
            queries,
            slowQueries,
            engine::get);
    this.sockets =
        SocketServer.start(
            configured(), dispatcher, access.rules().encrypts() ? access::tls : null);
    measureRequests();
    measureConnections();
  }

  private void measureRequests() {
    metrics.gauge("varve_http_writing", "Requests that are writing.", dispatcher::writing);
    metrics.writes(dispatcher.budget());
    metrics.gauge(
        "varve_http_writing_max", "Maximum requests that write at once.", config.http()::writes);
    metrics.gauge("varve_http_reading", "Requests that are reading.", dispatcher::reading);
    metrics.gauge("varve_http_waiting", "Requests that wait for capacity.", dispatcher::waiting);
    metrics.gauge("varve_queries_running", "Running queries.", queries::running);
    metrics.gauge("varve_queries_waiting", "Queries that wait for capacity.", queries::waiting);
    metrics.gauge(
        "varve_queries_running_max",
        "Maximum queries that run at once.",
        () -> queries.capacity().running());
    metrics.gauge("varve_query_memory_bytes", "Memory of queries in bytes.", queries::held);
    metrics.gauge(
        "varve_query_memory_max_bytes",
        "Maximum memory of queries in bytes.",
        () -> queries.capacity().memory());
  }

  private void measureConnections() {
    metrics.gauge(
        "varve_line_connections",
        "Open connections of line protocols and feeds.",
        sockets::lineConnections);
    metrics.gauge("varve_scrape_targets", "Scrape targets.", this::scraped);
    metrics.gauge("varve_connections", "Open connections.", sockets::openConnections);
    ConnectionLimits most = config.http().connections();
    metrics.gauge("varve_connections_max", "Maximum open connections.", most::max);
    metrics.gauge(
        "varve_line_connections_max",
        "Maximum open connections of line protocols and feeds.",
        most::lines);
    metrics.gauge(
        "varve_connections_reserved",
        "Open connections beyond the limits, reserved for requests of operators.",
        sockets::reservedConnections);
    metrics.figures(sockets::figures);
    metrics.figures(access::figures);
  }

  /**
   * Opens the ports in front of an open engine.
   *
   * @throws InvalidConfigException if the configuration of a listener contradicts itself
   * @throws IOException if a port cannot be opened
   */
  public static Server start(ServerConfig config, Engine engine) throws IOException {
    return start(config, () -> engine);
  }

  /**
   * Opens the ports, then the engine. Until the engine is open, {@code /-/ready} and all requests
   * that need the engine answer 503. If opening fails, the ports are closed again.
   */
  public static Server start(ServerConfig config, Supplier<Engine> opening) throws IOException {
    return start(config, opening, null);
  }

  /**
   * Starts a server that also answers commands on a Unix socket.
   *
   * @param local a bound socket, closed with the ports; null for none
   */
  public static Server start(
      ServerConfig config, Supplier<Engine> opening, @Nullable ServerSocketChannel local)
      throws IOException {
    Server server = new Server(config);
    try {
      if (local != null) {
        server.sockets.listenLocally(local, server.routes.local(server.context(null)));
      }
      Engine opened = opening.get();
      server.checkDatasets(opened);
      server.rules.start(opened, server.queries, config.query().limits(), server.firstPort());
      server.engine.set(opened);
      Duration interval = config.selfMonitoring();
      if (interval != null) {
        server.selfMonitoring =
            new SelfMonitoring(
                server.metrics, opened.defaultDataset(), server.instance(), interval, server.clock);
      }
      server.startScraping(opened);
      server.startRollups(opened);
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Roll-up tasks run on servers on which clients can see and change them. */
  private void startRollups(Engine opened) {
    if (config.listen().stream()
        .anyMatch(listener -> listener.dialects().contains(KairosDb.NAME))) {
      RollupScheduler scheduler =
          new RollupScheduler(
              opened.datasets(),
              queries,
              config.query().limits(),
              metrics.withDoor(config.door()),
              this::creator,
              clock,
              instance());
      rollups = scheduler;
      metrics.figures(scheduler::figures);
      scheduler.start();
    }
  }

  private void startScraping(Engine opened) {
    Scrapes scrapes = config.scrape();
    if (scrapes == null) {
      return;
    }
    String named = scrapes.dataset();
    try {
      scraper.set(
          new Scraper(
              scrapes,
              named == null ? opened.defaultDataset() : opened.dataset(named),
              metrics.withDoor(config.door()),
              clock,
              version(),
              dispatcher.budget()));
    } catch (IllegalArgumentException e) {
      throw new InvalidConfigException(List.of("scrape: " + e.getMessage()));
    }
  }

  /**
   * Reloads certificates, users and rule files, the only parts of the configuration that can be
   * reloaded.
   *
   * @throws ConfigException if the files contain an error; what they contained before remains in
   *     effect
   */
  public void reload() {
    access.reload();
    rules.reload();
  }

  private int scraped() {
    Scraper running = scraper.get();
    return running == null ? 0 : running.targets();
  }

  /** Returns the address of the first listener, as far as the server can tell. */
  private URI firstPort() {
    String host = config.listen().getFirst().host();
    boolean any = host.equals("0.0.0.0") || host.equals("::");
    String name = any ? instance() : host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    String scheme = access.rules().encrypts() ? "https" : "http";
    return URI.create(scheme + "://" + name + ":" + ports().getFirst());
  }

  /** Returns whether connections are encrypted, except those of the Unix socket. */
  public boolean encrypts() {
    return access.rules().encrypts();
  }

  /** Returns the engine. */
  public Engine engine() {
    return Objects.requireNonNull(engine.get());
  }

  /** Returns the actual port of each listener, in the order of the configuration. */
  public List<Integer> ports() {
    return sockets.ports();
  }

  private List<SocketServer.Port> configured() {
    List<String> problems = new ArrayList<>();
    List<SocketServer.Port> ports = new ArrayList<>();
    for (Listener listener : config.listen()) {
      try {
        ports.add(port(listener));
      } catch (IllegalArgumentException e) {
        problems.add(
            "listen %s:%d: %s".formatted(listener.host(), listener.port(), e.getMessage()));
      }
    }
    if (config.listen().stream().allMatch(listener -> listener.feed() != null)) {
      problems.add("listen: a server needs at least one port that speaks HTTP");
    }
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(problems);
    }
    return ports;
  }

  private DialectContext context(@Nullable String dataset) {
    return new DialectContext(
        engine::get,
        dataset,
        queries,
        config.query().limits(),
        metrics,
        config.door(),
        scraper::get,
        rules::groups,
        config.deletes(),
        clock,
        version());
  }

  private SocketServer.Port port(Listener listener) {
    DialectContext context = context(listener.dataset());
    Feed feed = listener.feed();
    if (feed != null) {
      return new SocketServer.Port(
          listener.host(),
          listener.port(),
          null,
          stream(feed, context),
          feeders(listener, context));
    }
    List<Dialect> dialects = routes.dialects(listener, context);
    StreamProtocol lines =
        dialects.stream().map(Dialect::lines).filter(Objects::nonNull).findFirst().orElse(null);
    return new SocketServer.Port(
        listener.host(),
        listener.port(),
        routes.router(listener, dialects, context),
        lines,
        this::senderOfTelnet);
  }

  /** Returns the user who stored a roll-up task; null if the user is unknown or was removed. */
  private @Nullable Caller creator(@Nullable String name) {
    AccessRules now = access.rules();
    if (!now.authenticates()) {
      return Caller.ANYONE;
    }
    return name == null ? null : now.named(name);
  }

  /** Lines on a port of HTTP cannot name their sender. */
  private Sender senderOfTelnet(@Nullable X509Certificate certificate, ClientAddress client) {
    return () -> {
      if (!access.rules().authenticates()) {
        return Caller.ANYONE;
      }
      access.refused(client.toString());
      throw new SenderRefusedException(
          "this server authenticates, and line protocols on an HTTP port cannot authenticate: use HTTP, or a listener with protocol: telnet");
    };
  }

  /** Admits the clients of a feed that may write to its dataset. */
  private Guard.Lines feeders(Listener listener, DialectContext context) {
    return (certificate, client) ->
        new FeedSender(
            access,
            listener.as(),
            certificate,
            client,
            () -> context.defaultDataset().name(),
            clock);
  }

  private void ended(EndedQuery query) {
    metrics.ended(query);
    slowQueries.accept(query);
  }

  private static StreamProtocol stream(Feed feed, DialectContext context) {
    return switch (feed) {
      case Feed.Graphite graphite -> {
        GraphiteTemplates templates = GraphiteTemplates.of(graphite.templates());
        Function<Dataset, GraphiteLines> format =
            dataset ->
                GraphiteLines.of(
                    templates, dataset.resolution(), context.clock(), !dataset.holdsFields());
        yield new FeedProtocol(
            context,
            feed.protocol(),
            graphite.pickle()
                ? new PickleFeed(format)
                : new LineFeed(GRAPHITE_LINE_MAX, false, format::apply));
      }
      case Feed.Telnet() -> new Telnet(context);
      case Feed.Influx influx -> {
        Precision precision = Precision.of(influx.precision());
        yield new FeedProtocol(
            context,
            feed.protocol(),
            new LineFeed(
                INFLUX_LINE_MAX, true, dataset -> precision.lines(dataset, context.clock())));
      }
    };
  }

  private void checkDatasets(Engine opened) {
    for (Listener listener : config.listen()) {
      String named = listener.dataset();
      if (named != null) {
        opened.dataset(named);
      }
    }
  }

  private String instance() {
    String given = config.instance();
    if (given != null) {
      return given;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** Returns the version of the build, or {@code dev} if the classes are not in a jar. */
  public static String version() {
    String version = Server.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  /**
   * Rejects new work, waits for requests in progress and closes the ports. The engine stays open.
   * Idempotent.
   */
  @Override
  public void close() {
    if (selfMonitoring != null) {
      selfMonitoring.close();
    }
    Scraper running = scraper.get();
    if (running != null) {
      running.close();
    }
    if (rollups != null) {
      rollups.close();
    }
    rules.close();
    sockets.close();
    queries.close();
    access.close();
    metrics.flushLog();
  }
}
