package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.cli.io.Stdout;
import dev.varve.engine.config.EngineConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/**
 * Tests the commands as users call them: from arguments and stdin to stdout, stderr and the exit
 * code.
 */
class CommandLineTest {
  private static final String POINT =
      "{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}";

  @TempDir Path folder;

  private final InputStream stdin = System.in;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String input, String... arguments) {
    System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @AfterEach
  void giveStdinBack() {
    System.setIn(stdin);
  }

  @Test
  void everyCommandHasAnExampleInItsHelp() {
    for (String command :
        List.of(
            "serve", "import", "query", "put", "explain", "compact", "cells", "layouts", "config",
            "queries", "heatmap", "check", "delete")) {
      out.getBuffer().setLength(0);
      assertThat(run("", command, "--help")).isZero();
      assertThat(out.toString()).as(command).containsIgnoringCase("example").contains("--output");
    }
  }

  @Test
  void rulesAreCheckedAndTested() throws IOException {
    Path rules =
        Files.writeString(
            folder.resolve("rules.yml"),
            "groups: [{name: g, rules: [{record: two, expr: vector(2)}]}]");
    assertThat(run("", "rules", "check", rules.toString())).isZero();
    assertThat(out.toString()).isEqualTo(rules + ": 1 groups, 1 rules\n");
    Path tests =
        Files.writeString(
            folder.resolve("tests.yml"),
            """
            rule_files: [rules.yml]
            tests:
              - name: fine
                promql_expr_test:
                  - {expr: two, eval_time: 1m, exp_samples: [{labels: two, value: 2}]}
              - promql_expr_test: [{expr: two, eval_time: 1m}]
            """);
    out.getBuffer().setLength(0);
    assertThat(run("", "rules", "test", tests.toString())).isEqualTo(1);
    assertThat(out.toString())
        .isEqualTo("%s: fine: ok\n%s: unnamed#1: failed\n".formatted(tests, tests));
    assertThat(err.toString()).contains("expr: \"two\", time: 60s, exp: [], got: [two 2]");
    Files.writeString(rules, "groups: [{name: g, rules: [{record: two, expr: vector(2}]}]");
    assertThat(run("", "rules", "check", rules.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("rules.yml line 1").contains("parse error");
  }

  @Test
  void aWrongCallEndsWithTwoAndSaysSoOnStderr() {
    assertThat(run("", "cells")).isEqualTo(2);
    assertThat(err.toString()).contains("--layout");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void attachNamesTheTableThatIsMissingAndPrintsNoConfiguration() {
    assertThat(run("", "attach", "heroic", "--store", "memory")).isEqualTo(1);
    assertThat(err.toString())
        .contains("the store has no table 'metrics'")
        .contains("these are no tables that layout 'heroic' can read");
    assertThat(out.toString()).isEmpty();
    assertThat(run("", "attach", "heroic", "--store", "memory", "--table", "x=y")).isEqualTo(2);
    assertThat(run("", "dev-store", "mysql")).isEqualTo(2);
  }

  @Test
  void attachWritesOverNoFile() throws IOException {
    Path there = Files.writeString(folder.resolve("there.yaml"), "data: mine\n");
    assertThat(run("", "attach", "heroic", "--store", "memory", "--write", there.toString()))
        .isEqualTo(2);
    assertThat(err.toString()).contains("file '" + there + "' already exists");
    assertThat(there).hasContent("data: mine");
  }

  @Test
  void aServerKeepsItsOwnMetricsOutOfTablesOfOthers() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("varve.yaml"),
            """
            datasets:
              theirs:
                layout: kairosdb
                attach: co-write
                store: {kind: cassandra}
              mine:
                layout: buckets
            """);
    assertThat(ServeCommand.takesOwnMetrics(engine(file, Map.of()))).isFalse();
    assertThat(ServeCommand.takesOwnMetrics(engine(file, Map.of("default", "mine")))).isTrue();
  }

  private static EngineConfig engine(Path file, Map<String, String> settings) {
    return VarveConfig.read(file, Map.of(), settings).engine();
  }

  @Test
  void aFailureEndsWithOneAndOneLine() {
    assertThat(run("", "cells", "--layout", "no-such-layout")).isEqualTo(1);
    assertThat(run("", "layouts", "no-such-layout")).isEqualTo(1);
    assertThat(run("", "layouts", "kairosdb", "--param", "unit=days")).isEqualTo(1);
    assertThat(run("", "cells", "--layout", "heroic", "--param", "none=1")).isEqualTo(1);
    assertThat(err.toString().lines()).hasSize(4);
    assertThat(err.toString()).contains("no-such-layout").doesNotContain("\tat ", "defect");
  }

  @Test
  void cellsDecodesItsOwnOutput() {
    assertThat(run(POINT + "\n", "cells", "--layout", "buckets", "--output", "json")).isZero();
    String cells = out.toString();
    out.getBuffer().setLength(0);

    assertThat(run(cells, "cells", "--layout", "buckets", "--decode")).isZero();
    assertThat(out.toString().strip()).isEqualTo(POINT);
  }

  @Test
  void cellsHoldWhatALayoutWritesIntoTablesThatItOpens() throws IOException {
    assertThat(run(POINT + "\n", "cells", "--layout", "kairosdb", "--output", "json")).isZero();
    String cells = out.toString();
    List<String> opening =
        cells.lines().filter(line -> line.startsWith("{\"table\":\"spec\"")).toList();
    assertThat(opening).hasSize(2);
    Path existing = Files.write(folder.resolve("cells"), opening);

    out.getBuffer().setLength(0);
    assertThat(run(cells, "cells", "--layout", "kairosdb", "--decode")).isZero();
    assertThat(out.toString().strip()).isEqualTo(POINT);

    out.getBuffer().setLength(0);
    String[] again = {
      "cells", "--layout", "kairosdb", "--output", "json", "--with-cells", existing.toString()
    };
    assertThat(run(POINT + "\n", again)).isZero();
    assertThat(out.toString().lines())
        .containsExactlyElementsOf(cells.lines().filter(line -> !opening.contains(line)).toList());
  }

  @Test
  void cellsOfOtherParametersAreNotTakenForOnesOwn() throws IOException {
    assertThat(run(POINT + "\n", "cells", "--layout", "kairosdb", "--output", "json")).isZero();
    String cells = out.toString();
    String[] legacy = {"cells", "--layout", "kairosdb", "--param", "unit=legacy"};

    out.getBuffer().setLength(0);
    assertThat(run(cells, with(legacy, "--decode"))).isEqualTo(1);
    assertThat(out.toString())
        .contains("row_time_unit is MILLISECONDS, but the layout's parameters say LEGACY");

    Path existing = Files.writeString(folder.resolve("cells"), cells);
    assertThat(run(POINT + "\n", with(legacy, "--with-cells", existing.toString()))).isEqualTo(1);
    assertThat(err.toString()).contains("row_time_unit MILLISECONDS");
  }

  private static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void aDamagedCellIsPrintedWithItsReason() {
    String cell =
        "{\"table\":\"buckets\",\"family\":\"d\",\"row\":\"ff\",\"qualifier\":\"00\",\"value\":\"00\"}";

    assertThat(
            run(
                cell + "\n{\"table\":\"x\"}\nnonsense\n",
                "cells",
                "--layout",
                "buckets",
                "--decode"))
        .isEqualTo(1);
    assertThat(out.toString().lines())
        .hasSize(3)
        .allMatch(line -> line.startsWith("{\"damaged\":\""));
    assertThat(out.toString()).contains("\"cell\":" + cell).contains("\"cell\":\"nonsense\"");
  }

  @Test
  void aBadPointIsNamedAndTheOthersAreKept() {
    assertThat(
            run(
                "{\"metric\":1}\n" + POINT + "\n",
                "cells",
                "--layout",
                "buckets",
                "--output",
                "json"))
        .isEqualTo(1);
    assertThat(err.toString()).contains("line 1");
    assertThat(out.toString().lines()).hasSize(1);
  }

  @Test
  void aPointThatIsPutIsQueriedAndExplained() {
    String data = folder.resolve("data").toString();

    assertThat(run("", "put", "--data", data, POINT)).isZero();
    out.getBuffer().setLength(0);
    assertThat(
            run(
                "",
                "query",
                "m{host=\"a\"}",
                "--data",
                data,
                "--from",
                "2023-11-14",
                "--to",
                "2023-11-15",
                "--output",
                "json"))
        .isZero();
    assertThat(out.toString().strip())
        .isEqualTo(
            "{\"metric\":\"m\",\"labels\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":1.5}");
    out.getBuffer().setLength(0);
    assertThat(
            run(
                "",
                "explain",
                "m{host=\"a\"}",
                "--data",
                data,
                "--from",
                "2023-11-14",
                "--to",
                "2023-11-15",
                "--analyze"))
        .isZero();
    assertThat(out.toString())
        .contains("1 series match")
        .contains("returned  1 samples of 1 series");
    out.getBuffer().setLength(0);
    assertThat(
            run(
                "",
                "explain",
                "sum by (host) (count_over_time(m[1d]))",
                "--data",
                data,
                "--to",
                "2023-11-15",
                "--analyze"))
        .isZero();
    assertThat(out.toString())
        .startsWith("sum  by (host)  (1 rows, 1 values, ")
        .contains("`- count_over_time", "[scan 1]", "scan 1    m, ", "labels: host")
        .contains("returned  1 samples of 1 series");
    out.getBuffer().setLength(0);
    String kairosDb =
        "{\"start_absolute\":1699920000000,\"end_absolute\":1700006400000,\"metrics\":[{\"name\":\"m\",\"tags\":{\"host\":\"a\"},\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\"]}],\"aggregators\":[{\"name\":\"sum\"}]}]}";
    assertThat(run("", "explain", "--kairosdb", kairosDb, "--data", data, "--analyze")).isZero();
    assertThat(out.toString())
        .startsWith("kairosdb")
        .contains("`- downsample  sum of 1 from 1699920000000, at its FIRST; texts pass unchanged")
        .contains("`- merge  by host", "`- select  {__name__=\"m\", host=\"a\"}  [scan 1]")
        .contains("scan 1    {__name__=\"m\", host=\"a\"}, 1699920000000 to 1700006400000")
        .contains("labels: host", "layout    ", "returned  1 samples of 1 series");
    out.getBuffer().setLength(0);
    String openTsdb = "start=1699920000&end=1700006400&m=sum:1h-avg:m{host=a}";
    assertThat(run("", "explain", "--opentsdb", openTsdb, "--data", data, "--analyze")).isZero();
    assertThat(out.toString())
        .startsWith("opentsdb")
        .contains("`- aggregate  sum by host, linear between points  (1 rows, 1 values, ")
        .contains(
            "`- downsample  avg of 1h  (1 rows, 1 values, ", "returned  1 samples of 1 series");
    out.getBuffer().setLength(0);
    String heroic = "average from points(1h) where $key = m";
    assertThat(run("", "explain", "--heroic", heroic, "--data", data)).isZero();
    assertThat(out.toString()).startsWith("heroic").contains("`- average  of ", "[scan 1]");
    out.getBuffer().setLength(0);
    assertThat(run("", "explain", "--point", POINT, "--data", data)).isZero();
    assertThat(out.toString()).contains("qualifier");
  }

  @Test
  void importCountsBadLinesAndPutsThemAside() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("cpu.lp"),
            "cpu,host=a usage=1.5 1700000000000000000\nnonsense\ncpu,host=a usage=2 1700000001000000000\n");
    String data = folder.resolve("data").toString();

    assertThat(
            run(
                "",
                "import",
                "--data",
                data,
                "--format",
                "influx",
                "--no-progress",
                file.toString()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("2 points of 3 lines").contains("1 bad lines");
    out.getBuffer().setLength(0);
    assertThat(Files.readString(folder.resolve("cpu.lp.bad")))
        .contains("line 2")
        .contains("nonsense");
    assertThat(run("", "query", "cpu", "--data", data, "--from", "2023-11-14", "--output", "csv"))
        .isZero();
    assertThat(out.toString().lines()).hasSize(3);
  }

  /** Runs an import that must exit with 1, and returns the content of FILE.bad. */
  private String importWithFaults(String content, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("points"), content);
    List<String> call = new ArrayList<>(List.of("import", "--no-progress", "--output", "csv"));
    call.addAll(List.of("--data", folder.resolve("data").toString()));
    call.addAll(List.of(options));
    call.add(file.toString());
    assertThat(run("", call.toArray(String[]::new))).as(err.toString()).isEqualTo(1);
    return Files.readString(folder.resolve("points.bad"));
  }

  @Test
  void importLeavesOutBadPointsOfAKairosDbLineAndKeepsTheOthers() throws IOException {
    String bad =
        importWithFaults(
            """
            {"name":"m","tags":{"a":"b"},"datapoints":[[1700000000000,1]]}
            {"name":"m","tags":{"a":"b"},"datapoints":[[1700000001000,2],["x",3],[1700000002000,4]]}
            """,
            "--format",
            "kairosdb");
    assertThat(bad).contains("points line 2: data point 1 has no time").contains("[\"x\",3]");
    assertThat(err.toString())
        .contains("3 points of 2 lines")
        .contains("1 values left out of lines that were read otherwise");
    assertThat(out.toString()).startsWith("points,lines,bad,left_out,refused,seconds\n3,2,0,1,0,");
  }

  @Test
  void importReportsCsvRowsWithoutAValue() throws IOException {
    String bad =
        importWithFaults(
            "time,a,b\n1700000000000,1,\n1700000001000,,\n\n1700000002000,,2\n",
            "--format",
            "csv",
            "--metric",
            "m");
    assertThat(bad)
        .isEqualTo(
            "# %s line 3: the line has no value: all columns of fields are empty\n1700000001000,,\n"
                .formatted(folder.resolve("points")));
    assertThat(err.toString()).contains("1 bad lines").contains("1 empty lines skipped");
    assertThat(out.toString()).contains("\n2,5,1,0,0,");
  }

  @Test
  void importReportsFieldsThatComeAgain() throws IOException {
    String bad = importWithFaults("m a=1,b=2,a=3 1700000000000000000\n", "--format", "influx");
    assertThat(bad).contains("points line 1: field 'a' comes again: the last value is kept");
    assertThat(out.toString()).contains("\n2,1,0,1,0,");
    out.getBuffer().setLength(0);
    String data = folder.resolve("data").toString();
    assertThat(run("", "query", "m", "--data", data, "--from", "2023-11-14", "--output", "csv"))
        .isZero();
    assertThat(out.toString()).contains(",3").doesNotContain(",1\n", ",1.0\n");
  }

  @Test
  void badLinesOfSeveralFilesStandInOnePlace() throws Exception {
    Path first = Files.writeString(folder.resolve("a.lp"), "cpu,host=a u=1 1\nnonsense\n");
    Path second = Files.writeString(folder.resolve("b.lp"), "rubbish\ncpu,host=a u=1 2\n");
    Path refused = Files.writeString(folder.resolve("c.lp"), "cpu value=\"text\" 3\n");
    Path bad = Files.writeString(folder.resolve("bad"), "of an earlier run");
    String[] call = {
      "--data",
      folder.resolve("data").toString(),
      "--set",
      "datasets.default.layout=heroic",
      "--format",
      "influx",
      "--bad",
      bad.toString(),
      first.toString(),
      second.toString(),
      refused.toString()
    };

    assertThat(run("", join(call, "import"))).isEqualTo(1);
    assertThat(Files.readString(bad))
        .startsWith("# " + first + " line 2: ")
        .contains("nonsense", "# " + second + " line 1: ", "rubbish")
        .contains("# " + refused + ": refused: ");
    assertThat(err.toString())
        .contains(refused + ": 1 points that the dataset refuses, with reasons in " + bad);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '^',
      textBlock =
          """
          query m --bogus; '--bogus'
          query m --output xml; table, json, csv
          query m{; expected the name of a tag
          query m{a=~"("}; not a regular expression
          query m --from yesterday; 'yesterday' for 'from' is not a time
          query m --as-of soon; 'soon' for 'asof' is not a time
          query m --last 0; '0' for '--last' is no length
          query m --last 1h --from 1d; neither --from nor --to
          query m --from now --to 2020-01-01; 'to' lies before 'from'
          query m --every 7x; '7x' is not a window width
          query m --every 1d --zone Mars/Base; 'Mars/Base' for 'zone' is not a time zone
          query m --every 1h --aggregate p200; 'p200' is not an aggregation
          query m --limit -1; '-1' for 'limit' is not a non-negative integer
          query m --rate maybe; 'rate' is counter
          query m --server nonsense; 'nonsense' is no address of a server
          query; 'selector' is missing
          explain m --point {}; --point goes with neither a selector
          explain m --kairosdb {}; --kairosdb goes with neither a selector
          explain --heroic nothing --step 1m; --heroic goes with neither a selector
          explain sum(m) --every 1h; 'every' cannot be used with PromQL
          explain m --promql --from 1h; 'from' needs 'step'
          explain m --step soon; not a valid duration
          explain m --order sideways; 'order' is labels, last or newest
          import --format influx --precision parsec x; 'parsec' is not a time resolution
          import --format csv --metric m --metric-column c x; --metric-column
          import --format csv --metric m --time-unit day x; --time-unit: 'day' is not a time resolution
          import --format csv --metric m --time-pattern {{ x; --time-pattern: Pattern includes
          import --format csv --metric m --field-columns a:float x; 'float' is no kind of field
          import --format csv --metric m --field-columns a,b,a:long x; column 'a' comes twice
          query m --from 999999999y; '999999999y' for 'from' is not a time
          serve --listen nowhere; 'nowhere' is no place to listen
          """)
  void aWrongCallEndsWithTwoAndSaysWhatWasWrong(String call, String message) {
    assertThat(run("", call.split(" "))).as(err.toString()).isEqualTo(2);
    assertThat(err.toString())
        .startsWith("varve: ")
        .contains(message)
        .contains("--help")
        .doesNotContain("defect", "Exception");
    assertThat(err.toString().lines().count()).isLessThan(5);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aFailureThatIsNotOfVarvesMakingIsNotCalledADefect() throws Exception {
    String data = folder.resolve("data").toString();
    Files.writeString(folder.resolve("bad.yaml"), "nonsense: [");
    assertThat(run("", "query", "m", "--data", data)).isEqualTo(1);
    assertThat(run("", "put", "--data", data, POINT)).isZero();
    assertThat(run("", "query", "m", "--data", data, "--dataset", "nope")).isEqualTo(1);
    assertThat(run("", "query", "m", "--data", data, "--as-of", "2026-01-01")).isEqualTo(1);
    assertThat(run("", "query", "m", "--server", "http://127.0.0.1:1")).isEqualTo(1);
    assertThat(run("", "config", "--config", data + "/none.yaml")).isEqualTo(1);
    assertThat(run("", "cells", "--layout", folder.resolve("bad.yaml").toString())).isEqualTo(1);
    assertThat(run("", "config", "--config", folder.resolve("bad.yaml").toString())).isEqualTo(1);
    assertThat(run("", "explain", "--point", "nonsense", "--data", data)).isEqualTo(1);
    assertThat(err.toString())
        .contains("there is no data directory '" + data + "'")
        .contains("there is no dataset 'nope'; there are: default")
        .contains("keeps the last version of a sample only")
        .contains("no server answers at http://127.0.0.1:1")
        .contains("there is no file '" + data + "/none.yaml'")
        .doesNotContain("defect", "Exception");
  }

  @Test
  void importWritesWhatCameBeforeAFileBreaks() throws Exception {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
      for (int i = 0; i < 50_000; i++) {
        String line = "m,host=a value=%d.5 %d\n".formatted(i, 1_700_000_000_000L + i);
        gzip.write(line.getBytes(StandardCharsets.UTF_8));
      }
    }
    Path half =
        Files.write(
            folder.resolve("half.gz"), Arrays.copyOf(zipped.toByteArray(), zipped.size() / 2));
    String data = folder.resolve("data").toString();
    assertThat(
            run(
                "",
                "import",
                "--data",
                data,
                "--format",
                "influx",
                "--precision",
                "ms",
                "--state",
                folder.resolve("state").toString(),
                half.toString()))
        .isEqualTo(1);
    assertThat(err.toString())
        .containsPattern("half.gz, after line \\d+: its gzip data ends in the middle")
        .containsPattern("[0-9,]+ points were written before this failed");
    assertThat(run("", "query", "m", "--data", data, "--from", "2023-11-14", "--output", "csv"))
        .isZero();
    assertThat(out.toString().lines().count()).isGreaterThan(10_000);
  }

  @Test
  void importStoresIntegersWhereTheLayoutHoldsDoublesAlone() throws Exception {
    Path file = Files.writeString(folder.resolve("m.txt"), "put m 1700000000 7 host=a\n");
    String data = folder.resolve("data").toString();
    String[] heroic = {"--data", data, "--set", "datasets.default.layout=heroic"};
    assertThat(run("", join(heroic, "import", "--format", "opentsdb", file.toString())))
        .as(err.toString())
        .isZero();
    assertThat(err.toString()).contains("1 integers were stored as doubles");
    assertThat(run("", join(heroic, "query", "m", "--from", "2023-11-14", "--output", "json")))
        .isZero();
    assertThat(out.toString()).contains("\"value\":7.0");
    assertThat(run("", join(heroic, "put", POINT.replace("1.5", "7")))).isEqualTo(1);
  }

  private static String[] join(String[] options, String command, String... more) {
    List<String> all = new ArrayList<>(List.of(command));
    all.addAll(List.of(options));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource({"Broken pipe,0", "No space left on device,1"})
  void aStdoutThatFailsEndsTheCommand(String reason, int code) {
    OutputStream failing =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(reason);
          }
        };
    System.setIn(new ByteArrayInputStream(POINT.getBytes(StandardCharsets.UTF_8)));
    CommandLine line = Main.commandLine();
    line.setOut(
        new PrintWriter(new OutputStreamWriter(new Stdout(failing), StandardCharsets.UTF_8)));
    line.setErr(new PrintWriter(err, true));
    assertThat(line.execute("cells", "--layout", "buckets", "--output", "json")).isEqualTo(code);
    assertThat(err.toString())
        .isEqualTo(
            code == 0 ? "" : "varve: cannot write to stdout: " + reason + System.lineSeparator());
  }

  @Test
  void compactMakesOneCellOfARowAndChangesNoAnswer() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 90; i++) {
      lines.append("put load %d %d host=a%n".formatted(1_699_999_200 + 60 * i, i * i));
    }
    Path file = Files.writeString(folder.resolve("load.tsdb"), lines);
    String[] tsdb = {
      "--data", folder.resolve("data").toString(), "--set", "datasets.main.layout=opentsdb"
    };
    assertThat(run("", join(tsdb, "import", "--format", "opentsdb", file.toString()))).isZero();
    String[] query = join(tsdb, "query", "load", "--from", "2023-11-14", "--output", "csv");
    out.getBuffer().setLength(0);
    assertThat(run("", query)).isZero();
    String before = out.toString();
    assertThat(before.lines()).hasSize(91);

    out.getBuffer().setLength(0);
    assertThat(run("", join(tsdb, "compact", "load{host=\"a\"}", "--output", "json"))).isZero();
    assertThat(out.toString().strip())
        .isEqualTo(
            "{\"rows\":2,\"compacted\":2,\"cellsWritten\":2,\"cellsDeleted\":90,\"damaged\":0}");
    out.getBuffer().setLength(0);
    assertThat(run("", query)).isZero();
    assertThat(out.toString()).isEqualTo(before);
    assertThat(run("", "compact")).isEqualTo(2);
    String other = folder.resolve("other").toString();
    assertThat(run("", "compact", "load", "--data", other)).isEqualTo(1);
    assertThat(run("", "put", POINT, "--data", other)).isZero();
    assertThat(run("", "compact", "load", "--data", other)).isEqualTo(1);
    assertThat(run("", "compact", "load{", "--data", other)).isEqualTo(2);
    assertThat(run("", "compact", "load", "--from", "soon", "--data", other)).isEqualTo(2);
    assertThat(err.toString())
        .contains("there is no data directory")
        .contains("no layout of dataset 'default' has compacted rows");
  }
}
