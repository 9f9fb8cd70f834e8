package dev.varve.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * The console in adverse conditions: a server that goes away, users with few rights, malformed
 * addresses, and names that are long or odd. Also its plan trees for queries in every language, and
 * whether the bytes that it shows are those of the server's cells.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleFaultsIT {
  /** Turns the writing direction, so that what follows would read backwards. */
  private static final String ODD = "\u202e<b>'\\\",= x" + "y".repeat(2_000);

  private static final String ODD_IN_JSON = ODD.replace("\\", "\\\\").replace("\"", "\\\"");
  private static final String PASSWORD = "secret";

  /** The bytes of each strip in hexadecimal: row key, qualifier and value. */
  private static final String STRIPS =
      """
      return [...document.querySelectorAll('.cell')].map((cell) =>
        ['row', 'qualifier', 'value'].map((name) =>
          [...cell.querySelectorAll(`[data-coordinate=${name}] .byte`)]
            .map((byte) => byte.textContent).join('')).join(' '))
      """;

  private static final int SAMPLES = 60;

  private static final String CONFIG =
      """
      listen:
        - {host: 127.0.0.1, port: PORT}
      data: data
      datasets:
        default: {layout: blocks}
        cells: {layout: buckets}
      default: default
      web: {users-file: users.yml}
      """;

  private static final String USERS =
      """
      users:
      - username: root
        password: secret
        rights: [read, write, delete, admin]
      - username: reader
        password: secret
        rights: [read]
        datasets: [default]
      - username: elsewhere
        password: secret
        rights: [read]
        datasets: [cells]
      - username: bound
        password: secret
        rights: [read]
        matchers: '{host="a"}'
      """;

  private Browser browser;
  private VarveProcess server;

  @BeforeAll
  void start() throws IOException, InterruptedException {
    Path folder = Checkout.fresh("console-faults");
    Files.writeString(folder.resolve("users.yml"), USERS);
    browser = Browser.start();
    server = VarveProcess.in(folder, CONFIG).start();
    writePoints();
  }

  /** Writes points up to the present to both datasets. */
  private void writePoints() throws IOException, InterruptedException {
    StringBuilder points = new StringBuilder();
    long now = System.currentTimeMillis();
    for (int i = 0; i < SAMPLES; i++) {
      points.append(ConsoleSite.point("cpu", "host", "a", now - 10_000L * i, i));
      points.append(ConsoleSite.point("cpu", "host", "b", now - 10_000L * i, i));
      points.append(ConsoleSite.point("odd", "tag", ODD_IN_JSON, now - 10_000L * i, i));
    }
    for (String dataset : List.of("default", "cells")) {
      assertThat(ask("/datasets/" + dataset + "/varve/v1/points", points.toString()))
          .contains("\"accepted\":" + 3 * SAMPLES);
    }
  }

  /** Posts as root, and returns the answer. */
  private String ask(String path, String body) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri(path))
              .header("Authorization", Browser.basic("root", PASSWORD))
              .header("Content-Type", "application/x-www-form-urlencoded")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  @AfterEach
  void noNameRanAsCode() {
    browser.takeConsole();
    browser.restoreSize();
    assertThat(browser.run("return document.title")).asString().endsWith("- Varve");
    assertThat(browser.all("main img, main script, main iframe, main b b")).isEmpty();
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

  private void open(String user, String query) {
    browser.logIn(user, PASSWORD);
    browser.open(server.uri("/" + query).toString());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  @Test
  void aServerThatGoesAwayIsNamedAndComesBack() {
    open("root", "?page=status");
    browser.see("#queries", "0 running");
    server.kill();
    browser.see("#queries .error", "The server cannot be reached");
    browser.clickText("nav a", "Rules and alerts");
    browser.see(".error", "The server cannot be reached");
    browser.clickText("nav a", "Status");
    server.start();
    browser.see("#queries", "0 running");
    browser.see("#stores", "rocksdb");
  }

  @Test
  void aUserWhoOnlyReadsSeesWhatIsMissing() {
    open("reader", "?q=cpu");
    browser.see(".legend", "cpu{host=\"b\"}");
    assertThat(browser.all("#dataset")).as("choice among one dataset").isEmpty();
    browser.clickText("nav a", "Status");
    browser.see("#queries", "0 running");
    browser.see("#budgets .error", "this concerns the whole server");
    open("reader", "?q=cpu&dataset=cells");
    browser.see(".error", "cells");
    open("elsewhere", "?q=cpu");
    browser.see(".legend", "cpu{host=\"b\"}");
    assertThat(browser.address()).contains("dataset=cells");
  }

  @Test
  void aUserOfSomeSeriesSeesNoOthers() {
    open("bound", "?q=cpu");
    browser.see(".legend", "cpu{host=\"a\"}");
    assertThat(browser.see(".legend").getText()).doesNotContain("\"b\"");
    browser.clickText(".tabs a", "Explain");
    browser.see(".scan", "1 series match");
    open("bound", "?page=layout&tab=advice");
    browser.see(".error", "series");
    open("bound", "?page=heatmap&dataset=cells");
    browser.see("#within", "host=\"a\"");
    assertThat(browser.see("main").getText()).doesNotContain("host=\"b\"", "odd");
    open("bound", "?page=cardinality");
    browser.see("main");
    assertThat(browser.see("main").getText()).doesNotContain("host=b", "odd");
  }

  @Test
  void addressesThatNobodyMadeShowAPageInAnyCase() {
    String odd = encoded("\u0000{\"}[<b>");
    for (String query :
        List.of(
            "?end=99999999999999999999&q=cpu",
            "?end=8640000000000001&page=heatmap",
            "?range=999999999d&q=cpu",
            "?range=0s&end=-1&page=explain&q=cpu",
            "?q=" + odd + "&view=" + odd,
            "?page=layout&layout=" + odd + "&time=" + odd + "&tags=" + odd,
            "?page=layout&layout=declared&yaml=" + odd,
            "?page=heatmap&what=" + odd + "&fromRow=" + odd + "&toRow=zz&table=" + odd,
            "?page=cardinality&top=-1&over=" + odd + "&drop=pair&name=" + odd,
            "?page=explain&language=" + odd + "&beside=" + odd + "&q=" + odd,
            "?page=constructor&q=__proto__")) {
      open("root", query);
      browser.see("main h1, main .error");
      assertThat(browser.see("main").getText()).as(query).doesNotContain("cannot be shown");
    }
  }

  @Test
  void longAndOddNamesStayInTheirPlaces() throws Exception {
    // On a busy machine, the points of the start are older than the page looks back.
    writePoints();
    String query = encoded("odd");
    browser.resize(320, 640);
    for (String page :
        List.of(
            "?q=" + query,
            "?view=table&q=" + query,
            "?view=samples&q=" + query,
            "?page=explain&q=" + query,
            "?page=cardinality&top=100",
            "?page=heatmap&dataset=cells",
            "?page=layout&metric=odd")) {
      open("root", page);
      browser.see("main h1");
      browser.see(".legend, td, summary, .scan, .field-of-heat, .byte");
      assertThat(browser.run("return document.documentElement.scrollWidth"))
          .as(page)
          .isEqualTo(320L);
    }
    // The estimate comes last, and may move what is above it: the page gets a scroll bar.
    browser.see(".estimate .counted", "bytes a sample");
    browser.click("#pick");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() ->
            assertThat(browser.see("#point-tags").getDomProperty("value"))
                .as(() -> browser.see("form.point").getText())
                .startsWith("tag=\""));
    browser.see(".anatomy .summary", "odd");
    assertThat(browser.all(".anatomy .error")).isEmpty();
  }

  @Test
  void tagsAreReadAsTheyAreWritten() {
    open("root", "?page=rules");
    browser.see("main h1");
    for (String tags :
        List.of(
            "{a: 'b'}", "{a: 'x,y', b: ' z '}", "{'a=b': '\\\\', c: ''}", "{a: 'é\\n\\u202e'}")) {
      assertThat(
              browser.of(
                  "tags.js",
                  "JSON.stringify(at.tagPairs(at.tagText(%s))) === JSON.stringify(%s)"
                      .formatted(tags, tags)))
          .as(tags)
          .isEqualTo(true);
    }
    for (String wrong : List.of("a", "=b", "a=b, c", "a=b,,c=d")) {
      assertThat(
              browser.of(
                  "tags.js",
                  "(() => { try { return at.tagPairs('%s'); } catch (e) { return e.message; } })()"
                      .formatted(wrong)))
          .asString()
          .contains("tags are pairs");
    }
  }

  @Test
  void aRequestOfEveryLanguageHasATree() {
    Map<String, String> requests = new LinkedHashMap<>();
    requests.put("selector", "cpu");
    requests.put(
        "kairosdb",
        "{\"start_relative\":{\"value\":1,\"unit\":\"hours\"},\"metrics\":[{\"name\":\"cpu\"}]}");
    requests.put("opentsdb", "start=1h-ago&m=sum:1m-avg:cpu{host=*}");
    requests.put("heroic", "average by host from points(1h) where $key = cpu");
    requests.forEach((language, request) -> {
      open(
          "root",
          "?page=explain&beside=cells&language=%s&q=%s".formatted(language, encoded(request)));
      for (String dataset : List.of("default", "cells")) {
        String explained = "[data-explained=" + dataset + "] ";
        browser.see(explained + ".plan .node");
        browser.see(explained + ".scan", "2 series match");
        browser.see(explained + ".read", dataset.equals("cells") ? "buckets" : "blocks");
        browser.see(explained + ".actual", "samples");
        browser.see(explained + ".time");
      }
    });
  }

  @Test
  void theStripsAreTheCellsOfTheServer() throws Exception {
    String point =
        "{\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"},\"time\":1700000000000,\"value\":42.5}";
    open("root", "?page=layout");
    browser.see(".anatomy .byte");
    List<String> layouts =
        browser.all("#layout-0 option").stream()
            .map(option -> option.getDomProperty("value"))
            .filter(layout -> !"declared".equals(layout))
            .toList();
    assertThat(layouts).hasSizeGreaterThan(10);
    for (String layout : layouts) {
      String answer =
          ask("/varve/v1/cells", "layout=%s&points=%s".formatted(layout, encoded(point)));
      List<String> samples = new ArrayList<>();
      List<String> index = new ArrayList<>();
      for (Object cell : Json.elements(Json.object(answer).get("cells"))) {
        Map<String, Object> of = Json.members(cell);
        List<String> kind = Boolean.TRUE.equals(of.get("index")) ? index : samples;
        kind.add("%s %s %s".formatted(of.get("row"), of.get("qualifier"), of.get("value")));
      }
      open(
          "root",
          "?page=layout&metric=cpu&tags=host%3Da&time=1700000000000&value=42.5&layout=" + layout);
      browser.see(".anatomy .fresh");
      browser.see(".estimate .counted", "bytes a sample");
      if (!index.isEmpty()) {
        browser.click(".show-index");
      }
      samples.addAll(index);
      await()
          .untilAsserted(() ->
              assertThat(browser.run(STRIPS)).as("%s: %s", layout, answer).isEqualTo(samples));
    }
  }
}
