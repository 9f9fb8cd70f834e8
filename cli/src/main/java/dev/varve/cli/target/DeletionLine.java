package dev.varve.cli.target;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.DeletionProgress.State;
import dev.varve.formats.json.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** A line in which a server reports the progress of a delete, or the counts of a dry run. */
record DeletionLine(Map<String, Long> counts, @Nullable State state, @Nullable String problem) {
  /**
   * Reads a line.
   *
   * @throws CommandFailedException if it is an error
   */
  static DeletionLine read(String line) {
    Map<String, Long> counts = new LinkedHashMap<>();
    State state = null;
    String problem = null;
    try (JsonParser json = Json.parser(line)) {
      json.nextToken();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "state" -> state = State.valueOf(json.getString().toUpperCase(Locale.ROOT));
          case "problem" -> problem = json.getString();
          case "error" -> throw new CommandFailedException(json.getString());
          default -> counts.put(name, json.getLongValue());
        }
      }
    }
    return new DeletionLine(counts, state, problem);
  }

  private long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  DeleteCount count() {
    return new DeleteCount(count("series"), count("samples"));
  }

  DeletionProgress progress() {
    return new DeletionProgress(
        state == null ? State.WAITING : state,
        count("rows"),
        count("samples"),
        count("cells"),
        count("rewritten"),
        count("damaged"),
        count("series"),
        problem);
  }
}
