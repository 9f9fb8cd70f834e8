package dev.varve.server.heroic.metadata;

import dev.varve.server.heroic.json.Node;
import dev.varve.server.http.Exchange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import tools.jackson.core.JsonGenerator;

/** Answers the suggestions of {@code /metadata}. */
public final class SuggestAnswers {
  private static final int LIMIT = 10;

  private final MetadataAnswers answers;

  public SuggestAnswers(MetadataAnswers answers) {
    this.answers = answers;
  }

  /** A suggested text; of tags, with its name. */
  private record Suggestion(double score, String key, String value) {}

  private static final Comparator<Suggestion> BEST_FIRST =
      Comparator.comparingDouble(Suggestion::score)
          .reversed()
          .thenComparing(Suggestion::key)
          .thenComparing(Suggestion::value);

  /** Suggests keys for the start of one. */
  public void keys(Exchange exchange) throws IOException {
    answers.answer(
        exchange,
        "key-suggest",
        (request, dataset, use, json) -> {
          Likeness like = new Likeness(request.text("key"));
          List<Suggestion> found = new ArrayList<>();
          for (String key : MetadataAnswers.keys(request, dataset, use)) {
            double score = like.score(key);
            if (score > 0) {
              use.held(100, "suggestions");
              found.add(new Suggestion(score, key, ""));
            }
          }
          write(found, request.limit(LIMIT), false, json);
        });
  }

  /** Suggests tags with values, for the start of a name, of a value, or both. */
  public void tags(Exchange exchange) throws IOException {
    answers.answer(
        exchange,
        "tag-suggest",
        (request, dataset, use, json) -> {
          Likeness name = new Likeness(request.text("key"));
          Likeness value = new Likeness(request.text("value"));
          List<Suggestion> found = new ArrayList<>();
          TagValues.of(
                  request.series(dataset, use),
                  (n, v) -> name.score(n) > 0 && value.score(v) > 0,
                  use)
              .forEach((n, values) ->
                  values.forEach(v -> {
                    use.held(100, "suggestions");
                    found.add(new Suggestion(name.score(n) * value.score(v), n, v));
                  }));
          write(found, request.limit(LIMIT), true, json);
        });
  }

  private static void write(List<Suggestion> found, int limit, boolean tags, JsonGenerator json) {
    json.writeArrayPropertyStart("suggestions");
    found.stream()
        .sorted(BEST_FIRST)
        .limit(limit)
        .forEach(one -> {
          json.writeStartObject();
          json.writeNumberProperty("score", one.score());
          json.writeStringProperty("key", one.key());
          if (tags) {
            json.writeStringProperty("value", one.value());
          }
          json.writeEndObject();
        });
    json.writeEndArray();
  }

  /** Suggests values of a tag, or of all tags. */
  public void tagValue(Exchange exchange) throws IOException {
    answers.answer(
        exchange,
        "tag-value-suggest",
        (request, dataset, use, json) -> {
          String key = request.text("key");
          Map<String, SortedSet<String>> tags =
              TagValues.of(
                  request.series(dataset, use),
                  (name, value) -> key == null || name.equals(key),
                  use);
          List<String> values =
              tags.values().stream().flatMap(Set::stream).distinct().sorted().toList();
          int limit = request.limit(LIMIT);
          MetadataAnswers.texts("values", values.subList(0, Math.min(limit, values.size())), json);
          json.writeBooleanProperty("limited", values.size() > limit);
        });
  }

  /** Suggests tags with all their values. */
  public void tagValues(Exchange exchange) throws IOException {
    answers.answer(
        exchange,
        "tag-values-suggest",
        (request, dataset, use, json) -> {
          Set<String> excluded = new HashSet<>();
          Node exclude = request.body().get("exclude");
          if (exclude != null) {
            exclude.array().forEach(name -> excluded.add(name.text()));
          }
          Map<String, SortedSet<String>> tags =
              TagValues.of(
                  request.series(dataset, use), (name, value) -> !excluded.contains(name), use);
          int limit = request.limit(LIMIT);
          int most = request.limit("groupLimit", Integer.MAX_VALUE);
          Comparator<Map.Entry<String, SortedSet<String>>> order =
              Comparator.comparingInt(tag -> -Math.min(most, tag.getValue().size()));
          json.writeArrayPropertyStart("suggestions");
          tags.entrySet().stream()
              .sorted(order.thenComparing(Map.Entry.comparingByKey()))
              .limit(limit)
              .forEach(tag -> tag(tag, most, json));
          json.writeEndArray();
          json.writeBooleanProperty("limited", tags.size() > limit);
        });
  }

  private static void tag(Map.Entry<String, SortedSet<String>> tag, int most, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("key", tag.getKey());
    MetadataAnswers.texts("values", tag.getValue().stream().limit(most).toList(), json);
    json.writeBooleanProperty("limited", tag.getValue().size() > most);
    json.writeEndObject();
  }
}
