package dev.varve.server.prometheus;

import com.google.re2j.Pattern;
import dev.varve.engine.Dataset;
import dev.varve.formats.number.GoNumber;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.rules.GroupStatus;
import dev.varve.rules.GroupStatus.Alert;
import dev.varve.rules.GroupStatus.RuleStatus;
import dev.varve.rules.Rule;
import dev.varve.rules.RuleGroup;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** {@code /api/v1/rules} and {@code /api/v1/alerts}. */
final class Rules {
  /** Go's zero time in JSON. */
  private static final String NEVER = "0001-01-01T00:00:00Z";

  private final DialectContext context;
  private final Function<Dataset, List<GroupStatus>> groups;

  Rules(DialectContext context, Function<Dataset, List<GroupStatus>> groups) {
    this.context = context;
    this.groups = groups;
  }

  /**
   * Answers the alerts. Users of some series learn of those whose series {@code ALERTS} they may
   * query, without value and annotations, which may tell of other series.
   */
  void alerts(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    List<GroupStatus> all = groups.apply(dataset);
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeArrayPropertyStart("alerts");
          for (GroupStatus group : all) {
            for (RuleStatus rule : group.rules()) {
              rule.alerts().stream()
                  .filter(alert -> !dataset.isBound() || dataset.contains(series(alert)))
                  .forEach(alert -> write(alert, !dataset.isBound(), json));
            }
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  /** Returns the series that queries find while an alert is active. */
  private static GroupKey series(Alert alert) {
    Map<String, String> labels = new TreeMap<>(alert.labels().toMap());
    labels.put("alertstate", alert.state().text());
    return GroupKey.of("ALERTS", Tags.of(labels));
  }

  /** A group with those of its rules that were requested. */
  private record Shown(GroupStatus group, List<RuleStatus> rules) {}

  void rules(Exchange exchange) throws IOException {
    Parameters parameters = Parameters.of(exchange);
    Predicate<RuleStatus> wanted = wanted(parameters);
    boolean withAlerts = !isTrue(parameters, "exclude_alerts");
    Page page = page(parameters);
    List<String> names = parameters.all("rule_group[]");
    List<String> files = parameters.all("file[]");
    List<Shown> shown = new ArrayList<>();
    String nextToken = null;
    boolean begun = page.token == null;
    for (GroupStatus status : groups.apply(context.dataset(exchange))) {
      RuleGroup group = status.group();
      begun = begun || token(group).equals(page.token);
      boolean meant =
          begun
              && (names.isEmpty() || names.contains(group.name()))
              && (files.isEmpty() || files.contains(group.file()));
      List<RuleStatus> rules = meant ? status.rules().stream().filter(wanted).toList() : List.of();
      if (!rules.isEmpty()) {
        if (page.size > 0 && shown.size() == page.size) {
          nextToken = token(group);
          break;
        }
        shown.add(new Shown(status, rules));
      }
    }
    if (!begun) {
      throw Parameters.invalid(
          "group_next_token",
          "invalid group_next_token '%s'. were rule groups changed?".formatted(page.token));
    }
    answer(exchange, shown, withAlerts, nextToken);
  }

  private static void answer(
      Exchange exchange, List<Shown> shown, boolean withAlerts, @Nullable String nextToken)
      throws IOException {
    Envelope.answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeArrayPropertyStart("groups");
          for (Shown group : shown) {
            write(group, withAlerts, json);
          }
          json.writeEndArray();
          if (nextToken != null) {
            json.writeStringProperty("groupNextToken", nextToken);
          }
          json.writeEndObject();
        });
  }

  private static Predicate<RuleStatus> wanted(Parameters parameters) {
    List<String> names = parameters.all("rule_name[]");
    List<List<LabelMatcher>> selectors = selectors(parameters);
    String type = parameters.text("type");
    String kind = type == null ? "" : type.toLowerCase(Locale.ROOT);
    if (!kind.isEmpty() && !kind.equals("alert") && !kind.equals("record")) {
      throw Parameters.invalid("type", "not supported value \"%s\"".formatted(kind));
    }
    return rule ->
        (names.isEmpty() || names.contains(rule.rule().name()))
            && (kind.isEmpty() || kind.equals("alert") == rule.rule() instanceof Rule.Alerting)
            && (selectors.isEmpty()
                || selectors.stream().anyMatch(selector -> fits(selector, rule.rule().labels())));
  }

  private static List<List<LabelMatcher>> selectors(Parameters parameters) {
    List<List<LabelMatcher>> selectors = new ArrayList<>();
    for (String match : parameters.all("match[]")) {
      try {
        if (!(PromQl.parse(match) instanceof Expr.VectorSelector selector)) {
          throw Parameters.invalid("match[]", "'%s' is not a series selector".formatted(match));
        }
        selectors.add(selector.matchers());
      } catch (PromQlException e) {
        throw Parameters.invalid("match[]", e.getMessage());
      }
    }
    return selectors;
  }

  private static boolean fits(List<LabelMatcher> selector, Map<String, String> labels) {
    return selector.stream()
        .allMatch(matcher -> fits(matcher, labels.getOrDefault(matcher.name(), "")));
  }

