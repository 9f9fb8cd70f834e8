package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.acceptance.AlertReceiver.Notice;
import dev.varve.acceptance.RuleServer.Alert;
import dev.varve.devstores.Alertmanager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server evaluates rules over received samples and sends alerts to the real Alertmanager, which
 * notifies a receiver. The tests follow an alert over a kill of the server and an absence of
 * Alertmanager. What the server shows, what it writes, and what Alertmanager shows must agree to
 * the millisecond.
 */
@Execution(ExecutionMode.CONCURRENT)
class RulesIT {
  private static final String RULES =
      """
      groups:
      - name: machines
        interval: 1s
        rules:
        - record: job:load:max
          expr: max by (job) (load)
          labels: {origin: rule}
        - alert: LoadHigh
          expr: job:load:max > 5
          for: HOLD
          labels: {severity: '{{ if gt $value 50.0 }}page{{ else }}warn{{ end }}'}
          annotations:
            summary: '{{ $labels.job }} of {{ $externalLabels.site }} has {{ $value | humanize }}'
        - alert: OvenHot
          expr: temperature > 90
          for: 2s
          keep_firing_for: 5s
          annotations: {summary: '{{ $labels.place }}: {{ printf "%.1f" $value }} °C'}
      """;

  private static final Map<String, String> HOST = Map.of("job", "web", "host", "a");
  private static final Map<String, String> OVEN = Map.of("place", "kitchen");
  private static final Duration EVALUATION = Duration.ofSeconds(1);

  private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void anAlertIsPendingThenFiresAndIsToldOfUntilItEnds() throws IOException {
    Path folder = Checkout.fresh("rules-life");
    Duration hold = Duration.ofSeconds(5);
    try (AlertReceiver receiver = new AlertReceiver();
        Alertmanager alertmanager = alertmanager(folder, receiver);
        RuleServer varve = server(folder, "buckets", hold, "1m", alertmanager)) {
      System.out.printf("RulesIT: alertmanager %s%n", alertmanager.debianVersion());
      varve.write("load", Map.of("job", "web", "host", "b"), 3);
      varve.write("load", HOST, 7);
      varve.write("temperature", OVEN, 95.5);
      await("LoadHigh to be pending").until(() -> varve.has("LoadHigh", "pending"));
      List<Map<String, Object>> early = shown(alertmanager, "LoadHigh");
      assertThat(varve.has("LoadHigh", "pending")).isTrue();
      assertThat(early).as("what is told of an alert that is pending").isEmpty();
      varve.assertShowsTheSameTwice();

      await("both alerts in Alertmanager")
          .until(() ->
              !shown(alertmanager, "LoadHigh").isEmpty()
                  && !shown(alertmanager, "OvenHot").isEmpty());
      varve.assertShowsTheSameTwice();
      assertThat(varve.value("job:load:max{job=\"web\",origin=\"rule\"}")).isEqualTo(7);
      checkLoadHigh(varve, alertmanager, hold);
      assertThat(shown(alertmanager, "OvenHot").getFirst())
          .containsEntry(
              "labels", Map.of("alertname", "OvenHot", "place", "kitchen", "site", "north"))
          .containsEntry("annotations", Map.of("summary", "kitchen: 95.5 °C"));
      checkHowTheyEnd(varve, alertmanager, receiver);
    }
  }

