package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.engine.progress.Remnant;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a server's list of the places that may still hold deleted samples. */
final class RemnantsJson {
  private RemnantsJson() {}

  /**
   * Reads the answer of {@code GET /varve/v1/deletes}.
   *
   * @throws CommandFailedException if the server does not know the places or does not show them to
   *     this user, or if the answer is of another version
   */
  static List<Remnant> read(String answer) {
    if (!(JsonTree.parse(answer) instanceof Map<?, ?> members)) {
      throw new CommandFailedException("the server's list of deletes is not an object");
    }
    if (members.get("problem") instanceof String problem) {
      throw new CommandFailedException(problem);
    }
    if (!members.containsKey("remnants")) {
      throw new CommandFailedException(
          "the server does not list what holds deleted samples: the user needs the right to delete or admin, without matchers");
    }
    return JsonTree.list(JsonTree.member(members, "remnants")).stream()
        .map(RemnantsJson::remnant)
        .toList();
  }

  private static Remnant remnant(Object place) {
    try {
      Instant gone = instant(place, "gone");
      return new Remnant(
          Remnant.Kind.of(JsonTree.text(place, "kind")),
          JsonTree.text(place, "name"),
          instant(place, "made"),
          gone == null ? instant(place, "earliest") : gone,
          gone != null,
          JsonTree.text(place, "advice"));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new CommandFailedException(
          "the server names a place that this version does not know: " + e.getMessage());
    }
  }

  private static @Nullable Instant instant(Object place, String name) {
    return place instanceof Map<?, ?> members && members.get(name) instanceof String time
        ? Instant.parse(time)
        : null;
  }
}
