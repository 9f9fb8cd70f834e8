package dev.varve.cli.migrate;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.StateFile;
import dev.varve.formats.json.Json;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;

/**
 * The progress of a migration: everything up to a position is in the target, durably. Kept in a
 * file that is replaced as a whole.
 *
 * @param migration identifies the migration, so that another one does not resume from this state
 * @param at the last finished sample; null at the beginning
 * @param reported bytes of the report that belong to it
 */
record Checkpoint(String migration, @Nullable Position at, Totals totals, long reported) {
  private static final long FORMAT = 1;

  /**
   * Reads a file.
   *
   * @return the beginning of the migration if there is no file
   * @throws CommandFailedException if the file is of another migration or unreadable
   */
  static Checkpoint read(Path file, String migration) throws IOException {
    if (!Files.exists(file)) {
      return new Checkpoint(migration, null, Totals.NONE, 0);
    }
    try {
      Object state = JsonTree.parse(Files.readString(file));
      if (JsonTree.number(state, "format") != FORMAT) {
        throw new CommandFailedException(
            "%s has format %d, and this version reads format %d"
                .formatted(file, JsonTree.number(state, "format"), FORMAT));
      }
      String of = JsonTree.text(state, "migration");
      if (!of.equals(migration)) {
        throw new CommandFailedException(
            "%s is the checkpoint of another migration, '%s': finish that, name another file with --state, or delete it"
                .formatted(file, of));
      }
      return new Checkpoint(
          migration, position(state), totals(state), JsonTree.number(state, "reported"));
    } catch (JsonTree.MissingException e) {
      throw new CommandFailedException(
          "%s is no checkpoint: it has no '%s'; delete it to begin anew".formatted(file, e.name()));
    } catch (JacksonException e) {
      throw new CommandFailedException(
          "%s is no checkpoint: %s; delete it to begin anew"
              .formatted(file, e.getOriginalMessage()));
    }
  }

  private static @Nullable Position position(Object state) {
    if (!(state instanceof Map<?, ?> map) || !map.containsKey("at")) {
      return null;
    }
    Object at = JsonTree.member(state, "at");
    GroupKey key =
        new GroupKey(
            JsonTree.text(at, "metric"), JsonTree.tags(at, "tags"), JsonTree.tags(at, "resource"));
    return new Position(key.field(JsonTree.text(at, "field")), JsonTree.number(at, "time"));
  }

  private static Totals totals(Object state) {
    Object totals = JsonTree.member(state, "totals");
    return new Totals(
        JsonTree.number(totals, "read"),
        JsonTree.number(totals, "days"),
        JsonTree.number(totals, "written"),
        JsonTree.number(totals, "equal"),
        JsonTree.number(totals, "own"),
        JsonTree.number(totals, "refused"),
        JsonTree.number(totals, "dropped"),
        JsonTree.number(totals, "coerced"),
        JsonTree.number(totals, "lost"));
  }

  /** Replaces the file, durably. */
  void write(Path file) throws IOException {
    StateFile.replace(file, Json.object(this::write));
  }

  private void write(JsonGenerator json) {
    json.writeNumberProperty("format", FORMAT);
    json.writeStringProperty("migration", migration);
    if (at != null) {
      json.writeName("at");
      json.writeStartObject();
      json.writeStringProperty("metric", at.series().metric());
      write("tags", at.series().key().tags(), json);
      write("resource", at.series().key().resource(), json);
      json.writeStringProperty("field", at.series().field());
      json.writeNumberProperty("time", at.time());
      json.writeEndObject();
    }
    json.writeName("totals");
    json.writeStartObject();
    json.writeNumberProperty("read", totals.read());
    json.writeNumberProperty("days", totals.days());
    json.writeNumberProperty("written", totals.written());
    json.writeNumberProperty("equal", totals.equal());
    json.writeNumberProperty("own", totals.own());
    json.writeNumberProperty("refused", totals.refused());
    json.writeNumberProperty("dropped", totals.dropped());
    json.writeNumberProperty("coerced", totals.coerced());
    json.writeNumberProperty("lost", totals.lost());
    json.writeEndObject();
    json.writeNumberProperty("reported", reported);
  }

  private static void write(String name, Tags tags, JsonGenerator json) {
    json.writeName(name);
    json.writeStartObject();
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
