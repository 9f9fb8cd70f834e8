package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.VarveConfig;
import dev.varve.engine.Engine;
import dev.varve.formats.parquet.ParquetExport;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Exports as Parquet: DuckDB and the importer read them, and they go on after a kill. */
class ParquetTest {
  private static final long START = 1_700_000_000_000L;
  private static final double ODD_NAN = Double.longBitsToDouble(0xfff8_0000_dead_beefL);

  /** Texts of so many bytes and such a number are more than a row group has. */
  private static final int TEXT = 64 << 10;

  private static final int TEXTS = 300;

  private static final int FEW = 200;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  @Test
  void duckDbCountsSumsAndFilters() throws Exception {
    fill("a");
    Path file = folder.resolve("m.parquet");
    assertThat(export("a", file)).as(err.toString()).isZero();
    assertThat(err.toString()).contains("407 samples");
    String table = "'" + file + "'";
    assertThat(sql("select count(*), min(time), max(time) from " + table))
        .containsExactly("407|2023-11-14T22:13:20Z|2023-11-14T22:16:39Z");
    assertThat(
            sql(
                "select metric, labels['host'], count(*), sum(value_double) from "
                    + table
                    + " where metric = 'm1' and labels['host'] = 'h1'"
                    + " and time < timestamptz '2023-11-14 22:13:30+00' group by all"))
        .containsExactly("m1|h1|10|50.0");
    assertThat(
            sql(
                "select map_keys(labels), value_double, value_int64, value_string, field, resource from "
                    + table
                    + " where metric = 'm2' order by labels['n']"))
        .containsExactly(
            "[n]|null|-9223372036854775808|null|value|{}",
            "[a, n, z]|null|null|ü\n|f|{}",
            "[n]|-0.0|null|null|value|{}",
            "[]|Infinity|null|null|value|{}");
    assertThat(
            sql("describe select * from " + table).stream()
                .map(row -> row.replaceAll("\\|YES.*", "")))
        .containsExactly(
            "metric|VARCHAR",
            "labels|MAP(VARCHAR, VARCHAR)",
            "time|TIMESTAMP WITH TIME ZONE",
            "value_double|DOUBLE",
            "value_int64|BIGINT",
            "value_string|VARCHAR",
            "field|VARCHAR",
            "resource|MAP(VARCHAR, VARCHAR)");
  }

  @Test
  void nothingIsATableWithoutRows() throws Exception {
    fill("a");
    Path file = folder.resolve("none.parquet");
    assertThat(
            run(
                "export",
                "--data",
                data("a"),
                "--select",
                "none",
                "--format",
                "parquet",
                "--out",
                file))
        .as(err.toString())
        .isZero();
    assertThat(sql("select count(*) from '" + file + "'")).containsExactly("0");
    assertThat(run("import", "--format", "parquet", "--data", data("b"), file)).isZero();
  }

  @Test
  void everyBitComesBackThroughServers() throws Exception {
    fill("a");
    Path file = folder.resolve("m.parquet");
    Path through = folder.resolve("through.parquet");
    assertThat(export("a", file)).isZero();
    try (Engine engine = open("a");
        Server server = Server.start(server(), engine)) {
      assertThat(
              run(
                  "export",
                  "--server",
                  address(server),
                  "--select",
                  "{__name__=~\"m.*\"}",
                  "--format",
                  "parquet",
                  "--out",
                  through))
          .as(err.toString())
          .isZero();
    }
    assertThat(through).hasSameBinaryContentAs(file);

    String csv = csv("a");
    assertThat(csv).contains("NaN:fff80000deadbeef", "stale", "-0.0", "NaN\n");
    assertThat(run("import", "--format", "parquet", "--data", data("b"), file)).isZero();
    assertThat(csv("b")).isEqualTo(csv);
    try (Engine engine = open("c");
        Server server = Server.start(server(), engine)) {
      assertThat(run("import", "--format", "parquet", "--server", address(server), file)).isZero();
      assertThat(out.toString()).contains("407");
    }
    assertThat(csv("c")).isEqualTo(csv);
  }

  @Test
  void filesThatDuckDbRewritesAreReadToo() throws Exception {
    fill("a");
    Path file = folder.resolve("m.parquet");
    Path again = folder.resolve("again.parquet");
    assertThat(export("a", file)).isZero();
    sql(
        "copy (select metric, labels, time, value_double from '%s' where metric = 'm1') to '%s' (format parquet, codec 'gzip')"
            .formatted(file, again));
    assertThat(run("import", "--format", "parquet", "--data", data("b"), again))
        .as(err.toString())
        .isZero();
    assertThat(csv("b")).isEqualTo(lines(csv("a"), "m1,", "metric,"));
    sql("copy (select 1 as n) to '%s' (format parquet, codec 'snappy')".formatted(again));
    assertThat(run("import", "--format", "parquet", "--data", data("b"), again)).isEqualTo(1);
    assertThat(err.toString()).contains("compressed with SNAPPY: write it with zstd, gzip or");
  }

