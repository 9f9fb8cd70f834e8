package dev.varve.matrix.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes one member of a document wrong. */
final class Mutation {
  private final Choices choices;

  Mutation(Choices choices) {
    this.choices = choices;
  }

  /** Returns a copy of a document in which a value is replaced, missing or too many. */
  @Nullable Object mutated(Object document) {
    Object copy = JsonTree.read(JsonTree.write(document));
    List<Runnable> places = new ArrayList<>();
    collect(copy, places);
    choices.pick(places).run();
    return copy;
  }

  @SuppressWarnings("unchecked") // Documents consist of such maps and lists.
  private void collect(@Nullable Object node, List<Runnable> places) {
    if (node instanceof Map<?, ?> given) {
      Map<String, @Nullable Object> map = (Map<String, @Nullable Object>) given;
      map.forEach((name, value) -> {
        places.add(() -> change(map, name));
        collect(value, places);
      });
    } else if (node instanceof List<?> given) {
      List<@Nullable Object> list = (List<@Nullable Object>) given;
      for (int i = 0; i < list.size(); i++) {
        int index = i;
        places.add(() -> list.set(index, wrong()));
        collect(list.get(i), places);
      }
    }
  }

  private void change(Map<String, @Nullable Object> map, String name) {
    switch (choices.draw("mutation", "replaced", "replaced ", "removed", "added")) {
      case "removed" -> map.remove(name);
      case "added" -> map.put("bogus", 1);
      default -> map.put(name, wrong());
    }
  }

  private @Nullable Object wrong() {
    String kind =
        choices.draw(
            "wrong",
            "null",
            "text",
            "empty text",
            "numeric text",
            "zero",
            "negative",
            "fraction",
            "large",
            "truth",
            "list",
            "list of one",
            "object");
    return switch (kind) {
      case "null" -> null;
      case "text" -> choices.pick("nonsense", "a b", "SUM", "\u00fc\u20ac");
      case "empty text" -> "";
      case "numeric text" -> choices.pick("5", "-3", "1.5", "0");
      case "zero" -> 0;
      case "negative" -> -1;
      case "fraction" -> 1.5;
      case "large" -> 1L << 40;
      case "truth" -> choices.oneIn(2);
      case "list" -> new ArrayList<>();
      case "list of one" -> new ArrayList<>(List.of("one"));
      default -> JsonTree.object("some", 1);
    };
  }
}
