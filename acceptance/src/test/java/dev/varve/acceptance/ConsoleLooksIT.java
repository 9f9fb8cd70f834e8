package dev.varve.acceptance;

import static dev.varve.acceptance.ConsoleSite.FIXED_FROM;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
 * The look of the console in light and dark, on a phone and with assistive technology, and whether
 * its static parts look as they did before. Also how much a browser loads before the first paint.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ConsoleLooksIT {
  /** Every page in its forms, and what is there once it is drawn. */
  private static final Map<String, String> PAGES = new LinkedHashMap<>();

  static {
    PAGES.put("", ".card canvas");
    PAGES.put("?q=sum+by+(host)+(rate(cpu[5m]))", ".pane canvas");
    PAGES.put("?view=table&q=cpu", "td");
    PAGES.put("?view=samples&q=cpu", "td");
    PAGES.put("?page=layout&layout=buckets&layout=opentsdb", ".anatomy + .anatomy .counted td");
    PAGES.put("?page=layout&layout=declared", ".counted td");
    PAGES.put("?page=explain&q=cpu&beside=cells", "[data-explained=cells] .read");
    PAGES.put("?page=heatmap&dataset=cells", ".field-of-heat canvas");
    PAGES.put("?page=cardinality&drop=label&name=host", "#saving .rule");
    PAGES.put("?page=rules", "td");
    PAGES.put("?page=status", "#stores td");
  }

  private static final double KIB = 1024;

  /** Bytes of a page with its modules, as they are sent. */
  private static final double WEIGHT_MAX = 120 * KIB;

  /** Milliseconds until the first paint. */
  private static final int PAINT_MAX = Integer.getInteger("varve.console.paint", 300);

  /**
   * Number of loads, of which at least one must be fast enough; a busy machine may slow the others.
   */
  private static final int LOADS = 20;

  private ConsoleSite site;
  private Browser browser;

  @BeforeAll
  void start() throws IOException {
    site = ConsoleSite.start("console-looks");
    browser = site.browser();
  }

  @AfterEach
  void nothingWentWrongInTheBrowser() {
    browser.prefer("light");
    site.nothingWentWrong();
  }

  @AfterAll
  void stop() {
    if (site != null) {
      site.close();
    }
  }

  private void everyPage(String scheme) {
    browser.prefer(scheme);
    PAGES.forEach((query, drawn) -> {
      site.open(query);
      browser.see(drawn);
      site.nothingWentWrong();
      assertThat(browser.barriers()).as("barriers on page '%s' in %s", query, scheme).isEmpty();
      // Axe itself reads pictures in a way that the browser remarks upon.
      browser.takeConsole();
    });
  }

  @Test
  void noPageHasABarrier() {
    everyPage("light");
  }

  @Test
  void noPageHasABarrierInTheDark() {
    everyPage("dark");
    site.open("?page=layout");
    browser.see(".byte");
    site.picture("layout-dark");
    assertThat(browser.run("return getComputedStyle(document.body).backgroundColor"))
        .isEqualTo("rgb(20, 25, 28)");
  }

  @Test
  void everyPageIsReadableOnAPhone() {
    browser.resize(375, 800);
    try {
      PAGES.forEach((query, drawn) -> {
        site.open(query);
        browser.see(drawn);
        assertThat(browser.run("return document.documentElement.scrollWidth"))
            .as(query)
            .isEqualTo(375L);
      });
    } finally {
      browser.restoreSize();
    }
  }

  @Test
  void unanimatedPartsLookAsBefore() {
    site.open("?page=layout&layout=buckets&layout=opentsdb");
    for (String layout : List.of("buckets", "opentsdb")) {
      String anatomy = ".anatomy[data-layout=" + layout + "] ";
      browser.see(anatomy + ".counted td");
      site.looksAsBefore("strip-" + layout, anatomy + ".cell .strip");
      site.looksAsBefore("estimate-" + layout, anatomy + ".counted .wide");
    }
    site.looksAsBefore("bar", "header");
    browser.prefer("dark");
    site.open("?page=layout&layout=heroic");
    browser.see(".fresh .strip");
    site.looksAsBefore("strip-dark", ".cell .strip");
    browser.prefer("light");
    long end = FIXED_FROM + 1_200_000;
    site.open(
        "?page=explain&dataset=cells&range=20m&end=%d&q=sum+by+(host)+(rate(fixed[5m]))"
            .formatted(end));
    browser.see("[data-explained=cells] .read");
    browser.run(
        "document.querySelectorAll('.time, .actual').forEach((one) => { one.style.display = 'none'; })");
    site.looksAsBefore("plan", ".plan");
    site.open("?page=cardinality&drop=metric&name=fixed");
    browser.see("#saving p", "No such series had a sample");
    site.looksAsBefore("rule", "#saving .rule");
  }

  @Test
  void aPageIsLightAndSoonPainted() {
    double soonest = Double.MAX_VALUE;
    for (int load = 0; load < LOADS && soonest >= PAINT_MAX; load++) {
      site.open("?page=layout&load=" + load);
      browser.see(".byte");
      soonest =
          Math.min(
              soonest,
              number("return performance.getEntriesByName('first-contentful-paint')[0].startTime"));
    }
    assertThat(soonest).as("milliseconds until the first paint").isLessThan(PAINT_MAX);
    double weight =
        number(
            """
            return [...performance.getEntriesByType('navigation'),
              ...performance.getEntriesByType('resource').filter((one) => one.name.includes('/console/'))]
              .reduce((sum, one) => sum + one.encodedBodySize, 0)
            """);
    assertThat(weight).isBetween(20 * KIB, WEIGHT_MAX);
  }

  /** Returns the number that a script yields. */
  private double number(String script) {
    return Double.parseDouble(String.valueOf(browser.run(script)));
  }
}