  @Test
  void tablesOfOthersAreReadByTheirColumns() throws Exception {
    Path file = folder.resolve("t.parquet");
    sql(
        "copy (select 'b' || i as host, timestamp '2023-11-14 22:13:20' + to_seconds(i) as at, i::integer as n,"
            + " i / 4 as x, 'on' as state, 7::tinyint as rack from range(3) r(i)) to '%s' (format parquet, codec 'zstd')"
                .formatted(file));
    assertThat(
            run(
                "import",
                "--format",
                "parquet",
                "--data",
                data("a"),
                "--metric",
                "m",
                "--time-column",
                "at",
                "--tag-columns",
                "host,rack",
                "--tag",
                "dc=d",
                "--field-columns",
                "n:long,x,state:string",
                file))
        .as(err.toString())
        .isZero();
    assertThat(csv("a").lines().skip(1).toList())
        .contains(
            "m,\"{\"\"dc\"\":\"\"d\"\",\"\"host\"\":\"\"b1\"\",\"\"rack\"\":\"\"7\"\"}\",,n,int64,1700000001000,1",
            "m,\"{\"\"dc\"\":\"\"d\"\",\"\"host\"\":\"\"b1\"\",\"\"rack\"\":\"\"7\"\"}\",,x,double,1700000001000,0.25",
            "m,\"{\"\"dc\"\":\"\"d\"\",\"\"host\"\":\"\"b1\"\",\"\"rack\"\":\"\"7\"\"}\",,state,string,1700000001000,\"\"\"on\"\"\"")
        .hasSize(9);
    assertThat(run("import", "--format", "parquet", "--data", data("a"), "--metric", "m", file))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("there is no column 'time' (the columns are host, at, n, x, state, rack)");
    assertThat(run("import", "--format", "parquet", "--data", data("a"), file)).isEqualTo(1);
    assertThat(err.toString())
        .contains("it is no export of Varve, since there is no column 'metric'");
  }

  @Test
  void damageIsNamed() throws Exception {
    fill("a");
    Path file = folder.resolve("m.parquet");
    assertThat(export("a", file)).isZero();
    byte[] whole = Files.readAllBytes(file);
    byte[] flipped = whole.clone();
    flipped[whole.length / 3] ^= 1;
    Files.write(file, flipped);
    assertThat(run("import", "--format", "parquet", "--data", data("b"), file)).isEqualTo(1);
    assertThat(err.toString()).contains(file + ", after row ").contains("it is damaged: ");
    Files.write(file, Arrays.copyOf(whole, whole.length - 100));
    assertThat(run("import", "--format", "parquet", "--data", data("b"), file)).isEqualTo(1);
    assertThat(err.toString()).contains(file + ": it cannot be read as Parquet: ");
    Files.writeString(file, "metric,time,value\n");
    assertThat(run("import", "--format", "parquet", "--data", data("b"), file)).isEqualTo(1);
    assertThat(run("import", "--format", "parquet", "--data", data("b"), folder)).isEqualTo(1);
    assertThat(err.toString()).contains("from a file alone").doesNotContain("\tat ");
  }

