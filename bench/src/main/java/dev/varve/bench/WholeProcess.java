package dev.varve.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the program as users run it, with the launcher {@code ./varve}: imports into RocksDB in
 * each layout, the start of a server and of a command, and a catalog of a million series.
 *
 * <p>Arguments: the launcher, then optionally {@code points=N}, {@code series=N}, {@code runs=N},
 * {@code layouts=a,b,c}. Prints a table in Markdown.
 */
public final class WholeProcess {
  private static final long START = 1_700_000_000_000L;
  private static final long STEP = 10_000;
  private static final Pattern SECONDS = Pattern.compile("\"seconds\":\"?([0-9.]+)");

  private final String launcher;
  private final Path folder;
  private final int points;
  private final int series;
  private final int runs;
  private final List<String> layouts;

  private WholeProcess(String launcher, Path folder, Arguments arguments) {
    this.launcher = launcher;
    this.folder = folder;
    this.points = arguments.number("points", 5_000_000);
    this.series = arguments.number("series", 1_000_000);
    this.runs = arguments.number("runs", 3);
    this.layouts = arguments.list("layouts", "buckets,heroic,kairosdb,opentsdb");
  }

  /** Runs all measurements. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 0) {
      System.err.println(
          "usage: WholeProcess LAUNCHER [points=N] [series=N] [runs=N] [layouts=a,b,c]");
      System.exit(2);
    }
    try (ScratchFolder folder = ScratchFolder.make()) {
      new WholeProcess(arguments[0], folder.path(), Arguments.afterFirst(arguments)).run();
    }
  }

  private void run() throws Exception {
    System.out.printf(
        "%d processors, Java %s%n%n",
        Runtime.getRuntime().availableProcessors(), System.getProperty("java.version"));
    System.out.println("| what | median | least | most | unit |");
    System.out.println("| --- | ---: | ---: | ---: | --- |");
    print("varve layouts (start of a command)", measure(this::command), "ms");
    print("varve serve until ready", measure(this::serve), "ms");
    Path file = generate();
    for (String layout : layouts) {
      print(
          "import into " + layout, measure(() -> points / importSeconds(file, layout)), "points/s");
    }
    CatalogFigures catalog = CatalogFigures.measure(folder.resolve("catalog"), series);
    print("catalog of " + series + " series: open", List.of(catalog.openMillis()), "ms");
    print("catalog: find 1 series by two tags", catalog.exactMicros(), "us");
    print("catalog: find 100 series by one tag", catalog.oneTagMicros(), "us");
    print("catalog: find by a regular expression", catalog.regexMicros(), "us");
  }

  private interface Measurement {
    double take() throws Exception;
  }

  private List<Double> measure(Measurement measurement) throws Exception {
    List<Double> taken = new ArrayList<>();
    for (int i = 0; i < runs; i++) {
      taken.add(measurement.take());
    }
    return taken;
  }

  private static void print(String what, List<Double> taken, String unit) {
    List<Double> sorted = taken.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "| %s | %,.0f | %,.0f | %,.0f | %s |%n",
        what,
        sorted.get(sorted.size() / 2),
        sorted.getFirst(),
        sorted.getLast(),
        unit);
  }

  private double command() throws Exception {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(launcher, "layouts")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    expectZero(process.waitFor(), "varve layouts");
    return (System.nanoTime() - start) / 1e6;
  }

  private double serve() throws Exception {
    Path data = folder.resolve("serve");
    Path config =
        Files.writeString(
            folder.resolve("serve.yaml"), "data: " + data + "\nlisten: [{port: 14242}]\n");
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(launcher, "serve", "--config", config.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest ready =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:14242/-/ready"))
              .timeout(Duration.ofSeconds(1))
              .build();
      while (!isReady(client, ready)) {
        if (!process.isAlive()) {
          throw new IllegalStateException("varve serve ended with " + process.exitValue());
        }
        Thread.sleep(5);
      }
      return (System.nanoTime() - start) / 1e6;
    } finally {
      process.destroy();
      process.waitFor(30, TimeUnit.SECONDS);
      ScratchFolder.delete(data);
    }
  }

  private static boolean isReady(HttpClient client, HttpRequest ready) throws InterruptedException {
    try {
      return client.send(ready, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Writes a file of OpenTSDB's text lines: a thousand series with one sample every ten seconds,
   * ordered by time as agents send them.
   */
  private Path generate() throws IOException {
    Path file = folder.resolve("points.txt");
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (int i = 0; i < points; i++) {
        int source = i % 1000;
        long time = START + i / 1000 * STEP;
        out.write("cpu.usage " + time + " " + (i * 31L % 10_000) / 100 + "." + i % 10);
        out.write(
            " host=web-"
                + source / 4
                + " dc="
                + (source % 2 == 0 ? "ams" : "sto")
                + " mode=m"
                + source % 4
                + "\n");
      }
    }
    return file;
  }

  private double importSeconds(Path file, String layout) throws Exception {
    Path data = folder.resolve("import");
    Path config =
        Files.writeString(
            folder.resolve("import.yaml"),
            "data: " + data + "\ndatasets: {bench: {layout: " + layout + "}}\n");
    Process process =
        new ProcessBuilder(
                launcher,
                "import",
                "--config",
                config.toString(),
                "--format",
                "opentsdb",
                "--no-progress",
                "--output",
                "json",
                file.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String summary = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    expectZero(process.waitFor(), "varve import into " + layout + ": " + summary);
    ScratchFolder.delete(data);
    Matcher matcher = SECONDS.matcher(summary);
    if (!matcher.find()) {
      throw new IllegalStateException("no seconds in " + summary);
    }
    return Double.parseDouble(matcher.group(1));
  }

  private static void expectZero(int exit, String what) {
    if (exit != 0) {
      throw new IllegalStateException(what + " ended with " + exit);
    }
  }
}
