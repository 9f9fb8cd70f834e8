package dev.varve.cli;

import dev.varve.engine.FillResult;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the answer of {@code /varve/v1/fill}. */
final class FilledJson {
  private FilledJson() {}

  static Target.Filled read(String text) {
    Object answer = JsonTree.parse(text);
    List<FillResult.Day> days = new ArrayList<>();
    for (Object day : JsonTree.list(JsonTree.member(answer, "days"))) {
      days.add(day(day));
    }
    long missing = days.stream().mapToLong(FillResult.Day::missing).sum();
    return new Target.Filled(
        number(answer, "accepted"),
        number(answer, "refused"),
        number(answer, "dropped"),
        number(answer, "coerced"),
        missing - number(answer, "refusedByDataset"),
        JsonTree.list(JsonTree.member(answer, "reasons")).stream().map(String::valueOf).toList(),
        days);
  }

  private static FillResult.Day day(Object day) {
    GroupKey key = new GroupKey(text(day, "metric"), tags(day, "tags"), tags(day, "resource"));
    return new FillResult.Day(
        key.field(text(day, "field")),
        number(day, "day"),
        (int) number(day, "samples"),
        (int) number(day, "missing"),
        (int) number(day, "other"),
        text(day, "given"),
        text(day, "held"));
  }

  private static Tags tags(Object day, String name) {
    Map<String, String> tags = new TreeMap<>();
    if (JsonTree.member(day, name) instanceof Map<?, ?> members) {
      members.forEach((tag, value) -> tags.put(String.valueOf(tag), String.valueOf(value)));
    }
    return Tags.of(tags);
  }

  private static String text(Object object, String name) {
    return String.valueOf(JsonTree.member(object, name));
  }

  private static long number(Object object, String name) {
    return JsonTree.member(object, name) instanceof Long number ? number : 0;
  }
}