  @Test
  void goesOnInTheMiddleOfASeries() throws Exception {
    fill("a");
    byte[] text = new byte[TEXT];
    Arrays.fill(text, (byte) 'x');
    Samples texts = new Samples(Kind.STRING);
    try (Engine engine = open("a")) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < TEXTS; i++) {
        texts.add(START + i, text, 0, TEXT, 0);
        batch.group(key("m1", "h2")).add("value", START + i, text);
        if (i % 50 == 49) {
          engine.defaultDataset().write(batch.build());
        }
      }
    }
    Path file = folder.resolve("m.parquet");
    Path part = folder.resolve("part.parquet");
    assertThat(export("a", file)).isZero();
    String export =
        "parquet of {__name__=~\"m.*\"} from the first to the last of dataset 'default' of "
            + data("a");
    List<Boolean> recorded = new ArrayList<>();
    // What a kill leaves: a recorded row group, and a part of the next one.
    try (ExportFile to = ExportFile.open(part, export, false)) {
      ParquetExport writer =
          new ParquetExport(
              to.bytes(),
              Resolution.MILLISECONDS,
              ParquetExport.Written.NONE,
              (last, time, written) -> {
                to.complete(new ExportState(last, time, 0, written.rows(), 0, written.groups()));
                recorded.add(true);
              });
      writer.write(key("m1", "h0").field("value"), numbers(0), 0, FEW);
      writer.write(key("m1", "h1").field("value"), numbers(0.5), 0, FEW);
      writer.write(key("m1", "h2").field("value"), texts, 0, TEXTS);
      to.bytes().write(new byte[1000]);
      to.bytes().flush();
    }
    assertThat(recorded).hasSize(1);
    assertThat(
            run(
                "export",
                "--data",
                data("a"),
                "--select",
                "{__name__=~\"m.*\"}",
                "--format",
                "parquet",
                "--out",
                part,
                "--resume"))
        .as(err.toString())
        .isZero();
    assertThat(err.toString()).contains("going on in m1{host=\"h2\"}");
    assertThat(part).hasSameBinaryContentAs(file);
    assertThat(sql("select count(*), sum(length(value_string)) from '" + part + "'"))
        .containsExactly((2 * FEW + 7 + TEXTS) + "|" + (TEXTS * TEXT + 2));
  }

  @Test
  void refusesToPrint() {
    assertThat(run("export", "--data", data("a"), "--select", "m", "--format", "parquet"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("parquet needs --out");
  }

  @Test
  void timesThatNoUnitHoldsAreLeftOut() throws IOException {
    ParquetExport writer =
        new ParquetExport(
            OutputStream.nullOutputStream(),
            Resolution.SECONDS,
            ParquetExport.Written.NONE,
            (last, time, written) -> {});
    Samples samples = new Samples(Kind.INT64);
    samples.add(Long.MAX_VALUE / 1000, 1L, 0);
    samples.add(Long.MAX_VALUE / 1000 + 1, 1L, 0);
    writer.write(key("m", "h").field(Series.DEFAULT_FIELD), samples, 0, 2);
    writer.finish();
    assertThat(writer.leftOut()).isEqualTo(1);
  }

  private static Samples numbers(double first) {
    Samples samples = new Samples(Kind.DOUBLE);
    for (int i = 0; i < FEW; i++) {
      samples.add(START + 1000L * i, i + first, 0);
    }
    return samples;
  }

  /** Writes 407 samples: two series of doubles, and values of every kind. */
  private void fill(String name) {
    try (Engine engine = open(name)) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < FEW; i++) {
        batch.group(key("m1", "h0")).add("value", START + 1000L * i, (double) i);
        batch.group(key("m1", "h1")).add("value", START + 1000L * i, i + 0.5);
      }
      batch.group(GroupKey.of("m2", Tags.of("n", "1"))).add("value", START, Long.MIN_VALUE);
      batch
          .group(GroupKey.of("m2", Tags.of(Map.of("z", "", "n", "2", "a", "\"ü"))))
          .add("f", START, "ü\n");
      batch.group(GroupKey.of("m2", Tags.of("n", "3"))).add("value", START, -0.0);
      batch.group(GroupKey.of("m2", Tags.EMPTY)).add("value", START, Double.POSITIVE_INFINITY);
      batch.group(GroupKey.of("m3", Tags.EMPTY)).add("value", START + 2, Double.NaN);
      batch.group(GroupKey.of("m3", Tags.EMPTY)).add("value", START, StaleMarker.VALUE);
      batch.group(GroupKey.of("m3", Tags.EMPTY)).add("value", START + 1, ODD_NAN);
      assertThat(engine.defaultDataset().write(batch.build()).refused()).isZero();
    }
  }

  private static GroupKey key(String metric, String host) {
    return GroupKey.of(metric, Tags.of("host", host));
  }

  private static String lines(String text, String... beginnings) {
    StringBuilder kept = new StringBuilder();
    text.lines()
        .filter(line -> Stream.of(beginnings).anyMatch(line::startsWith))
        .forEach(line -> kept.append(line).append('\n'));
    return kept.toString();
  }

  private List<String> sql(String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("set timezone = 'UTC'");
      List<String> rows = new ArrayList<>();
      if (statement.execute(query)) {
        ResultSet result = statement.getResultSet();
        while (result.next()) {
          List<String> cells = new ArrayList<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            cells.add(String.valueOf(result.getObject(i)));
          }
          rows.add(String.join("|", cells));
        }
      }
      return rows;
    }
  }

  private Path data(String name) {
    return folder.resolve(name);
  }

  private Engine open(String name) {
    return Engine.open(
        VarveConfig.read(null, Map.of(), Map.of("data", data(name).toString())).engine());
  }

  private static ServerConfig server() {
    return new ServerConfig(
        List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
        ServerConfig.DEFAULTS.http(),
        ServerConfig.DEFAULTS.query(),
        null,
        null,
        null);
  }

  private static String address(Server server) {
    return "http://127.0.0.1:" + server.ports().getFirst();
  }

  private int export(String name, Path file) {
    return run(
        "export",
        "--data",
        data(name),
        "--select",
        "{__name__=~\"m.*\"}",
        "--format",
        "parquet",
        "--out",
        file);
  }

  private String csv(String name) {
    assertThat(
            run(
                "export",
                "--data",
                data(name),
                "--select",
                "{__name__=~\"m.*\"}",
                "--format",
                "csv"))
        .as(err.toString())
        .isZero();
    return out.toString();
  }

  private int run(Object... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    PrintWriter to = new PrintWriter(out);
    line.setOut(to);
    line.setErr(new PrintWriter(err, true));
    int code = line.execute(Stream.of(arguments).map(Object::toString).toArray(String[]::new));
    to.flush();
    return code;
  }
}
