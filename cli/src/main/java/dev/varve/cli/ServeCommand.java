package dev.varve.cli;

import dev.varve.cli.config.LogFormat;
import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.OutputFormat;
import dev.varve.cli.io.Records;
import dev.varve.cli.io.WrongCallException;
import dev.varve.cli.target.ConfigOptions;
import dev.varve.cli.target.DataSocket;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.EngineConfig;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.config.ConfigException;
import dev.varve.server.security.AccessFiles;
import dev.varve.store.PrivateDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code varve serve}. */
@Command(
    name = "serve",
    description = "Starts a server: accepts points and answers queries until it is stopped.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "Examples:",
      "  varve serve",
      "  varve serve --data /var/lib/varve --listen 127.0.0.1:4243 --set datasets.metrics.layout=kairosdb",
      "",
      "On SIGHUP it reads rule files, certificates and users again. On SIGTERM or Ctrl-C it takes no more requests, ends those that run, and closes its stores."
    })
final class ServeCommand implements Callable<Integer> {
  @Mixin private ConfigOptions config;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description =
          "Where to listen, instead of what the configuration says. May come several times.")
  private List<String> listen = List.of();

  @Mixin private AccessOptions access;

  @Option(
      names = "--no-self-monitoring",
      description =
          "Do not write the server's own metrics into the default dataset. An attached one never gets them.")
  private boolean noSelfMonitoring;

  @Option(
      names = "--recover",
      description =
          "Open stores that are damaged with what is left of them: damaged files are kept aside, and what is missing is logged and listed at /api/v1/status/damage.")
  private boolean recover;

  @Option(
      names = "--output",
      defaultValue = "table",
      description =
          "How the addresses are printed: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat output;

  @Spec private CommandSpec spec;

  /** Text until the configuration is read. */
  private OperatorLines lines =
      OperatorLines.in(LogFormat.TEXT, new PrintWriter(System.err, true, StandardCharsets.UTF_8));

  private final ServiceNotice notice = ServiceNotice.of(System.getenv());

  @Override
  public Integer call() throws IOException, InterruptedException {
    VarveConfig read = config.read();
    lines = OperatorLines.in(read.log(), spec.commandLine().getErr());
    List<ServerConfig.Listener> listeners = listeners(read);
    ServerConfig serverConfig =
        new ServerConfig(
            listeners,
            read.http(),
            read.queries(),
            noSelfMonitoring || !takesOwnMetrics(read.engine())
                ? null
                : ServerConfig.DEFAULTS.selfMonitoring(),
            null,
            read.scrape(),
            read.rules(),
            read.door(),
            read.web(),
            read.deletes(),
            access.over(read.access()));
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stopAndWait(stop, stopped), "varve-stop"));
    try {
      serve(read, serverConfig, stop);
    } finally {
      stopped.countDown();
    }
    return 0;
  }

  private Engine open(EngineConfig engine) {
    return recover ? Engine.recover(engine) : Engine.open(engine);
  }

  private void serve(VarveConfig read, ServerConfig serverConfig, CountDownLatch stop)
      throws IOException, InterruptedException {
    Path data = read.engine().directory();
    try (DirectoryLock _ = DirectoryLock.take(data)) {
      warn(serverConfig.listen(), serverConfig.access(), data);
      lines.say(HeapDump.prepare(data, read.heapDump()));
      serveAlone(data, serverConfig, () -> open(read.engine()), stop);
    }
  }

  /** Warns if others can reach the server without authentication, or enter its data directory. */
  private void warn(List<ServerConfig.Listener> listeners, AccessFiles access, Path data)
      throws IOException {
    List<ServerConfig.Listener> reachable =
        listeners.stream().filter(listener -> !listener.isOnLoopback()).toList();
    if (!reachable.isEmpty() && access.allowAnonymous()) {
      lines.say(
          "listening on %s, beyond this machine, with allow-anonymous: unless users are configured, whoever reaches it can read, write and stop queries"
              .formatted(places(reachable)));
    }
    if (PrivateDirectory.isOpenToOthers(data)) {
      lines.say(
          "others on this machine may enter the data directory %s: 'chmod -R go= %s' shuts them out"
              .formatted(data.toAbsolutePath(), data.toAbsolutePath()));
    }
  }

  private void serveAlone(
      Path data, ServerConfig serverConfig, Supplier<Engine> opening, CountDownLatch stop)
      throws IOException, InterruptedException {
    try (@Nullable ServerSocketChannel local = listenLocally(data)) {
      Server server = start(serverConfig, opening, local);
      // Closed in reverse order: first the ports, then the engine.
      try (Engine engine = server.engine();
          server) {
        announce(serverConfig, addresses(serverConfig.listen(), server), engine, data);
        Signals.on("HUP", () -> reload(server));
        tell(ServiceNotice.READY);
        stop.await();
        tell(ServiceNotice.STOPPING);
        lines.say("stopping");
      }
    } finally {
      DataSocket.remove(data);
    }
  }

  /** Notifies the service manager. The server continues if that fails. */
  private void tell(String state) {
    try {
      notice.send(state);
    } catch (IOException e) {
      lines.say(
          "the service manager could not be notified of '%s': %s".formatted(state, e.getMessage()));
    }
  }

  /**
   * Binds the socket; null if the file system does not support sockets, as some network mounts do
   * not.
   */
  private @Nullable ServerSocketChannel listenLocally(Path data) {
    try {
      return DataSocket.listen(data);
    } catch (IOException e) {
      lines.say(
          "no socket for commands can be made in %s: %s; they need --server URL while this server runs"
              .formatted(data.toAbsolutePath(), e.getMessage()));
      return null;
    }
  }

  private void reload(Server server) {
    try {
      server.reload();
      lines.say("reloaded");
    } catch (ConfigException e) {
      lines.say("failed to reload, the previous configuration stays active: " + e.getMessage());
    }
  }

  private static Server start(
      ServerConfig config, Supplier<Engine> opening, @Nullable ServerSocketChannel local)
      throws IOException {
    try {
      return Server.start(config, opening, local);
    } catch (IOException e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof BindException) {
          throw new CommandFailedException(
              "cannot listen on "
                  + places(config.listen())
                  + ": "
                  + cause.getMessage()
                  + " (--listen HOST:PORT names another place)");
        }
      }
      throw e;
    }
  }

  /** The metrics of this server are not written into another server's tables. */
  static boolean takesOwnMetrics(EngineConfig engine) {
    return engine.datasets().stream()
        .filter(dataset -> dataset.name().equals(engine.defaultDataset()))
        .allMatch(dataset -> dataset.attached() == null);
  }

  private static String places(List<ServerConfig.Listener> listeners) {
    return String.join(
        ", ", listeners.stream().map(listener -> listener.host() + ":" + listener.port()).toList());
  }

  private List<ServerConfig.Listener> listeners(VarveConfig read) {
    if (listen.isEmpty()) {
      return read.listeners();
    }
    List<ServerConfig.Listener> listeners = new ArrayList<>();
    for (String place : listen) {
      int colon = place.lastIndexOf(':');
      String port = place.substring(colon + 1);
      if (!port.matches("\\d{1,5}") || Integer.parseInt(port) > 65535) {
        throw new WrongCallException("'" + place + "' is no place to listen (try 127.0.0.1:4242)");
      }
      String host = colon < 0 ? "127.0.0.1" : place.substring(0, colon);
      listeners.add(
          new ServerConfig.Listener(
              host, Integer.parseInt(port), ServerConfig.Listener.DEFAULTS.dialects(), null));
    }
    return listeners;
  }

  private static List<URI> addresses(List<ServerConfig.Listener> listeners, Server server) {
    List<Integer> ports = server.ports();
    String http = server.encrypts() ? "https" : "http";
    String tcp = server.encrypts() ? "tls" : "tcp";
    List<URI> addresses = new ArrayList<>();
    for (int i = 0; i < ports.size(); i++) {
      String scheme = listeners.get(i).feed() == null ? http : tcp;
      addresses.add(URI.create(scheme + "://" + listeners.get(i).host() + ":" + ports.get(i)));
    }
    return addresses;
  }

  private static String speaks(ServerConfig.Listener listener) {
    ServerConfig.Feed feed = listener.feed();
    return feed == null ? String.join(" ", listener.dialects()) : feed.protocol();
  }

  private void announce(ServerConfig config, List<URI> addresses, Engine engine, Path data) {
    List<ServerConfig.Listener> listeners = config.listen();
    PrintWriter out = spec.commandLine().getOut();
    try (Records records = new Records(output, out, "address", "speaks", "dataset", "layout")) {
      for (int i = 0; i < addresses.size(); i++) {
        @Nullable String named = listeners.get(i).dataset();
        Dataset dataset = named == null ? engine.defaultDataset() : engine.dataset(named);
        records.add(
            addresses.get(i).toString(),
            speaks(listeners.get(i)),
            dataset.name(),
            dataset.config().periods().getLast().layouts().getFirst().identity().name());
      }
    }
    String listens = "Varve listens; its data is in " + data.toAbsolutePath() + ".";
    String invitation = "Try, in another terminal:";
    if (engine.defaultDataset().config().attached() != null) {
      lines.suggest(
          listens,
          "Its own metrics are at /metrics alone: the default dataset is another server's.");
    } else if (config.selfMonitoring() == null) {
      lines.suggest(
          listens,
          invitation,
          "  ./varve put '{\"metric\":\"demo\",\"time\":%d,\"value\":1}'%s"
              .formatted(System.currentTimeMillis(), elsewhere(data)),
          "  ./varve query demo --last 10m" + elsewhere(data));
    } else {
      lines.suggest(
          listens,
          invitation,
          "  ./varve query jvm_memory_used_bytes --last 10m" + elsewhere(data));
    }
  }

  /** Returns the option with which commands find the server; empty if they find it without one. */
  private static String elsewhere(Path data) {
    return data.equals(Path.of(VarveConfig.DEFAULT_DATA)) ? "" : " --data " + data;
  }

  /** Keeps the JVM alive until the server has stopped in an orderly way. */
  private static void stopAndWait(CountDownLatch stop, CountDownLatch stopped) {
    stop.countDown();
    try {
      stopped.await(Duration.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
