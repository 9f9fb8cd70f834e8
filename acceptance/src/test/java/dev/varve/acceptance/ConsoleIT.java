package dev.varve.acceptance;

import static dev.varve.acceptance.ConsoleSite.HOSTILE;
import static dev.varve.acceptance.ConsoleSite.HOSTILE_LABEL;
import static dev.varve.acceptance.ConsoleSite.SAMPLES;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * A real browser opens every page of the console on data, types, clicks and drags. Metrics, labels
 * and alerts have names that would run as code if any page made markup of them. After each test the
 * browser's console must be empty: it names errors and violations of the security policy.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleIT {
  private static final String FIELD = ".promql textarea";

  /** Samples of one row, many more than of the others together. */
  private static final int HOT_SAMPLES = 5_000;

  /** Sorts half a million values repeatedly, for minutes. */
  private static final String LONG_QUERY =
      "/api/v1/query_range?start=0&end=9999&step=1&query=quantile_over_time(0.5,vector(1)%5B6d:1s%5D)";

  /** Whether the canvas of a heat map has more than one colour. */
  private static final String HOTTEST =
      "const canvas = document.querySelector('.field-of-heat canvas');"
          + "const data = canvas.getContext('2d')"
          + ".getImageData(0, 0, canvas.width, canvas.height).data;"
          + "return new Set(new Uint32Array(data.buffer)).size > 1";

  private ConsoleSite site;
  private Browser browser;
  private VarveProcess server;

  @BeforeAll
  void start() throws IOException {
    site = ConsoleSite.start("console");
    browser = site.browser();
    server = site.server();
  }

  @AfterEach
  void nothingWentWrongInTheBrowser() {
    site.nothingWentWrong();
  }

  @AfterAll
  void stop() {
    if (site != null) {
      site.close();
    }
  }

  private void open(String query) {
    site.open(query);
  }

  private void onlyRefusals(int status) {
    site.onlyRefusals(status);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  @Test
  void theFirstVisitShowsTheServersOwnMetrics() {
    open("");
    browser.see(".card[data-metric='jvm_memory_used_bytes'] canvas");
    site.picture("explore-first");
    browser.type("#find-metric", "cpu");
    browser.see(".card[data-metric='cpu'] canvas");
    browser.clickText(".card button", "cpu");
    browser.see(".pane canvas");
    assertThat(browser.address()).contains("q=cpu");
    browser.back();
    browser.see("#find-metric");
  }

  @Test
  void aQueryIsCompletedDrawnAndZoomed() {
    open("");
    browser.type(FIELD, "su");
    browser.see(".choices", "sum");
    browser.type(FIELD, "cpu{ho");
    browser.see(".choices", "host");
    browser.press(FIELD, Keys.TAB);
    browser.press(FIELD, "=\"");
    browser.see(".choices", HOSTILE);
    browser.press(FIELD, "a\"}", Keys.ESCAPE, Keys.ENTER);
    browser.see(".legend", "cpu{host=\"a\"");
    assertThat(browser.see(FIELD).getDomProperty("value")).isEqualTo("cpu{host=\"a\"}");

    browser.drag(browser.see(".pane .u-over"), 0.55, 0.9);
    await().untilAsserted(() -> assertThat(browser.address()).contains("range=").contains("end="));
    browser.see(".legend", "cpu{host=\"a\"");
    browser.clickText("#now", "Now");
    browser.type(FIELD, "sum by (host) (cpu{host=~\"a|b\"})", Keys.ESCAPE, Keys.ENTER);
    browser.see(".legend", "{host=\"b\"}");
    browser.choose("#range", "15m");
    browser.see(".legend", "{host=\"b\"}");
    assertThat(browser.see(".colours .of-keyword").getText()).isEqualTo("by");
    assertThat(browser.see(".colours .of-string").getText()).isEqualTo("\"a|b\"");
    site.picture("explore");

    browser.type(FIELD, "sum(", Keys.ESCAPE);
    browser.see(".fault", "parse error");
    browser.press(FIELD, Keys.ENTER);
    browser.see(".error", "parse error");
    onlyRefusals(400);
  }

  @Test
  void oneDrillsDownFromTableToSamples() {
    open("?q=cpu");
    browser.see(".pane canvas");
    browser.clickText(".split button", "host (3)");
    browser.see(".legend", "{host=\"b\"}");
    browser.click("[data-view=table]");
    browser.see("caption", "3 series");
    browser.clickText("td button", HOSTILE);
    browser.see("caption", "1 series");
    assertThat(browser.see(FIELD).getDomProperty("value")).contains("cpu{host=\"" + HOSTILE);
    browser.click("[data-view=samples]");
    browser.see("summary", SAMPLES + " samples");
    browser.click("#add-pane");
    assertThat(browser.all(".pane")).hasSize(2);
  }

  @Test
  void hostileNamesAreTextOnEveryPage() {
    String query = encoded("{\"" + HOSTILE + "\"}");
    open("?q=" + query);
    browser.see(".legend", HOSTILE);
    open("?view=table&q=" + query);
    browser.see("td", HOSTILE);
    browser.see("th", HOSTILE_LABEL);
    open("?view=samples&q=" + query);
    browser.see("summary", HOSTILE);
    open("?page=explain&q=" + query);
    browser.see(".scan", HOSTILE);
    open("?page=cardinality");
    browser.see("td", HOSTILE);
    open("?page=heatmap&dataset=cells");
    browser.see(".names button", HOSTILE);
    browser.clickText(".names button", heatMapName(HOSTILE));
    browser.see("#range-metrics td", HOSTILE);
    open("?page=rules");
    browser.see("td", "summary: " + HOSTILE);
    open("?page=layout&metric=" + encoded(HOSTILE) + "&tags=" + encoded(HOSTILE_LABEL + "=1"));
    browser.see(".summary", HOSTILE);
    browser.see("main");
    open("?page=" + encoded(HOSTILE) + "&dataset=" + encoded(HOSTILE));
    browser.see(".error", "there is no dataset");
    onlyRefusals(404);
  }

  @Test
  void aPointMovesFromLayoutToLayout() {
    open("?page=layout");
    browser.see(".anatomy[data-layout=buckets] .byte");
    browser.type("#point-metric", "cpu");
    browser.click("#pick");
    await().untilAsserted(() -> assertThat(browser.address()).contains("tags=host"));
    browser.see(".summary", "cpu{host=");
    // OpenTSDB holds no host with such characters as the first one of the data.
    browser.type("#point-tags", "host=a");
    browser.click("#beside");
    browser.see(".anatomy[data-layout=opentsdb] .fresh h3", "tsdb/t");
    WebElement salt = browser.see(".anatomy[data-layout=opentsdb] [data-coordinate=row] .byte");
    browser.hover(salt);
    browser.see(".anatomy[data-layout=opentsdb] .field", "metric UID = 000001. It carries");
    salt.sendKeys(Keys.ARROW_RIGHT);
    browser.see(".anatomy[data-layout=opentsdb] .field", "byte 1 of the");
    site.picture("layout");
    browser.choose("#layout-1", "kairosdb");
    browser.see(".anatomy[data-layout=kairosdb] .fresh h3", "data_points");
    browser.choose("#layout-1", "blocks");
    browser.see(".anatomy[data-layout=blocks] .summary", "head of 1 samples");
    browser.choose("#layout-1", "declared");
    browser.see(".anatomy[data-layout=declared] .fresh h3", "mine/d");
    browser.see(".anatomy[data-layout=declared] .counted", "5,760 cells in 16 rows");
    browser.run("document.querySelector('.yaml').scrollIntoView()");
    site.picture("layout-declared");
    browser.run("scrollTo(0, 0)");
    browser.choose(".anatomy[data-layout=declared] .interval", "5m");
    browser.see(".anatomy[data-layout=declared] .counted", "1,152 cells in 16 rows");
    browser.type(
        "textarea.yaml",
        "layout: mine\nkey: [{bucket: 1d}, metric, tags]\nfamilies: {d: {qualifier: [offset, field]}}");
    browser.see(".anatomy[data-layout=declared] .error", "refuse: time-leads-key");
    browser.type("textarea.yaml", "layout: mine\nkey:\n- metrik\n");
    browser.see(".anatomy[data-layout=declared] .error", "metrik");
    browser.click("#tab-advice");
    browser.see("#advice h2");
    browser.see("#advice", "packs the samples of a series and day into columns");
    onlyRefusals(400);
  }

  @Test
  void aQueryIsExplainedOverTwoLayouts() {
    open("?page=explain");
    browser.type(FIELD, "sum by (host) (rate(cpu[5m]))", Keys.ENTER);
    browser.see("[data-explained=default] .node", "rate");
    browser.see("[data-explained=default] .actual", "3 series");
    browser.see("[data-explained=default] .node", "B read");
    browser.choose("#beside-dataset", "cells");
    browser.see("[data-explained=cells] .read", "layout buckets");
    browser.see("[data-explained=cells] .actual", "cells");
    site.picture("explain");
    browser.choose("#language", "selector");
    browser.type(FIELD, "cpu{host=\"a\"}");
    browser.clickText(".promql button", "Run");
    browser.see("[data-explained=default] .scan", "1 series match");
    browser.see("[data-explained=cells] .read", "layout buckets");
    browser.choose("#language", "kairosdb");
    browser.type(
        FIELD,
        "{\"start_relative\":{\"value\":1,\"unit\":\"hours\"},\"metrics\":[{\"name\":\"cpu\"}]}");
    browser.clickText(".promql button", "Run");
    browser.see("[data-explained=cells] .scan", "3 series match");
  }

  @Test
  void aRunningQueryIsKilledAfterAQuestion() throws Exception {
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(() -> {
          try {
            return server.get(LONG_QUERY).statusCode();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    open("?page=status");
    browser.see("#queries code", "quantile_over_time");
    browser.see("#budgets .meter", "query memory");
    site.picture("status");
    browser.clickText("#queries button", "Kill…");
    browser.see("dialog", "quantile_over_time");
    browser.clickText("dialog button", "Keep it");
    assertThat(status).isNotDone();
    browser.clickText("#queries button", "Kill…");
    browser.click("#confirm");
    browser.see("#queries", "was ended");
    assertThat(status.get()).isEqualTo(499);
    browser.see("#budgets .meter", "query memory");
    browser.see("#datasets", "cells");
    browser.see("#stores", "rocksdb");
    browser.see("#recoveries", "opened without a repair");
    browser.see("#damage");
    browser.see("#targets");
  }

  @Test
  void aDropRuleTellsWhatItSaves() {
    open("?page=cardinality&top=100&dataset=cells");
    browser.see("caption", "Series by metric");
    browser.click(".measure");
    browser.see(".ranking th", "bytes");
    browser.see(".ranking .number", String.valueOf(3 * SAMPLES));
    browser.click("[aria-label='What dropping cpu saves']");
    browser.see("#saving p", "Saves 3 series: in the last 1h they had 360 samples and");
    browser.see("#saving .rule", "regex: 'cpu'\n  action: drop");
    site.picture("cardinality-drop");
    browser.click("#saving [aria-label=Close]");
    browser.click("[aria-label='What dropping host saves']");
    browser.see("#saving p", "3 series had samples in the last 1h; without it 1 is left.");
    browser.see("#saving .rule", "action: labeldrop");
    assertThat(browser.address()).contains("drop=label");
    open("?page=cardinality&drop=pair&name=host&value=" + encoded(HOSTILE));
    browser.see("#saving .rule", "action: drop");
    browser.see("#saving h2", HOSTILE);
  }

  @Test
  void queriesAreColouredAsTheyAreWritten() {
    open("?page=status");
    browser.see("main h1");
    assertThat(
            browser.of(
                "promql-tokens.js",
                "at.tokens('sum by (a) (rate(m{b=~\"x\"}[5m])) > 1e3 # end')"
                    + ".filter((one) => one.kind).map((one) => one.kind + ' ' + one.text)"))
        .isEqualTo(
            List.of(
                "function sum",
                "keyword by",
                "label a",
                "function rate",
                "metric m",
                "label b",
                "sign =~",
                "string \"x\"",
                "number 5m",
                "sign >",
                "number 1e3",
                "comment # end"));
    for (String text : List.of("m{a=\"", "'\\\\", "}{)(", "é\uD83D\uDE00 `x", "")) {
      assertThat(
              browser.of(
                  "promql-tokens.js",
                  "at.tokens(%s).map((one) => one.text).join('')".formatted(quoted(text))))
          .isEqualTo(text.replace("\\\\", "\\"));
    }
    assertThat(browser.of("relabel.js", "at.dropRule({kind: 'metric', name: 'a.b\\'c'})"))
        .isEqualTo("- source_labels: [__name__]\n  regex: 'a\\.b''c'\n  action: drop\n");
  }

  @Test
  void cardinalityAndRulesAreShown() {
    open("?page=cardinality");
    browser.see("caption", "Series by metric");
    site.picture("cardinality");
    browser.see("#growth");
    browser.choose("#top", "100");
    browser.clickText("td a", "cpu");
    browser.see("caption", "3 series");
    open("?page=rules");
    browser.see("td", "firing");
    browser.see("td", "cpu:sum");
    site.picture("rules");
  }

  /** Returns the name of the first range of a metric. */
  private String heatMapName(String metric) {
    return browser.all(".names button").stream()
        .map(WebElement::getText)
        .filter(text -> text.contains(metric))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aHeatMapIsReadZoomedAndAsked() throws IOException {
    StringBuilder points = new StringBuilder();
    long now = System.currentTimeMillis();
    for (int i = 0; i < HOT_SAMPLES; i++) {
      points.append(ConsoleSite.point("hot", "rack", "r1", now - 100L * i, i));
    }
    assertThat(server.post("/datasets/cells/varve/v1/points", points.toString()).statusCode())
        .isEqualTo(200);
    open("?page=heatmap&dataset=cells&range=15m");
    browser.see(".field-of-heat canvas");
    browser.see("#findings, .names", "cpu{host=\"a\"}");
    site.picture("heatmap");
    assertThat(browser.run(HOTTEST)).as("painted cells").isEqualTo(true);
    browser.choose("#what", "bytes");
    await().untilAsserted(() -> assertThat(browser.address()).contains("what=bytes"));
    browser.hover(browser.see(".field-of-heat"));
    browser.see(".told", "read and written at");

    // The uppermost rows are those of the metric that sorts first.
    browser.press(".field-of-heat", String.valueOf(Keys.ARROW_UP).repeat(20), Keys.ENTER);
    browser.see("#range-metrics caption", "read and written");
    assertThat(browser.address()).contains("pick=");
    browser.clickText("#range-metrics button", "Zoom into these rows");
    browser.see("#all-rows");
    assertThat(browser.address()).contains("fromRow=");
    browser.press(".field-of-heat", Keys.ESCAPE);
    await().untilAsserted(() -> assertThat(browser.address()).doesNotContain("fromRow="));
    browser.drag(browser.see(".field-of-heat"), 0.5, 0.98);
    await().untilAsserted(() -> assertThat(browser.address()).contains("end="));
    browser.see(".field-of-heat canvas");
    browser.clickText("#range-metrics td a", HOSTILE);
    browser.see(".legend, .pane");
    open("?page=heatmap");
    browser.see("main", "Samples in blocks count when they are sealed");
  }

  @Test
  void queriesAreChangedByTheirText() {
    open("?page=cardinality");
    browser.see("main h1");
    assertNarrowed("m", "m{a=\"x\"}");
    assertNarrowed("m{b=\"}\"}", "m{b=\"}\", a=\"x\"}");
    assertNarrowed("sum by (b) (rate({\"m\"}[5m])) ", "sum by (b) (rate({\"m\", a=\"x\"}[5m])) ");
    assertNarrowed("topk(3, sum(m) by (b))", "topk(3, sum(m{a=\"x\"}) by (b))");
    for (String other : List.of("m + n", "sum(m) / sum(n)", "m{b=\"", "1", "rate(m[5m]) > 1")) {
      assertThat(browser.of("selector.js", "at.narrowed(%s, 'a', 'x')".formatted(quoted(other))))
          .as(other)
          .isNull();
    }
    assertThat(browser.of("selector.js", "at.narrowed('m', 'a b', '\\\\\"\\n')"))
        .isEqualTo("m{\"a b\"=\"\\\\\\\"\\n\"}");
    assertThat(browser.of("time.js", "[at.seconds('1h30m'), at.seconds('90'), at.seconds('m')]"))
        .isEqualTo(Arrays.asList(5400L, null, null));
    assertThat(browser.of("format.js", "[at.number(12345), at.number(0.25), at.bytes(1536)]"))
        .isEqualTo(List.of("12.35k", "0.25", "1.50 KiB"));
    assertThat(browser.of("figures.js", "at.figures('# x\\na{b=\"c\\\\\"d\"} 2\\n')[0].labels.b"))
        .isEqualTo("c\"d");
  }

  private void assertNarrowed(String query, String narrowed) {
    assertThat(browser.of("selector.js", "at.narrowed(%s, 'a', 'x')".formatted(quoted(query))))
        .isEqualTo(narrowed);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "\\'") + "'";
  }

  /** A proxy that answers below a prefix and passes on what follows it. */
  private HttpServer proxy() throws IOException {
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    proxy.createContext(
        "/some/prefix/",
        exchange -> {
          String target = exchange.getRequestURI().toString().substring("/some/prefix".length());
          HttpRequest request =
              HttpRequest.newBuilder(server.uri(target))
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .method(
                      exchange.getRequestMethod(),
                      HttpRequest.BodyPublishers.ofByteArray(
                          exchange.getRequestBody().readAllBytes()))
                  .build();
          try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<byte[]> answer =
                client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            for (String name : List.of("Content-Type", "Content-Security-Policy")) {
              answer
                  .headers()
                  .firstValue(name)
                  .ifPresent(value -> exchange.getResponseHeaders().set(name, value));
            }
            exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
            exchange.getResponseBody().write(answer.body());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    proxy.start();
    return proxy;
  }

  @Test
  void itWorksBehindAProxyThatStripsAPrefix() throws IOException {
    HttpServer proxy = proxy();
    try {
      String address = "http://127.0.0.1:" + proxy.getAddress().getPort() + "/some/prefix/";
      browser.open(address + "?q=cpu");
      browser.see(".pane canvas");
      browser.clickText("nav a", "Layout");
      browser.see(".anatomy .byte");
      browser.choose("#dataset", "cells");
      browser.clickText("nav a", "Cardinality");
      browser.see("td", "cpu");
      assertThat(browser.address()).startsWith(address).contains("dataset=cells");
    } finally {
      proxy.stop(0);
    }
  }

  @Test
  void theKeyboardIsEnough() {
    open("?q=cpu");
    browser.see(".pane canvas");
    browser.keys("/");
    assertThat(browser.run("return document.activeElement.tagName")).isEqualTo("TEXTAREA");
    browser.type(FIELD, "cp");
    browser.see(".choices li", "cpu");
    browser.press(FIELD, Keys.DOWN, Keys.ENTER, Keys.ENTER);
    browser.see(".legend", "cpu{");
    // From the field: the button that runs it, the chart, the table, the raw samples.
    browser.keys(Keys.TAB, Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER);
    browser.see("summary", SAMPLES + " samples");
  }

  @Test
  void nothingIsAskedOfOthersAndNothingIsKept() {
    open("?q=cpu");
    browser.see(".pane canvas");
    assertThat(browser.run("return document.cookie")).isEqualTo("");
    assertThat(
            browser.run(
                "return performance.getEntriesByType('resource')"
                    + ".filter((one) => new URL(one.name).origin !== location.origin).length"))
        .isEqualTo(0L);
  }
}
