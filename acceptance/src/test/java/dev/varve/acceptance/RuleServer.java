package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server that evaluates rules every second, and its answers about them. */
final class RuleServer implements AutoCloseable {
  private final VarveProcess process;

  private RuleServer(VarveProcess process) {
    this.process = process;
  }

  /**
   * Starts a server.
   *
   * @param resendDelay interval at which firing alerts are sent again, such as {@code 5s}
   * @param alertmanager port of the Alertmanager
   */
  static RuleServer start(
      Path folder, String layout, String rules, String resendDelay, int alertmanager)
      throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("rules.yml"), rules);
    String config =
        """
        data: data
        listen: [{port: PORT}]
        datasets: {d: {layout: %s}}
        rules:
          files: [rules.yml]
          external-labels: {site: north}
          for-grace-period: 1s
          resend-delay: %s
          alertmanagers: [{url: 'http://127.0.0.1:%d'}]
        """
            .formatted(layout, resendDelay, alertmanager);
    return new RuleServer(VarveProcess.in(folder, config).start());
  }

  /** Returns the process, so that a test can kill and restart it. */
  VarveProcess process() {
    return process;
  }

  /** Writes a sample at the current time, which holds until the next one of its series. */
  void write(String metric, Map<String, String> tags, double value) throws IOException {
    StringBuilder point = new StringBuilder("{\"name\":").append(KairosQuery.quote(metric));
    point.append(",\"tags\":{");
    String separator = "";
    for (Map.Entry<String, String> tag : tags.entrySet()) {
      point.append(separator).append(KairosQuery.quote(tag.getKey())).append(':');
      point.append(KairosQuery.quote(tag.getValue()));
      separator = ",";
    }
    point.append("},\"datapoints\":[[%d,%s]]}".formatted(System.currentTimeMillis(), value));
    HttpResponse<String> answer = process.post("/api/v1/datapoints", point.toString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  /**
   * An alert as the API shows it.
   *
   * @param keepFiringSince null while its condition holds
   */
  record Alert(
      String state,
      Map<String, Object> labels,
      Map<String, Object> annotations,
      Instant activeAt,
      @Nullable Instant keepFiringSince) {
    private static Alert of(Object element) {
      Map<String, Object> alert = Json.members(element);
      Object kept = alert.get("keepFiringSince");
      return new Alert(
          String.valueOf(alert.get("state")),
          Json.members(alert.get("labels")),
          Json.members(alert.get("annotations")),
          Instant.parse(String.valueOf(alert.get("activeAt"))),
          kept == null ? null : Instant.parse(kept.toString()));
    }

    String name() {
      return String.valueOf(labels.get("alertname"));
    }
  }

  /** Returns the only alert of a name; null if there is none. */
  @Nullable Alert alert(String name) {
    List<Alert> alerts = alerts().stream().filter(alert -> alert.name().equals(name)).toList();
    assertThat(alerts).hasSizeLessThan(2);
    return alerts.isEmpty() ? null : alerts.getFirst();
  }

  /** Returns whether there is an alert of a name in a state. */
  boolean has(String name, String state) {
    Alert alert = alert(name);
    return alert != null && alert.state().equals(state);
  }

  /** Returns all alerts of {@code /api/v1/alerts}. */
  List<Alert> alerts() {
    return Json.elements(data("/api/v1/alerts").get("alerts")).stream().map(Alert::of).toList();
  }

  /**
   * Returns all alerts of {@code /api/v1/rules}, and checks that each rule has the state of its
   * alerts.
   */
  private List<Alert> alertsOfRules() {
    List<Alert> all = new ArrayList<>();
    for (Object group : Json.elements(data("/api/v1/rules").get("groups"))) {
      for (Object element : Json.elements(Json.members(group).get("rules"))) {
        Map<String, Object> rule = Json.members(element);
        assertThat(rule).containsEntry("health", "ok").doesNotContainKey("lastError");
        if ("alerting".equals(rule.get("type"))) {
          List<Alert> alerts = Json.elements(rule.get("alerts")).stream().map(Alert::of).toList();
          assertThat(alerts)
              .extracting(Alert::name)
              .allMatch(name -> name.equals(rule.get("name")));
          assertThat(rule.get("state")).isEqualTo(state(alerts));
          all.addAll(alerts);
        }
      }
    }
    return all;
  }

  private static String state(List<Alert> alerts) {
    List<String> states = alerts.stream().map(Alert::state).toList();
    return states.contains("firing")
        ? "firing"
        : states.contains("pending") ? "pending" : "inactive";
  }

  /** Checks that rules and alerts show the same while nothing changes. */
  void assertShowsTheSameTwice() {
    List<Alert> alerts;
    List<Alert> ofRules;
    List<Alert> again = alerts();
    do {
      alerts = again;
      ofRules = alertsOfRules();
      again = alerts();
    } while (!new HashSet<>(again).equals(new HashSet<>(alerts)));
    assertThat(ofRules).containsExactlyInAnyOrderElementsOf(alerts);
  }

  /** Returns the value of the only series of a result; null if the result is empty. */
  @Nullable Double value(String query) {
    List<Object> series = result(query);
    assertThat(series).as(query).hasSizeLessThan(2);
    return series.isEmpty()
        ? null
        : value(Json.elements(Json.members(series.getFirst()).get("value")).get(1));
  }

  /** Returns the last minutes of the only series that matches a selector. */
  NavigableMap<Instant, Double> samples(String selector) {
    List<Object> series = result(selector + "[5m]");
    assertThat(series).as(selector).hasSizeLessThan(2);
    NavigableMap<Instant, Double> samples = new TreeMap<>();
    for (Object one : series) {
      for (Object element : Json.elements(Json.members(one).get("values"))) {
        List<Object> sample = Json.elements(element);
        Instant time = Instant.ofEpochMilli(Math.round(value(sample.get(0)) * 1000));
        samples.put(time, value(sample.get(1)));
      }
    }
    return samples;
  }

  private static double value(Object number) {
    return Double.parseDouble(number.toString());
  }

  private List<Object> result(String query) {
    String parameter = URLEncoder.encode(query, StandardCharsets.UTF_8);
    return Json.elements(data("/api/v1/query?query=" + parameter).get("result"));
  }

  /** Returns one of the server's metrics. */
  double figure(String name) {
    return figure(body("/metrics"), name);
  }

  /** Returns a metric that occurs once in Prometheus' text format. */
  static double figure(String metrics, String name) {
    List<String> values =
        Pattern.compile("(?m)^" + name + "(?:\\{.*})? (\\S+)$")
            .matcher(metrics)
            .results()
            .map((MatchResult line) -> line.group(1))
            .toList();
    assertThat(values).as(name).hasSize(1);
    return Double.parseDouble(values.getFirst());
  }

  private Map<String, Object> data(String path) {
    return Json.members(Json.object(body(path)).get("data"));
  }

  private String body(String path) {
    try {
      HttpResponse<String> answer = process.get(path);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(path + process.shownLog(), e);
    }
  }

  @Override
  public void close() {
    process.close();
  }
}
