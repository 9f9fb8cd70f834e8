package dev.varve.server;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.WebAccess;
import dev.varve.server.ingest.Door;
import dev.varve.server.queries.QueryOptions;
import dev.varve.server.rules.RulesConfig;
import dev.varve.server.scrape.Scrapes;
import dev.varve.server.security.AccessFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A server on a free port, with an engine in memory that has a dataset for each layout. */
public final class TestServer implements AutoCloseable {
  private final Engine engine;
  private ServerConfig config;
  private Server server;
  private final HttpClient client = HttpClient.newHttpClient();

  public TestServer(Path directory, @Nullable Duration selfMonitoring, String... layouts)
      throws IOException {
    this(directory, selfMonitoring, List.of(), layouts);
  }

  /** Starts a server with ports for feeds, in order after the first port. */
  public TestServer(
      Path directory,
      @Nullable Duration selfMonitoring,
      List<ServerConfig.Feed> feeds,
      String... layouts)
      throws IOException {
    this(directory, selfMonitoring, feeds, null, layouts);
  }

  /** Starts a server that scrapes. */
  public TestServer(
      Path directory,
      @Nullable Duration selfMonitoring,
      List<ServerConfig.Feed> feeds,
      @Nullable Scrapes scrapes,
      String... layouts)
      throws IOException {
    this(directory, selfMonitoring, feeds, scrapes, Door.OPEN, layouts);
  }

  /** Starts a server with a door that series pass. */
  public TestServer(
      Path directory,
      @Nullable Duration selfMonitoring,
      List<ServerConfig.Feed> feeds,
      @Nullable Scrapes scrapes,
      Door door,
      String... layouts)
      throws IOException {
    this(
        directory,
        Arrays.stream(layouts).map(layout -> dataset(layout, "memory")).toList(),
        HttpLimits.DEFAULTS,
        QueryOptions.DEFAULTS,
        selfMonitoring,
        feeds,
        scrapes,
        RulesConfig.DEFAULTS,
        door);
  }

  private TestServer(
      Path directory,
      List<DatasetConfig> datasets,
      HttpLimits http,
      QueryOptions queries,
      @Nullable Duration selfMonitoring,
      List<ServerConfig.Feed> feeds,
      @Nullable Scrapes scrapes,
      RulesConfig rules,
      Door door)
      throws IOException {
    List<Listener> listeners = new ArrayList<>();
    listeners.add(new Listener("127.0.0.1", 0, Dialects.names(), null));
    feeds.forEach(feed -> listeners.add(new Listener("127.0.0.1", 0, List.of(), null, feed)));
    engine =
        Engine.open(new EngineConfig(directory, 64 << 20, datasets, datasets.getFirst().name()));
    config =
        new ServerConfig(listeners, http, queries, selfMonitoring, "test", scrapes, rules, door);
    server = Server.start(config, engine);
  }

  /** Stops the server and starts another with the same engine on other ports. */
  public void restart() throws IOException {
    server.close();
    server = Server.start(config, engine);
  }

  /** Starts a server with one dataset in a store of some kind and options for its queries. */
  public static TestServer start(Path directory, String store, QueryOptions queries)
      throws IOException {
    return new TestServer(
        directory,
        List.of(dataset("buckets", store)),
        HttpLimits.DEFAULTS,
        queries,
        null,
        List.of(),
        null,
        RulesConfig.DEFAULTS,
        Door.OPEN);
  }

  /** Starts a server with some datasets, the first of which is the default. */
  public static TestServer with(Path directory, List<DatasetConfig> datasets) throws IOException {
    return new TestServer(
        directory,
        datasets,
        HttpLimits.DEFAULTS,
        QueryOptions.DEFAULTS,
        null,
        List.of(),
        null,
        RulesConfig.DEFAULTS,
        Door.OPEN);
  }

  /** Starts a server with one dataset in memory that evaluates the rules of a file every second. */
  public static TestServer withRules(Path directory, Path rules) throws IOException {
    return new TestServer(
        directory,
        List.of(dataset("buckets", "memory")),
        HttpLimits.DEFAULTS,
        QueryOptions.DEFAULTS,
        null,
        List.of(),
        null,
        everySecond(List.of(rules), Map.of()),
        Door.OPEN);
  }