  /** Checks that a firing alert is shown, written and sent alike. */
  private void checkLoadHigh(RuleServer varve, Alertmanager alertmanager, Duration hold) {
    Alert alert = Objects.requireNonNull(varve.alert("LoadHigh"));
    assertThat(alert.state()).isEqualTo("firing");
    assertThat(alert.labels())
        .isEqualTo(
            Map.of("alertname", "LoadHigh", "job", "web", "origin", "rule", "severity", "warn"));
    Map<String, Object> told = shown(alertmanager, "LoadHigh").getFirst();
    assertThat(told.get("labels"))
        .isEqualTo(
            Map.of(
                "alertname",
                "LoadHigh",
                "job",
                "web",
                "origin",
                "rule",
                "severity",
                "warn",
                "site",
                "north"));
    assertThat(told.get("annotations"))
        .isEqualTo(Map.of("summary", "web of north has 7"))
        .isEqualTo(alert.annotations());
    assertThat(told.get("generatorURL")).asString().contains("job%3Aload%3Amax+%3E+5");
    assertThat(Json.members(told.get("status"))).containsEntry("state", "active");
    assertThat(time(told, "endsAt")).isAfter(Instant.now());
    assertThat(firedAt(varve, "LoadHigh", alert.activeAt().plus(hold)))
        .isEqualTo(time(told, "startsAt"));
    assertThat(varve.samples("ALERTS_FOR_STATE{alertname=\"LoadHigh\"}").values())
        .containsOnly((double) alert.activeAt().getEpochSecond());
  }

  /**
   * Returns the time at which an alert began to fire according to {@code ALERTS}. It must be
   * pending at all times before it is due and fire at all later ones.
   */
  private static Instant firedAt(RuleServer varve, String alert, Instant due) {
    String selector = "ALERTS{alertname=\"" + alert + "\",alertstate=\"%s\"}";
    NavigableMap<Instant, Double> pending = varve.samples(selector.formatted("pending"));
    NavigableMap<Instant, Double> firing = varve.samples(selector.formatted("firing"));
    assertThat(pending).isNotEmpty();
    assertThat(firing).isNotEmpty();
    assertThat(pending.lastKey()).isBefore(due);
    // Written times are truncated to milliseconds.
    assertThat(firing.firstKey()).isAfterOrEqualTo(due.truncatedTo(ChronoUnit.MILLIS));
    return firing.firstKey();
  }

  private void checkHowTheyEnd(RuleServer varve, Alertmanager alertmanager, AlertReceiver receiver)
      throws IOException {
    varve.write("temperature", OVEN, 20);
    varve.write("load", HOST, 1);
    await("OvenHot to be kept firing")
        .until(() -> varve.alerts().stream().anyMatch(alert -> alert.keepFiringSince() != null));
    Alert kept = Objects.requireNonNull(varve.alert("OvenHot"));
    assertThat(kept.state()).isEqualTo("firing");
    awaitResolved(receiver, "LoadHigh");
    awaitResolved(receiver, "OvenHot");
    checkEnd(varve, alertmanager, receiver, "LoadHigh");
    Instant ended = checkEnd(varve, alertmanager, receiver, "OvenHot");
    assertThat(ended)
        .isAfterOrEqualTo(
            Objects.requireNonNull(kept.keepFiringSince())
                .plusSeconds(5)
                .truncatedTo(ChronoUnit.MILLIS));
    assertThat(varve.alerts()).isEmpty();
    varve.assertShowsTheSameTwice();
    assertThat(varve.value("count({__name__=~\"ALERTS.*\"})")).as("alerts after all").isNull();
  }

  /** Checks that an alert has ended for Alertmanager and the receiver, and returns when. */
  private Instant checkEnd(
      RuleServer varve, Alertmanager alertmanager, AlertReceiver receiver, String name) {
    assertThat(receiver.of(name)).extracting(Notice::status).containsExactly("firing", "resolved");
    Instant started = receiver.of(name).getFirst().startsAt();
    Notice end = receiver.of(name).getLast();
    assertThat(end.startsAt()).isEqualTo(started);
    assertThat(end.endsAt())
        .isBefore(Instant.now())
        .isAfter(
            varve.samples("ALERTS{alertname=\"" + name + "\",alertstate=\"firing\"}").lastKey());
    assertThat(shown(alertmanager, name)).as("alerts that go on").isEmpty();
    return end.endsAt();
  }

