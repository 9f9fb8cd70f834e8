package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.varve.cli.target.Target;
import dev.varve.cli.target.TargetOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Imports that are killed and resumed. */
class ImportResumeTest {
  private static final long START = 1_700_000_000_000L;
  private static final int KILLS = 3;
  private static final int LINES = 150_000;
  private static final int SERIES = 50;
  private static final String HEADER = "metric,tags,resource,field,kind,time_ms,value\n";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;
  private Path state;

  @BeforeEach
  void nameTheState() {
    state = folder.resolve("state");
  }

  /**
   * A process that is killed at random moments, and another one that continues each time: with a
   * file of Parquet, one of gzip with bad lines, and a plain one in which later lines replace
   * values.
   */
  @Test
  void goesOnAfterKillsOfAProcess() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    boolean parquet = random.nextBoolean();
    System.out.println("ImportResumeTest: seed " + seed + ", parquet " + parquet);
    List<Path> files = parquet ? List.of(parquet()) : List.of(gzip(), plain());
    String format = parquet ? "parquet" : "csv";
    Path bad = folder.resolve("bad");
    int code = run(arguments("whole", format, files, "--bad", bad));
    String summary = lastLine(err);
    String content = export("whole");
    byte[] badLines = Files.exists(bad) ? Files.readAllBytes(bad) : new byte[0];
    assertThat(content.lines().count()).isGreaterThan(LINES / 2);
    assertThat(badLines.length > 0).isEqualTo(!parquet);

