package dev.varve.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A real collectd in its own process, with its files and its log in a folder. */
final class CollectdProcess implements AutoCloseable {
  private static final long STOP_SECONDS_MAX = 20;

  private final Path folder;
  private final Process process;

  private CollectdProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param folder folder of its files, which exists
   * @param config its configuration, which follows the lines on the folder, its log and a reading
   *     every second
   */
  static CollectdProcess start(Path folder, String config) throws IOException {
    Path collectd =
        Checkout.program(
            "collectd", "collectd-core libcurl3-gnutls libyajl2 libmicrohttpd12 libprotobuf-c1");
    String common =
        """
        Hostname "probe"
        FQDNLookup false
        BaseDir "%1$s/base"
        PIDFile "%1$s/collectd.pid"
        Interval 1
        # After two late readings, collectd would take values for missing and complain of them.
        Timeout 60
        # With more, two values of one second overtake each other on their way to a connection.
        WriteThreads 1
        LoadPlugin logfile
        <Plugin logfile>
          LogLevel info
          File "%1$s/collectd.log"
        </Plugin>
        LoadPlugin csv
        <Plugin csv>
          DataDir "%1$s/csv"
          StoreRates false
        </Plugin>
        """
            .formatted(folder);
    Path file = Files.writeString(folder.resolve("collectd.conf"), common + config);
    return new CollectdProcess(
        folder,
        new ProcessBuilder(collectd.toString(), "-f", "-C", file.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("collectd.out").toFile())
            .start());
  }

  /**
   * Lets it run for a while.
   *
   * @throws AssertionError if it ends
   */
  void run(Duration time) throws InterruptedException {
    if (process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("collectd ended by itself: " + log());
    }
  }

  /** Returns the output and the log of the process so far. */
  String log() {
    return Checkout.read(folder.resolve("collectd.out"))
        + Checkout.read(folder.resolve("collectd.log"));
  }

  /** Stops it so that it sends what it has buffered. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
