package dev.varve.acceptance;

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
import java.nio.file.Files;
import java.nio.file.Path;
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
  private static final String HOSTILE = "<img src=x onerror=document.title='pwned'>";
  private static final String HOSTILE_LABEL = "<script>document.title='pwned'</script>";
  private static final String FIELD = ".promql textarea";
  private static final int SAMPLES = 120;

  /** Sorts half a million values repeatedly, for minutes. */
  private static final String LONG_QUERY =
      "/api/v1/query_range?start=0&end=9999&step=1&query=quantile_over_time(0.5,vector(1)%5B6d:1s%5D)";

  /** Whether the canvas of a heat map has more than one colour. */
  private static final String HOTTEST =
      "const canvas = document.querySelector('.field-of-heat canvas');"
          + "const data = canvas.getContext('2d')"
          + ".getImageData(0, 0, canvas.width, canvas.height).data;"
          + "return new Set(new Uint32Array(data.buffer)).size > 1";

  private static final String CONFIG =
      """
      listen:
        - {host: 127.0.0.1, port: PORT}
      data: data
      datasets:
        default: {layout: blocks}
        cells: {layout: buckets}
      default: default
      rules:
        files: [rules.yml]
        interval: 1s
      """;

  private static final String RULES =
      """
      groups:
        - name: "group <img src=x onerror=document.title='pwned'>"
          rules:
            - record: cpu:sum
              expr: sum(cpu)
            - alert: CpuIsUsed
              expr: cpu > 0
              annotations:
                summary: "<img src=x onerror=document.title='pwned'> {{ $labels.host }}"
      """;

  private final Path folder = Checkout.fresh("console");
  private final Path pictures = folder.resolve("pictures");
  private VarveProcess server;
  private Browser browser;

  @BeforeAll
  void start() throws IOException {
    browser = Browser.start();
    Files.writeString(folder.resolve("rules.yml"), RULES);
    server = VarveProcess.in(folder, CONFIG).start();
    long now = System.currentTimeMillis() / 10_000 * 10_000;
    StringBuilder points = new StringBuilder();
    for (String host : List.of("a", "b", HOSTILE)) {
      for (int i = 0; i < SAMPLES; i++) {
        long time = now - 10_000L * (SAMPLES - i);
        double value = 10 + 5 * Math.sin(i / 9.0) + host.charAt(0) % 16;
        points.append(point("cpu", "host", host, time, value));
        points.append(point(HOSTILE, HOSTILE_LABEL, host, time, value));
      }
    }
    for (String dataset : List.of("default", "cells")) {
      assertThat(server.post("/datasets/" + dataset + "/varve/v1/points", points.toString()).body())
          .contains("\"accepted\":" + 6 * SAMPLES);
    }
  }

  private static String point(String metric, String tag, String host, long time, double value) {
    return "{\"metric\":\"%s\",\"tags\":{\"%s\":\"%s\"},\"time\":%d,\"value\":%s}\n"
        .formatted(metric, tag, host, time, value);
  }

  @AfterEach
  void nothingWentWrongInTheBrowser() {
    List<String> said = browser.takeConsole();
    assertThat(browser.run("return document.title")).asString().endsWith("- Varve");
    assertThat(browser.all("main img, main script, main iframe, main [onerror]")).isEmpty();
    assertThat(said).isEmpty();
  }

  /** Checks that the console has nothing but answers of a status, which the test provoked. */
  private void onlyRefusals(int status) {
    assertThat(browser.takeConsole())
        .isNotEmpty()
        .allMatch(line -> line.contains("responded with a status of " + status));
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  private void open(String query) {
    browser.open(server.uri("/" + query).toString());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  @Test
  void theFirstVisitShowsTheServersOwnMetrics() {
    open("");
    browser.see(".card[data-metric='jvm_memory_used_bytes'] canvas");
    browser.picture(pictures.resolve("explore-first.png"));
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
    browser.picture(pictures.resolve("explore.png"));

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
    browser.picture(pictures.resolve("layout.png"));
    browser.choose("#layout-1", "kairosdb");
    browser.see(".anatomy[data-layout=kairosdb] .fresh h3", "data_points");
    browser.choose("#layout-1", "blocks");
    browser.see(".anatomy[data-layout=blocks] .summary", "head of 1 samples");
    browser.choose("#layout-1", "declared");
    browser.see(".anatomy[data-layout=declared] .fresh h3", "mine/d");
    browser.type(
        "textarea.yaml",
        "layout: mine\nkey: [{bucket: 1d}, metric, tags]\nfamilies: {d: {qualifier: [offset, field]}}");
    browser.see(".anatomy[data-layout=declared] .error", "refuse: time-leads-key");
    browser.type("textarea.yaml", "layout: mine\nkey:\n- metrik\n");
    browser.see(".anatomy[data-layout=declared] .error", "metrik");
    onlyRefusals(400);
  }

  @Test
  void aQueryIsExplainedOverTwoLayouts() {
    open("?page=explain");
    browser.type(FIELD, "sum by (host) (rate(cpu[5m]))", Keys.ENTER);
    browser.see("[data-explained=default] .node", "rate");
    browser.see("[data-explained=default] .actual", "3 series");
    browser.choose("#beside-dataset", "cells");
    browser.see("[data-explained=cells] .read", "layout buckets");
    browser.see("[data-explained=cells] .actual", "cells");
    browser.picture(pictures.resolve("explain.png"));
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
    browser.picture(pictures.resolve("status.png"));
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
    browser.see("#damage");
    browser.see("#targets");
  }

  @Test
  void cardinalityAndRulesAreShown() {
    open("?page=cardinality");
    browser.see("caption", "Series by metric");
    browser.picture(pictures.resolve("cardinality.png"));
    browser.choose("#top", "100");
    browser.clickText("td a", "cpu");
    browser.see("caption", "3 series");
    open("?page=rules");
    browser.see("td", "firing");
    browser.see("td", "cpu:sum");
    browser.picture(pictures.resolve("rules.png"));
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
  void aHeatMapIsReadZoomedAndAsked() {
    open("?page=heatmap&dataset=cells&range=15m");
    browser.see(".field-of-heat canvas");
    browser.see("#findings, .names", "cpu{host=\"a\"}");
    browser.picture(pictures.resolve("heatmap.png"));
    assertThat(browser.run(HOTTEST)).as("painted cells").isEqualTo(true);
    browser.choose("#what", "bytes");
    await().untilAsserted(() -> assertThat(browser.address()).contains("what=bytes"));
    browser.hover(browser.see(".field-of-heat"));
    browser.see(".told", "read and written at");

    browser.press(".field-of-heat", Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER);
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
  void everyPageIsReadableOnAPhoneAndInTheDark() {
    browser.resize(375, 800);
    try {
      for (String page :
          List.of(
              "explore&q=cpu",
              "layout",
              "explain&q=cpu",
              "heatmap&dataset=cells",
              "status",
              "rules")) {
        open("?page=" + page);
        browser.see("main h1");
        assertThat(browser.run("return document.documentElement.scrollWidth"))
            .as(page)
            .isEqualTo(375L);
      }
    } finally {
      browser.restoreSize();
    }
    browser.prefer("dark");
    open("?page=layout");
    browser.see(".byte");
    browser.picture(pictures.resolve("layout-dark.png"));
    assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
        .isEqualTo("rgb(20, 25, 28)");
    open("?q=cpu");
    browser.see(".pane canvas");
    browser.prefer("light");
    browser.see(".legend", "cpu{");
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
    assertThat(
            browser.run(
                "return performance.getEntriesByName('first-contentful-paint')[0].startTime < 10_000"))
        .isEqualTo(true);
  }
}
