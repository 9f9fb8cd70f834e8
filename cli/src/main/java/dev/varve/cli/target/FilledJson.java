package dev.varve.cli.target;

import dev.varve.cli.io.JsonTree;
import dev.varve.engine.progress.FillResult;
import dev.varve.model.GroupKey;
import java.util.ArrayList;
import java.util.List;

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
        JsonTree.number(answer, "accepted"),
        JsonTree.number(answer, "refused"),
        JsonTree.number(answer, "dropped"),
        JsonTree.number(answer, "coerced"),
        missing - JsonTree.number(answer, "refusedByDataset"),
        JsonTree.list(JsonTree.member(answer, "reasons")).stream().map(String::valueOf).toList(),
        days);
  }

  private static FillResult.Day day(Object day) {
    GroupKey key =
        new GroupKey(
            JsonTree.text(day, "metric"),
            JsonTree.tags(day, "tags"),
            JsonTree.tags(day, "resource"));
    return new FillResult.Day(
        key.field(JsonTree.text(day, "field")),
        JsonTree.number(day, "day"),
        (int) JsonTree.number(day, "samples"),
        (int) JsonTree.number(day, "missing"),
        (int) JsonTree.number(day, "other"),
        JsonTree.text(day, "given"),
        JsonTree.text(day, "held"));
  }
}