    int goingOn = 0;
    boolean ended = false;
    for (int kill = 0; kill < KILLS && !ended; kill++) {
      ended =
          killImport(
              arguments("killed", format, files, "--bad", bad, "--resume", "--state", state),
              random.nextInt(500));
      goingOn += !ended && Files.exists(state) ? 1 : 0;
      // Where it is too quick, the next run starts again.
      ended &= goingOn > 0;
    }
    assertThat(goingOn).as("kills with something to go on from").isPositive();
    if (!ended) {
      // A kill right before the end of the process finds nothing left to go on from.
      boolean begun = Files.exists(state);
      assertThat(
              run(arguments("killed", format, files, "--bad", bad, "--resume", "--state", state)))
          .as(err.toString())
          .isEqualTo(code);
      assertThat(err.toString().contains("going on in ")).as(err.toString()).isEqualTo(begun);
      assertThat(lastLine(err)).as("the counts of all runs").isEqualTo(summary);
    }
    assertThat(state).doesNotExist();
    assertThat(export("killed")).isEqualTo(content);
    assertThat(Files.exists(bad) ? Files.readAllBytes(bad) : new byte[0]).isEqualTo(badLines);
  }

  /** Only what follows the recorded line is imported, and the line of columns keeps its meaning. */
  @Test
  void beginsAfterTheRecordedLine() throws Exception {
    Path file = small();
    record(file, 400, Files.size(file), digest(file, Files.size(file)));
    assertThat(run(arguments("data", "csv", List.of(file), "--resume", "--state", state)))
        .as(err.toString())
        .isZero();
    assertThat(err.toString()).contains("going on in " + file + " after 400");
    assertThat(lastLine(err)).startsWith("1,000 points of 1,001 lines");
    List<String> exported = export("data").lines().skip(1).toList();
    // The first line names the columns.
    assertThat(exported).hasSize(601);
    assertThat(exported.getFirst()).endsWith("," + (START + 399) + ",399.5");
    assertThat(state).doesNotExist();
  }

  @Test
  void refusesAnInputThatHasChanged() throws Exception {
    Path file = small();
    String text = Files.readString(file);
    record(file, 400, text.length(), digest(file, 20_000), 20_000);
    for (String changed :
        List.of(text + "\n", text.replaceFirst("399\\.5", "398.5"), text.substring(1))) {
      Files.writeString(file, changed);
      assertThat(run(arguments("data", "csv", List.of(file), "--resume", "--state", state)))
          .isEqualTo(1);
      assertThat(err.toString())
          .contains(file + " has changed since the import that " + state + " records");
      err.getBuffer().setLength(0);
    }
    assertThat(export("data").lines()).as("nothing is written").hasSizeLessThanOrEqualTo(1);
    Files.writeString(file, text);
    assertThat(run(arguments("data", "csv", List.of(file), "--resume", "--state", state))).isZero();
  }

  @Test
  void refusesOtherStates() throws Exception {
    Path file = small();
    List<Object> call = arguments("data", "csv", List.of(file), "--resume", "--state", state);
    Files.writeString(state, "{\"format\":2,\"import\":\"other\"}");
    assertThat(run(call)).isEqualTo(1);
    assertThat(err.toString()).contains(state + " is the state of another import, 'other'");
    Files.writeString(state, "{\"format\":1,\"import\":\"other\"}");
    assertThat(run(call)).isEqualTo(1);
    assertThat(err.toString()).contains(state + " has format 1, and this version reads format 2");
    record(file, 400, Files.size(file), digest(file, Files.size(file)));
    byte[] whole = Files.readAllBytes(state);
    for (int length = 0; length < whole.length; length += 7) {
      Files.write(state, Arrays.copyOf(whole, length));
      err.getBuffer().setLength(0);
      assertThat(run(call)).as("the first %d bytes", length).isEqualTo(1);
      assertThat(err.toString()).contains(state + " is not the state of an import");
    }
    assertThat(run(arguments("data", "csv", List.of(Path.of("-")), "--resume"))).isEqualTo(2);
  }

  /** States of other commands and of other imports begin in the same way. */
  @Test
  void replacesOnlyAStateOfTheSameImport() throws Exception {
    Path file = small();
    List<Object> call = arguments("data", "csv", List.of(file), "--state", state);
    for (String other :
        List.of(
            "",
            "my precious",
            "\u00ff",
            "{\"format\":2,\"export\":\"some\"}",
            "{\"format\":1,\"migration\":\"some\"}")) {
      Files.write(state, other.getBytes(StandardCharsets.ISO_8859_1));
      err.getBuffer().setLength(0);
      assertThat(run(call)).isEqualTo(1);
      assertThat(err.toString())
          .contains(state + " is not the state of an import, and would be replaced");
      assertThat(Files.readAllBytes(state)).isEqualTo(other.getBytes(StandardCharsets.ISO_8859_1));
    }
    Files.writeString(state, "{\"format\":1,\"import\":\"other\"}");
    assertThat(run(call)).isEqualTo(1);
    assertThat(err.toString())
        .contains(state + " is the state of another import, 'other', and would be replaced");
    assertThat(state).hasContent("{\"format\":1,\"import\":\"other\"}");
    assertThat(export("data").lines()).as("nothing is written").hasSizeLessThanOrEqualTo(1);
  }

  /** An import that fails before its first record leaves the state of the previous run. */
  @Test
  void keepsTheStateUntilTheFirstRecord() throws Exception {
    Path file = small();
    record(file, 400, Files.size(file), digest(file, Files.size(file)));
    String recorded = Files.readString(state);
    Path away = Files.move(file, folder.resolve("away"));
    List<Object> call = arguments("data", "csv", List.of(file), "--state", state);
    assertThat(run(call)).isEqualTo(1);
    assertThat(state).hasContent(recorded);
    Files.move(away, file);
    assertThat(run(call)).as(err.toString()).isZero();
    assertThat(export("data").lines().skip(1)).as("all lines").hasSize(1_000);
    assertThat(state).doesNotExist();
  }

  /** Such answers may precede the disk, so a record of them could skip lines that are lost. */
  @Test
  void recordsNothingWhereAnswersPrecedeTheDisk() throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("varve.yaml"),
            "datasets: {default: {layout: blocks, journal: async}}\n");
    Path file = small();
    List<Object> call = arguments("data", "csv", List.of(file), "--config", config);
    assertThat(run(Stream.concat(call.stream(), Stream.of("--resume")).toList())).isEqualTo(1);
    assertThat(err.toString())
        .contains("cannot be resumed, since writes there are answered before the disk has them")
        .contains("durability 'async'");
    assertThat(run(call)).as(err.toString()).isZero();
  }

  /** The lines that a resumed import skips are not in a dataset that was created since. */
  @Test
  void goesOnInNoDatasetThatWasCreatedAnew() throws Exception {
    Path file = small();
    record(file, 400, Files.size(file), digest(file, Files.size(file)));
    String recorded = Files.readString(state);
    String created = created("data");
    Files.move(folder.resolve("data"), folder.resolve("earlier"));
    assertThat(run(arguments("data", "csv", List.of(file), "--resume", "--state", state)))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "%s is of an import into a dataset that was created at %s, and this one was created at %s, so it may lack what the state records: import again, without --resume"
                .formatted(state, created, created("data")));
    assertThat(state).hasContent(recorded);
    assertThat(export("data").lines()).as("nothing is written").hasSizeLessThanOrEqualTo(1);
    assertThat(run(arguments("data", "csv", List.of(file), "--state", state)))
        .as(err.toString())
        .isZero();
    assertThat(export("data").lines().skip(1)).hasSize(1_000);
  }

  /** Servers of earlier builds, which describe their datasets in fewer words. */
  @Test
  void saysThatAnOlderServerDoesNotTellWhatResumingNeeds() throws Exception {
    Map<String, String> missing =
        Map.of(
            "",
            "the server does not say whether its writes are durable: upgrade it, or import again, without --resume and --state",
            ",\"durability\":\"fsync\"",
            "the server does not say when the dataset was created: upgrade it, or import again, without --resume and --state");
    AtomicReference<String> more = new AtomicReference<>("");
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/varve/v1/dataset",
        exchange -> {
          byte[] body =
              "{\"name\":\"default\",\"resolution\":\"ms\",\"fields\":true%s}"
                  .formatted(more.get())
                  .getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    try {
      String url = "http://127.0.0.1:" + server.getAddress().getPort();
      for (Map.Entry<String, String> one : missing.entrySet()) {
        more.set(one.getKey());
        assertThat(run(List.of("import", "--format", "csv", "--server", url, "--resume", small())))
            .isEqualTo(1);
        assertThat(err.toString()).contains(one.getValue());
      }
    } finally {
      server.stop(0);
    }
  }

  /** Writes a state in which everything up to a line of a file is stored. */
  private void record(Path file, long number, long size, String digest) throws IOException {
    record(file, number, size, digest, size);
  }

  private void record(Path file, long number, long size, String digest, long bytes)
      throws IOException {
    String imported =
        "csv of [%s] to dataset 'default' of %s; precision ns, join-fields false, bad null; metric null of null, time time in ms as null, tags [] and {}, fields []"
            .formatted(file, folder.resolve("data"));
    Files.writeString(
        state,
        """
        {"format":2,"import":"%s","created":"%s","inputs":[{"size":%d,"bytes":%d,"sha256":"%s"}],"number":%d,\
        "totals":{"lines":%d,"accepted":%d,"refused":0,"coerced":0,"bad":0,"leftOut":0},\
        "file":{"bytes":-1,"bad":0,"parts":0,"refused":0}}\
        """
            .formatted(imported, created("data"), size, bytes, digest, number, number, number - 1));
  }

  /** The options by which commands find a dataset. */
  @CommandLine.Command
  private static final class Place {
    @CommandLine.Mixin private final TargetOptions options = new TargetOptions();
  }

  /** Returns when the dataset in a directory was created, which is now if there is none. */
  private String created(String data) {
    Place place = new Place();
    new CommandLine(place).parseArgs("--data", folder.resolve(data).toString());
    try (Target target = place.options.open()) {
      return target.created();
    }
  }

  private static String digest(Path file, long bytes) throws Exception {
    byte[] begin = Arrays.copyOf(Files.readAllBytes(file), Math.toIntExact(bytes));
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(begin));
  }

  /** A line of columns, and 1,000 samples. */
  private Path small() throws IOException {
    StringBuilder lines = new StringBuilder(HEADER);
    for (int i = 0; i < 1000; i++) {
      lines.append("m,{},,value,double,%d,%d.5\n".formatted(START + i, i));
    }
    return Files.writeString(folder.resolve("small.csv"), lines);
  }

  private Path gzip() throws IOException {
    Path file = folder.resolve("some.csv.gz");
    try (OutputStream gzip = new GZIPOutputStream(Files.newOutputStream(file))) {
      gzip.write(lines(0, true).getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }

  /** Has the same series and, for the most part, the same times as {@link #gzip}. */
  private Path plain() throws IOException {
    return Files.writeString(folder.resolve("others.csv"), lines(SERIES * 100, false));
  }

  private static String lines(int shift, boolean bad) {
    StringBuilder lines = new StringBuilder(HEADER);
    for (int i = shift; i < shift + LINES; i++) {
      lines
          .append("m,\"{\"\"s\"\":\"\"s")
          .append(i % SERIES)
          .append("\"\"}\",,value,int64,")
          .append(START + 1000L * (i / SERIES))
          .append(',')
          .append(i + shift)
          .append('\n');
      if (bad && i % 9_973 == 0) {
        lines.append("bad ").append(i).append('\n');
      }
    }
    return lines.toString();
  }

  private Path parquet() throws IOException {
    assertThat(run(arguments("origin", "csv", List.of(plain())))).as(err.toString()).isZero();
    Path file = folder.resolve("all.parquet");
    assertThat(
            run(
                List.of(
                    "export",
                    "--data",
                    folder.resolve("origin"),
                    "--select",
                    "m",
                    "--format",
                    "parquet",
                    "--no-progress",
                    "--out",
                    file)))
        .as(err.toString())
        .isZero();
    return file;
  }

  /**
   * Runs an import in a process, and kills that some time after it has recorded something new.
   *
   * @return whether it ended before
   */
  private boolean killImport(List<Object> arguments, int millis) throws Exception {
    Path output = folder.resolve("output");
    String before = recorded();
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    arguments.forEach(argument -> command.add(argument.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      while (process.isAlive() && recorded().equals(before)) {
        Thread.sleep(5);
      }
      Thread.sleep(millis);
      boolean alive = process.isAlive();
      process.destroyForcibly().waitFor();
      if (!alive) {
        assertThat(Files.readString(output)).contains("points of");
      }
      return !alive;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private String recorded() throws IOException {
    try {
      return Files.readString(state);
    } catch (java.nio.file.NoSuchFileException e) {
      return "";
    }
  }

  private List<Object> arguments(String data, String format, List<Path> files, Object... more) {
    List<Object> arguments =
        new ArrayList<>(
            List.of("import", "--format", format, "--data", folder.resolve(data), "--no-progress"));
    arguments.addAll(List.of(more));
    arguments.addAll(files);
    return arguments;
  }

  private String export(String data) {
    out.getBuffer().setLength(0);
    assertThat(
            run(
                List.of(
                    "export",
                    "--data",
                    folder.resolve(data),
                    "--select",
                    "m",
                    "--format",
                    "csv",
                    "--no-progress")))
        .as(err.toString())
        .isZero();
    return out.toString();
  }

  /** Returns the counts that an import printed, without its time, and forgets what it said. */
  private static String lastLine(StringWriter err) {
    String line =
        err.toString()
            .lines()
            .filter(one -> one.contains(" points of "))
            .reduce((first, second) -> second)
            .orElse("");
    err.getBuffer().setLength(0);
    return line.replaceAll(" in .*", "");
  }

  private int run(List<?> arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments.stream().map(Object::toString).toArray(String[]::new));
  }
}
