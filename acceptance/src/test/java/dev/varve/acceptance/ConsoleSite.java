package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A server with two datasets, and a browser that shows its console. Metrics, labels and alerts have
 * names that would run as code if any page made markup of them.
 */
final class ConsoleSite implements AutoCloseable {
  static final String HOSTILE = "<img src=x onerror=document.title='pwned'>";
  static final String HOSTILE_LABEL = "<script>document.title='pwned'</script>";

  /** Samples of each series. */
  static final int SAMPLES = 120;

  /** When metric {@code fixed} begins, in milliseconds, so that queries of it always look alike. */
  static final long FIXED_FROM = 1_700_000_000_000L;

  private static final long STEP = 10_000;

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

  private final Path folder;
  private final VarveProcess server;
  private final Browser browser;
  private final Pictures pictures;

  private ConsoleSite(Path folder, VarveProcess server, Browser browser) {
    this.folder = folder;
    this.server = server;
    this.browser = browser;
    this.pictures = new Pictures(folder.resolve("pictures"));
  }

  /**
   * Starts server and browser.
   *
   * @param name of the folder under {@code target}
   */
  static ConsoleSite start(String name) throws IOException {
    Path folder = Checkout.fresh(name);
    Files.writeString(folder.resolve("rules.yml"), RULES);
    Browser browser = Browser.start();
    VarveProcess server;
    try {
      server = VarveProcess.in(folder, CONFIG).start();
    } catch (RuntimeException | Error e) {
      browser.close();
      throw e;
    }
    ConsoleSite site = new ConsoleSite(folder, server, browser);
    site.fill();
    return site;
  }

  private void fill() throws IOException {
    long now = System.currentTimeMillis() / STEP * STEP;
    StringBuilder points = new StringBuilder();
    for (String host : List.of("a", "b", HOSTILE)) {
      for (int i = 0; i < SAMPLES; i++) {
        long time = now - STEP * (SAMPLES - i);
        double value = 10 + 5 * Math.sin(i / 9.0) + host.charAt(0) % 16;
        points.append(point("cpu", "host", host, time, value));
        points.append(point(HOSTILE, HOSTILE_LABEL, host, time, value));
        points.append(point("fixed", "host", host, FIXED_FROM + STEP * i, value));
      }
    }
    for (String dataset : List.of("default", "cells")) {
      assertThat(server.post("/datasets/" + dataset + "/varve/v1/points", points.toString()).body())
          .contains("\"accepted\":" + 9 * SAMPLES);
    }
  }

  /** Returns a sample in the point form. */
  static String point(String metric, String tag, String host, long time, double value) {
    return "{\"metric\":\"%s\",\"tags\":{\"%s\":\"%s\"},\"time\":%d,\"value\":%s}\n"
        .formatted(metric, tag, host, time, value);
  }

  VarveProcess server() {
    return server;
  }

  Browser browser() {
    return browser;
  }

  /** Opens a page by the query of its address. */
  void open(String query) {
    browser.open(server.uri("/" + query).toString());
  }

  /** Takes the picture of a page, as the documentation shows it, without the test's own folder. */
  void picture(String name) {
    browser.run(
        """
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
          texts.currentNode.data = texts.currentNode.data.replaceAll('%s', '/etc/varve');
        }
        """
            .formatted(folder));
    pictures.page(name, browser.picture());
  }

  /** Checks that a part of the page looks as it did. */
  void looksAsBefore(String name, String selector) {
    pictures.part(name, browser.picture(browser.see(selector)));
  }

  /**
   * Checks that no name ran as code, and that the browser's console is empty: it names errors and
   * violations of the security policy.
   */
  void nothingWentWrong() {
    List<String> said = browser.takeConsole();
    assertThat(browser.run("return document.title")).asString().endsWith("- Varve");
    assertThat(browser.all("main img, main script, main iframe, main [onerror]")).isEmpty();
    assertThat(said).isEmpty();
  }

  /** Checks that the console has nothing but answers of a status, which the test provoked. */
  void onlyRefusals(int status) {
    assertThat(browser.takeConsole())
        .isNotEmpty()
        .allMatch(line -> line.contains("responded with a status of " + status));
  }

  @Override
  public void close() {
    server.close();
    browser.close();
  }
}
