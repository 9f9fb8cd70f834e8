package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Imports the daily prices of the S&amp;P 500 since 2000, from a public package, into the layout
 * for market data, and queries their monthly highs.
 */
class MarketDataIT {
  private static final String PACKAGE = "vega-datasets@3.2.1";
  private static final String FILE = "package/data/sp500-2000.csv";
  private static final long NANOS_A_SECOND = 1_000_000_000L;

  private static final Path FOLDER = Checkout.fresh("market-data");

  @BeforeAll
  static void fetchAndImport() throws IOException, InterruptedException {
    Checkout.program("npm", "npm");
    run("npm", "pack", PACKAGE, "--silent");
    run("tar", "-xzf", "vega-datasets-3.2.1.tgz", FILE);
    // One row per year: a query of a month reads one row, a chart of ten years ten rows.
    Files.writeString(
        FOLDER.resolve("varve.yaml"),
        """
        data: data
        datasets:
          prices: {layout: market-data, parameters: {bucket: year}}
        """);
    Checkout.Outcome imported =
        Checkout.run(
            FOLDER,
            "import",
            "--config",
            "varve.yaml",
            "--format",
            "csv",
            "--metric",
            "price",
            "--tag",
            "exchange=INDEX",
            "--tag",
            "symbol=SPX",
            "--time-column",
            "date",
            "--field-columns",
            "open,high,low,close,adjclose,volume:long",
            FILE);
    imported.success();
    // The first line has names, each other line six values.
    assertThat(imported.err())
        .contains("30,630 points of 5,106 lines")
        .doesNotContain("bad", "refused");
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Checkout.run(new ProcessBuilder(command).directory(FOLDER.toFile())).success();
  }

  /** Returns the highest price of each month, by the first instant of the month. */
  private static Map<Long, BigDecimal> highsOfTheFile() throws IOException {
    Map<Long, BigDecimal> highs = new TreeMap<>();
    List<String> lines = Files.readAllLines(FOLDER.resolve(FILE));
    int column = List.of(lines.getFirst().split(",", -1)).indexOf("high");
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      LocalDate month = LocalDate.parse(cells[0]).withDayOfMonth(1);
      highs.merge(
          month.toEpochSecond(LocalTime.MIDNIGHT, ZoneOffset.UTC) * NANOS_A_SECOND,
          new BigDecimal(cells[column]),
          BigDecimal::max);
    }
    return highs;
  }

  private static Map<Long, BigDecimal> query(String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "query",
                "price{symbol=\"SPX\"}",
                "--config",
                "varve.yaml",
                "--field",
                "high",
                "--every",
                "1mo",
                "--aggregate",
                "max",
                "--output",
                "json"));
    command.addAll(List.of(more));
    Map<Long, BigDecimal> found = new TreeMap<>();
    Checkout.run(FOLDER, command.toArray(String[]::new))
        .success()
        .lines()
        .map(Json::object)
        .forEach(line ->
            found.put(Json.number(line, "time").longValueExact(), Json.number(line, "value")));
    return found;
  }

  @Test
  void answersTheHighOfEveryMonth() throws Exception {
    Map<Long, BigDecimal> expected = highsOfTheFile();
    Map<Long, BigDecimal> found = query("--from", "2000-01-01", "--to", "2020-12-31");
    assertThat(expected).hasSizeGreaterThan(240);
    assertThat(found.keySet()).isEqualTo(expected.keySet());
    expected.forEach((month, high) ->
        assertThat(found.get(month)).as("month %d", month).isEqualByComparingTo(high));
  }

  @Test
  void readsOneRowRangeForAMonth() throws Exception {
    Map<String, Object> explanation =
        Json.object(
            Checkout.run(
                    FOLDER,
                    "explain",
                    "price{symbol=\"SPX\"}",
                    "--config",
                    "varve.yaml",
                    "--field",
                    "high",
                    "--every",
                    "1mo",
                    "--aggregate",
                    "max",
                    "--from",
                    "2008-10-01",
                    "--to",
                    "2008-10-31T23:59:59Z",
                    "--analyze",
                    "--output",
                    "json")
                .success());
    Map<String, Object> scan = Json.members(Json.elements(explanation.get("scans")).getFirst());
    List<Object> reads = Json.elements(scan.get("reads"));
    assertThat(reads).hasSize(1);
    Map<String, Object> read = Json.members(reads.getFirst());
    assertThat(Json.elements(read.get("ranges"))).as("row ranges").hasSize(1);
    assertThat(read.get("slices")).isEqualTo(BigDecimal.ONE);
    Map<String, Object> actual = Json.members(scan.get("actual"));
    assertThat(actual.get("rowsRead")).as("rows really read").isEqualTo(BigDecimal.ONE);
    // 23 trading days, each one cell with all its fields.
    assertThat(actual.get("cellsReturned")).isEqualTo(new BigDecimal(23));
    assertThat(query("--from", "2008-10-01", "--to", "2008-10-31T23:59:59Z").values())
        .singleElement()
        .satisfies(high -> assertThat(high).isEqualByComparingTo("1167.030029"));
  }
}