  /** Tests layouts with and without staleness markers. */
  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb"})
  void goesOnAfterAKillWhereItWas(String layout) throws IOException {
    Path folder = Checkout.fresh("rules-kill-" + layout);
    Duration hold = Duration.ofSeconds(15);
    try (AlertReceiver receiver = new AlertReceiver();
        Alertmanager alertmanager = alertmanager(folder, receiver);
        RuleServer varve = server(folder, layout, hold, "1m", alertmanager)) {
      varve.write("load", HOST, 60);
      varve.write("temperature", OVEN, 95.5);
      await("OvenHot in Alertmanager").until(() -> !shown(alertmanager, "OvenHot").isEmpty());
      Alert hot = Objects.requireNonNull(varve.alert("OvenHot"));
      Object startedHot = shown(alertmanager, "OvenHot").getFirst().get("startsAt");
      await("a part of LoadHigh's time").until(() -> pendingSeconds(varve, Instant.MAX) >= 5);
      varve.process().kill();
      Instant killed = Instant.now();
      varve.process().start();
      awaitWritten(varve, "OvenHot", killed);
      assertThat(Objects.requireNonNull(varve.alert("OvenHot")).state()).isEqualTo("firing");
      assertThat(varve.samples("ALERTS_FOR_STATE{alertname=\"OvenHot\"}").values())
          .containsOnly((double) hot.activeAt().getEpochSecond());
      checkGoesOn(varve, killed);
      await("Alertmanager to be told again")
          .until(
              () -> time(shown(alertmanager, "OvenHot").getFirst(), "updatedAt").isAfter(killed));
      assertThat(shown(alertmanager, "OvenHot").getFirst()).containsEntry("startsAt", startedHot);

      await("LoadHigh in Alertmanager").until(() -> !shown(alertmanager, "LoadHigh").isEmpty());
      Instant due = Objects.requireNonNull(varve.alert("LoadHigh")).activeAt().plus(hold);
      assertThat(firedAt(varve, "LoadHigh", due))
          .isEqualTo(time(shown(alertmanager, "LoadHigh").getFirst(), "startsAt"));
      varve.assertShowsTheSameTwice();
      assertThat(receiver.of("OvenHot")).extracting(Notice::status).containsExactly("firing");
      varve.write("load", HOST, 1);
      varve.write("temperature", OVEN, 20);
      awaitResolved(receiver, "LoadHigh");
      awaitResolved(receiver, "OvenHot");
      checkEnd(varve, alertmanager, receiver, "LoadHigh");
      checkEnd(varve, alertmanager, receiver, "OvenHot");
    }
  }

  /** Returns for how long LoadHigh had been pending at its last sample before a time. */
  private static long pendingSeconds(RuleServer varve, Instant before) {
    Map.Entry<Instant, Double> last =
        varve.samples("ALERTS_FOR_STATE{alertname=\"LoadHigh\"}").lowerEntry(before);
    return last == null ? 0 : last.getKey().getEpochSecond() - last.getValue().longValue();
  }

  /**
   * Checks that LoadHigh stays pending as if no time had passed between its last sample before the
   * kill and its restoration, which happens between the start and its next sample.
   */
  private static void checkGoesOn(RuleServer varve, Instant killed) {
    Instant written = awaitWritten(varve, "LoadHigh", killed);
    Alert alert = Objects.requireNonNull(varve.alert("LoadHigh"));
    assertThat(varve.samples("ALERTS{alertname=\"LoadHigh\",alertstate=\"pending\"}"))
        .containsKey(written);
    Instant restored = alert.activeAt().plusSeconds(pendingSeconds(varve, killed));
    assertThat(restored).isBetween(killed, written.plus(EVALUATION));
  }

  /** Waits until an alert is restored and has a new sample, and returns the time of that sample. */
  private static Instant awaitWritten(RuleServer varve, String name, Instant killed) {
    String since = "ALERTS_FOR_STATE{alertname=\"" + name + "\"}";
    await(name + " to be written of again")
        .until(() -> varve.samples(since).lastKey().isAfter(killed));
    return varve.samples(since).higherKey(killed);
  }