  private static RulesConfig everySecond(List<Path> files, Map<String, List<Path>> datasets) {
    RulesConfig none = RulesConfig.DEFAULTS;
    return new RulesConfig(
        files,
        datasets,
        Duration.ofSeconds(1),
        none.queryOffset(),
        none.timeout(),
        none.concurrency(),
        none.outageTolerance(),
        none.forGracePeriod(),
        none.resendDelay(),
        none.reread(),
        none.externalUrl(),
        none.externalLabels(),
        none.alerting());
  }

  /** Restarts the server on other ports; it evaluates the rules of a dataset every second. */
  public TestServer withRules(String dataset, Path rules) throws IOException {
    server.close();
    config = config.with(everySecond(List.of(), Map.of(dataset, List.of(rules))));
    server = Server.start(config, engine);
    return this;
  }

  /** Restarts the server on other ports with other access of web pages. */
  public TestServer with(WebAccess web) throws IOException {
    server.close();
    config = config.with(web);
    server = Server.start(config, engine);
    return this;
  }

  /** Restarts the server so that clients of other machines may delete. */
  public TestServer withDeletes() throws IOException {
    server.close();
    config = config.withDeletes();
    server = Server.start(config, engine);
    return this;
  }

  /** Restarts the server with other listeners. */
  public TestServer with(List<Listener> listeners) throws IOException {
    with(listeners, new AccessFiles(null, null, true));
    return this;
  }

  /** Restarts the server with other listeners, TLS and users. */
  public TestServer with(AccessFiles access, List<Listener> listeners) throws IOException {
    with(listeners.isEmpty() ? config.listen() : listeners, access);
    return this;
  }

  private void with(List<Listener> listeners, AccessFiles access) throws IOException {
    server.close();
    config =
        new ServerConfig(
                listeners,
                config.http(),
                config.query(),
                config.selfMonitoring(),
                config.instance())
            .with(access);
    server = Server.start(config, engine);
  }

  /** Returns the engine. */
  public Engine engine() {
    return engine;
  }

  /** Returns the running server. */
  public Server server() {
    return server;
  }

  /** Returns the ports in the order of their listeners. */
  public List<Integer> ports() {
    return server.ports();
  }

  /** Starts a server with one dataset in memory and limits of connections. */
  public static TestServer withConnections(Path directory, ConnectionLimits connections)
      throws IOException {
    return new TestServer(
        directory,
        List.of(dataset("buckets", "memory")),
        HttpLimits.DEFAULTS.withConnections(connections),
        QueryOptions.DEFAULTS,
        null,
        List.of(),
        null,
        RulesConfig.DEFAULTS,
        Door.OPEN);
  }

  /** Starts a server with one dataset in memory, a write budget in bytes, and feeds. */
  public static TestServer withMemory(Path directory, long bytes, List<ServerConfig.Feed> feeds)
      throws IOException {
    return new TestServer(
        directory,
        List.of(dataset("buckets", "memory")),
        HttpLimits.DEFAULTS.withMemory(bytes),
        QueryOptions.DEFAULTS,
        null,
        feeds,
        null,
        RulesConfig.DEFAULTS,
        Door.OPEN);
  }

  public static DatasetConfig dataset(String layout, String store) {
    return new DatasetConfig(
        layout,
        new StoreConfig(store, Map.of()),
        List.of(new PeriodConfig(Instant.MIN, Layouts.stored(layout, Map.of()))),
        null,
        DatasetConfig.Duplicates.LAST,
        Set.of(),
        false);
  }

  public int port() {
    return server.ports().getFirst();
  }

  /** Returns the port of a feed; the first feed is 0. */
  public int portOf(int feed) {
    return server.ports().get(feed + 1);
  }

  public Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.ports().getFirst());
  }

  /** Connects to a feed; the first feed is 0. */
  public Socket connectTo(int feed) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), server.ports().get(feed + 1));
  }

  public HttpResponse<String> get(String path) {
    return send(request(path));
  }

  public HttpResponse<String> post(String path, String body) {
    return send(request(path).POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://127.0.0.1:" + server.ports().getFirst() + path));
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Sends a request whose answer is not text. */
  public HttpResponse<byte[]> bytes(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public void stopListening() {
    server.close();
  }

  @Override
  public void close() {
    client.close();
    server.close();
    engine.close();
  }
}
