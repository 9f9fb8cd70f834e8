package dev.varve.acceptance;

import dev.varve.devstores.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A server in its own process, with its own directory and a free port of 127.0.0.1. It can be
 * stopped, killed, and restarted with the same directory and port.
 */
final class VarveProcess implements AutoCloseable {
  /** Exit code of a JVM that ended normally after SIGTERM. */
  static final int TERMINATED = 143;

  private static final Duration READY_MAX = Duration.ofSeconds(60);
  private static final Duration STOP_MAX = Duration.ofSeconds(30);
  private static final int LOG_CHARACTERS_SHOWN = 6_000;

  private final Path folder;
  private final int port;
  private int starts;
  private @Nullable SSLContext tls;
  private @Nullable String authorization;
  private HttpClient client = newClient();
  private @Nullable Process process;
  private boolean runsUnderAnother;
  private @Nullable String heap;
  private @Nullable String options;
  private boolean recovers;

  private VarveProcess(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /**
   * Prepares a server, which {@link #start()} starts.
   *
   * @param folder folder of its configuration, data and log
   * @param config its configuration, in which {@code PORT} stands for its port
   */
  static VarveProcess in(Path folder, String config) {
    int port = freePort();
    try {
      Files.writeString(
          folder.resolve("varve.yaml"), config.replace("PORT", Integer.toString(port)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new VarveProcess(folder, port);
  }

  static int freePort() {
    return Ports.free();
  }

  private HttpClient newClient() {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5));
    if (tls != null) {
      builder.sslContext(tls);
    }
    return builder.build();
  }

  /** Lets this test speak TLS with it, as its configuration says. */
  VarveProcess withTls(SSLContext context) {
    tls = context;
    return this;
  }

  /** Lets this test's requests from now on prove who it is. */
  void logIn(String user, String password) {
    byte[] proof = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    authorization = "Basic " + Base64.getEncoder().encodeToString(proof);
  }

  /** Sets another heap than usual in tests, such as {@code 128m}. */
  VarveProcess withHeap(String size) {
    heap = size;
    return this;
  }

  /** Lets it use the compilers of this test's own JVM: all of them in profile {@code full}. */
  VarveProcess compiledAsThisTest() {
    options =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("-XX:TieredStopAtLevel"))
            .collect(Collectors.joining(" "));
    return this;
  }

  /** Lets it count its native memory by purpose. What RocksDB allocates is not in these counts. */
  VarveProcess trackingNativeMemory() {
    options = "-XX:TieredStopAtLevel=1 -XX:NativeMemoryTracking=summary";
    return this;
  }

  /** Lets it open damaged stores with what can be recovered. */
  VarveProcess recovering() {
    recovers = true;
    return this;
  }

  /** Returns the peak resident memory in bytes, heap and everything else. */
  long residentMax() throws IOException {
    Path status = Path.of("/proc", Long.toString(running().pid()), "status");
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new AssertionError(status + " does not say VmHWM");
  }

  /** Returns the nice values of the threads whose names have a prefix, from the kernel. */
  Set<Integer> niceValues(String name) throws IOException {
    Set<Integer> found = new TreeSet<>();
    Path tasks = Path.of("/proc", Long.toString(running().pid()), "task");
    try (Stream<Path> all = Files.list(tasks)) {
      for (Path task : (Iterable<Path>) all::iterator) {
        String stat = Files.readString(task.resolve("stat"));
        int afterName = stat.lastIndexOf(')');
        if (stat.substring(stat.indexOf('(') + 1, afterName).startsWith(name)) {
          // The first field after the name is the third, and the 19th is the nice value.
          found.add(Integer.parseInt(stat.substring(afterName + 2).split(" ", -1)[19 - 3]));
        }
      }
    }
    return found;
  }

  /** Returns a path as the process sees it, which may have its own mounts. */
  Path seen(Path place) {
    return Path.of("/proc", Long.toString(running().pid()), "root", place.toString());
  }

  /** Starts the server and waits until it is ready. */
  VarveProcess start() {
    launch();
    try {
      awaitReady();
    } catch (AssertionError e) {
      // A try with resources has nothing to close yet.
      close();
      throw e;
    }
    return this;
  }

  /**
   * Starts the server and does not wait.
   *
   * @param under command that runs the server, such as strace with its options; may be empty
   */
  void launch(String... under) {
    // Connections to an earlier server must not be reused.
    client.shutdownNow();
    client = newClient();
    ProcessBuilder varve =
        Checkout.varve(folder, "serve", "--config", folder.resolve("varve.yaml").toString());
    if (heap != null) {
      varve.environment().put("VARVE_HEAP", heap);
    }
    if (options != null) {
      varve.environment().put("VARVE_JAVA_OPTS", options);
    }
    List<String> command = new ArrayList<>(List.of(under));
    command.addAll(varve.command());
    if (recovers) {
      command.add("--recover");
    }
    varve.command(command).redirectErrorStream(true).redirectOutput(logFile(++starts).toFile());
    runsUnderAnother = under.length > 0;
    try {
      process = varve.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the server is ready. Fails with its log if it ends instead. */
  void awaitReady() {
    long end = System.nanoTime() + READY_MAX.toNanos();
    while (!isReady()) {
      if (!isAlive()) {
        throw new AssertionError("the server ended with " + exitCode() + shownLog());
      }
      if (System.nanoTime() > end) {
        throw new AssertionError("the server was not ready within " + READY_MAX + shownLog());
      }
      sleep(20);
    }
  }

  private boolean isReady() {
    try {
      return get("/-/ready").statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  boolean isAlive() {
    return running().isAlive();
  }

  private Process running() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  int port() {
    return port;
  }

  long pid() {
    return running().pid();
  }

  URI uri(String path) {
    return URI.create((tls == null ? "http" : "https") + "://127.0.0.1:" + port + path);
  }

  /** Kills the server with SIGKILL and returns once it has ended. */
  void kill() {
    Process killed = running();
    List<ProcessHandle> children =
        runsUnderAnother ? killed.descendants().toList() : List.<ProcessHandle>of();
    killed.destroyForcibly();
    children.forEach(ProcessHandle::destroyForcibly);
    killed.onExit().join();
    children.forEach(child -> child.onExit().join());
  }

  /** Sends SIGTERM and does not wait. */
  void terminate() {
    // Under another command the child is the server.
    List<ProcessHandle> children =
        runsUnderAnother ? running().children().toList() : List.<ProcessHandle>of();
    if (children.isEmpty()) {
      running().destroy();
    } else {
      children.forEach(ProcessHandle::destroy);
    }
  }

  /** Sends SIGTERM, waits for the end, and returns the exit code. */
  int stop() {
    terminate();
    Process stopped = running();
    try {
      if (!stopped.waitFor(STOP_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("the server did not stop within " + STOP_MAX + shownLog());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return stopped.exitValue();
  }

  /** Waits until the server ends by itself and returns its exit code. */
  int exitCode() {
    try {
      if (!running().waitFor(READY_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("the server did not end" + shownLog());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    return running().exitValue();
  }

  /** Returns its output on stdout and stderr since its last start. */
  String log() {
    return Checkout.read(logFile(starts));
  }

  private Path logFile(int start) {
    return folder.resolve("server-" + start + ".log");
  }

  /** Returns the end of the log, for messages. */
  String shownLog() {
    String log = log();
    int from = Math.max(0, log.length() - LOG_CHARACTERS_SHOWN);
    return "\n-- log of start %d in %s%n%s".formatted(starts, folder, log.substring(from));
  }

  HttpResponse<String> get(String path) throws IOException {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  HttpResponse<String> post(String path, String body) throws IOException {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws IOException {
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    try {
      return client.send(
          request.timeout(Duration.ofSeconds(30)).build(),
          HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Ends the server in whatever state it is. */
  @Override
  public void close() {
    if (process != null && process.isAlive()) {
      kill();
    }
    client.shutdownNow();
  }
}