  @Test
  void anAlertmanagerThatWasAwayIsToldOfWhatBeganAndWhatEnded() throws IOException {
    Path folder = Checkout.fresh("rules-away");
    Duration hold = Duration.ofSeconds(2);
    try (AlertReceiver receiver = new AlertReceiver()) {
      Alertmanager first = alertmanager(folder, receiver);
      try (RuleServer varve = server(folder, "buckets", hold, "3s", first)) {
        try (first) {
          varve.write("temperature", OVEN, 95.5);
          await("OvenHot at the receiver").until(() -> !receiver.of("OvenHot").isEmpty());
          // Alertmanager checks again what it has sent once it has recorded the first notification.
          await("Alertmanager to have noted it")
              .until(() -> figure(first, "alertmanager_nflog_queries_total") >= 2);
        }
        varve.write("temperature", OVEN, 20);
        varve.write("load", HOST, 7);
        await("LoadHigh to fire, and OvenHot to end")
            .until(() -> varve.has("LoadHigh", "firing") && varve.alert("OvenHot") == null);
        double dropped = varve.figure("varve_notifications_dropped_total");
        await("alerts to be given up")
            .until(() -> varve.figure("varve_notifications_dropped_total") > dropped);
        assertThat(receiver.of("LoadHigh")).isEmpty();
        assertThat(receiver.of("OvenHot")).hasSize(1);

        Instant back = Instant.now();
        try (Alertmanager second = alertmanager(folder, receiver)) {
          assertThat(second.port()).isEqualTo(first.port());
          await("LoadHigh in Alertmanager").until(() -> !shown(second, "LoadHigh").isEmpty());
          Instant due = Objects.requireNonNull(varve.alert("LoadHigh")).activeAt().plus(hold);
          assertThat(time(shown(second, "LoadHigh").getFirst(), "startsAt"))
              .isEqualTo(firedAt(varve, "LoadHigh", due))
              .isBefore(back);
          awaitResolved(receiver, "OvenHot");
          assertThat(checkEnd(varve, second, receiver, "OvenHot")).isBefore(back);
        }
      }
    }
  }

  private static Alertmanager alertmanager(Path folder, AlertReceiver receiver) {
    return Alertmanager.start(folder.resolve("alertmanager"), receiver.alertmanagerConfig());
  }

  private static RuleServer server(
      Path folder, String layout, Duration hold, String resendDelay, Alertmanager alertmanager)
      throws IOException {
    return RuleServer.start(
        folder.resolve("varve"),
        layout,
        RULES.replace("HOLD", hold.toSeconds() + "s"),
        resendDelay,
        alertmanager.port());
  }

  private static ConditionFactory await(String what) {
    return Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100));
  }

  private static void awaitResolved(AlertReceiver receiver, String alert) {
    await(alert + " to be resolved")
        .until(() ->
            receiver.of(alert).stream().anyMatch(notice -> notice.status().equals("resolved")));
  }

  /** Returns the active alerts of a name as Alertmanager shows them, at most one. */
  private List<Map<String, Object>> shown(Alertmanager alertmanager, String name) {
    List<Map<String, Object>> alerts =
        Json.elements(Json.parse(get(alertmanager, "/api/v2/alerts?filter=alertname=" + name)))
            .stream()
            .map(Json::members)
            .toList();
    assertThat(alerts).hasSizeLessThan(2);
    return alerts;
  }

  private double figure(Alertmanager alertmanager, String name) {
    return RuleServer.figure(get(alertmanager, "/metrics"), name);
  }

  private String get(Alertmanager alertmanager, String path) {
    URI uri = URI.create("http://127.0.0.1:" + alertmanager.port() + path);
    try {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build(),
              HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return answer.body();
    } catch (IOException e) {
      throw new UncheckedIOException(uri.toString(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Instant time(Map<String, Object> alert, String name) {
    return Instant.parse(String.valueOf(alert.get(name)));
  }
}