  private static boolean fits(LabelMatcher matcher, String value) {
    return switch (matcher.operator()) {
      case EQUAL -> value.equals(matcher.value());
      case NOT_EQUAL -> !value.equals(matcher.value());
      case MATCH -> pattern(matcher).matches(value);
      case NO_MATCH -> !pattern(matcher).matches(value);
    };
  }

  private static Pattern pattern(LabelMatcher matcher) {
    return Pattern.compile("(?s:" + matcher.value() + ")");
  }

  private static boolean isTrue(Parameters parameters, String name) {
    String text = parameters.text(name);
    return switch (text == null ? "" : text.toLowerCase(Locale.ROOT)) {
      case "", "0", "f", "false" -> false;
      case "1", "t", "true" -> true;
      default ->
          throw Parameters.invalid(
              name, "error converting %s: \"%s\" is neither true nor false".formatted(name, text));
    };
  }

  /**
   * The requested page of groups.
   *
   * @param size maximum number of groups; 0 for all
   * @param token of the first group; null for the first page
   */
  private record Page(int size, @Nullable String token) {}

  private static Page page(Parameters parameters) {
    String limit = parameters.text("group_limit");
    String token = parameters.text("group_next_token");
    if (limit == null) {
      if (token != null) {
        throw Parameters.invalid(
            "group_next_token",
            "group_limit needs to be present in order to paginate over the groups");
      }
      return new Page(0, null);
    }
    if (!limit.matches("[-+]?\\d{1,9}")) {
      throw Parameters.invalid(
          "group_limit",
          "group_limit needs to be a valid number: cannot parse \"%s\"".formatted(limit));
    }
    int size = Integer.parseInt(limit);
    if (size <= 0) {
      throw Parameters.invalid("group_limit", "group_limit needs to be greater than 0");
    }
    return new Page(size, token);
  }

  /** Returns the token with which a client requests the groups from this one on. */
  private static String token(RuleGroup group) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(sha1.digest(group.key().getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }

  private static void write(Shown shown, boolean withAlerts, JsonGenerator json) {
    GroupStatus status = shown.group;
    json.writeStartObject();
    json.writeStringProperty("name", status.group().name());
    json.writeStringProperty("file", status.group().file());
    json.writeArrayPropertyStart("rules");
    for (RuleStatus rule : shown.rules) {
      write(rule, withAlerts, json);
    }
    json.writeEndArray();
    seconds("interval", status.group().interval(), json);
    json.writeNumberProperty("limit", status.group().limit());
    seconds("evaluationTime", status.took(), json);
    json.writeStringProperty("lastEvaluation", time(status.lastEvaluation()));
    json.writeEndObject();
  }

  private static void write(RuleStatus status, boolean withAlerts, JsonGenerator json) {
    json.writeStartObject();
    if (status.rule() instanceof Rule.Alerting) {
      json.writeStringProperty("state", status.state().text());
    }
    json.writeStringProperty("name", status.rule().name());
    json.writeStringProperty("query", status.rule().query());
    switch (status.rule()) {
      case Rule.Alerting alerting -> {
        seconds("duration", alerting.hold(), json);
        seconds("keepFiringFor", alerting.keepFiringFor(), json);
        labels("labels", alerting.labels(), json);
        labels("annotations", alerting.annotations(), json);
        if (withAlerts) {
          json.writeArrayPropertyStart("alerts");
          status.alerts().forEach(alert -> write(alert, true, json));
          json.writeEndArray();
        } else {
          json.writeNullProperty("alerts");
        }
      }
      case Rule.Recording recording -> {
        if (!recording.labels().isEmpty()) {
          labels("labels", recording.labels(), json);
        }
      }
    }
    json.writeStringProperty("health", status.health().text());
    if (!status.error().isEmpty()) {
      json.writeStringProperty("lastError", status.error());
    }
    seconds("evaluationTime", status.took(), json);
    json.writeStringProperty("lastEvaluation", time(status.lastEvaluation()));
    json.writeStringProperty(
        "type", status.rule() instanceof Rule.Alerting ? "alerting" : "recording");
    json.writeEndObject();
  }

  /**
   * Writes an alert.
   *
   * @param whole whether to include its annotations and value
   */
  private static void write(Alert alert, boolean whole, JsonGenerator json) {
    json.writeStartObject();
    labels("labels", alert.labels().toMap(), json);
    labels("annotations", whole ? alert.annotations() : Map.of(), json);
    json.writeStringProperty("state", alert.state().text());
    json.writeStringProperty("activeAt", time(alert.activeAt()));
    if (alert.keepFiringSince() != null) {
      json.writeStringProperty("keepFiringSince", time(alert.keepFiringSince()));
    }
    json.writeStringProperty(
        "value", whole ? GoNumber.exponential(alert.value(), GoNumber.SHORTEST) : "");
    json.writeEndObject();
  }

  private static void labels(String name, Map<String, String> labels, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    labels.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  private static void seconds(String name, Duration duration, JsonGenerator json) {
    if (duration.equals(Duration.ofSeconds(duration.toSeconds()))) {
      json.writeNumberProperty(name, duration.toSeconds());
    } else {
      json.writeNumberProperty(name, duration.toNanos() / 1e9);
    }
  }

  private static String time(@Nullable Instant time) {
    return time == null ? NEVER : time.toString().replaceFirst("(\\.\\d*?)0+Z$", "$1Z");
  }
}
