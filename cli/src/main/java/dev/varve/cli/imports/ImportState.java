package dev.varve.cli.imports;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.StateFile;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;

/**
 * The progress of an import: everything up to a line or row is in the dataset, durably. Kept in a
 * file that is replaced as a whole.
 *
 * @param imported identifies the import, so that another one does not resume from this state
 * @param created creation time of its dataset, so that it is not resumed into a new one
 * @param inputs the files up to the one that is being read, which is the last
 * @param number lines or rows of the last file that are done
 * @param totals of all files, with what {@code file} says of the last one
 * @param file what was put aside of the last file
 */
record ImportState(
    String imported,
    String created,
    List<Input> inputs,
    long number,
    Totals totals,
    AsideOfFile file) {
  private static final long FORMAT = 2;

  /**
   * The features by which a file is recognised.
   *
   * @param size its length in bytes
   * @param bytes the number of bytes that were read
   * @param digest of these, as hexadecimal digits
   */
  record Input(long size, long bytes, String digest) {
    Input(long size, long bytes, byte[] digest) {
      this(size, bytes, HexFormat.of().formatHex(digest));
    }

    /** Returns whether a file still has the same size and begins with the same bytes. */
    boolean isOf(Path file) throws IOException {
      return Files.size(file) == size
          && HexFormat.of().formatHex(InputDigest.of(file, bytes)).equals(digest);
    }
  }

  /**
   * The counts of a {@link Tally}.
   *
   * @param bad lines that were put aside, of files before the last one
   * @param leftOut values that were left out of lines of these
   */
  record Totals(long lines, long accepted, long refused, long coerced, long bad, long leftOut) {}

  /**
   * The lines and values of a file that were set aside.
   *
   * @param bytes length of the file that has it; -1 if nothing was written into it
   * @param bad lines that were put aside as a whole
   * @param parts values that were left out of other lines
   * @param refused points that the dataset refused
   */
  record AsideOfFile(long bytes, long bad, long parts, long refused) {}

  /**
   * Reads a file.
   *
   * @throws CommandFailedException if it is of another import, or of a dataset that was created at
   *     another time, or unreadable
   */
  static ImportState read(Path file, String imported, String created) throws IOException {
    try {
      Object state = JsonTree.parse(Files.readString(file));
      if (JsonTree.number(state, "format") != FORMAT) {
        throw new CommandFailedException(
            "%s has format %d, and this version reads format %d"
                .formatted(file, JsonTree.number(state, "format"), FORMAT));
      }
      String of = JsonTree.text(state, "import");
      if (!of.equals(imported)) {
        throw new CommandFailedException(
            "%s is the state of another import, '%s': finish that, name another file with --state, or import again, without --resume"
                .formatted(file, of));
      }
      String then = JsonTree.text(state, "created");
      if (!then.equals(created)) {
        throw new CommandFailedException(
            "%s is of an import into a dataset that was created at %s, and this one was created at %s, so it may lack what the state records: import again, without --resume"
                .formatted(file, then, created));
      }
      List<Input> inputs =
          JsonTree.list(JsonTree.member(state, "inputs")).stream().map(ImportState::input).toList();
      if (inputs.isEmpty()) {
        throw unreadable(file, "it names no input");
      }
      return new ImportState(
          imported,
          created,
          inputs,
          JsonTree.number(state, "number"),
          totals(JsonTree.member(state, "totals")),
          aside(JsonTree.member(state, "file")));
    } catch (JsonTree.MissingException e) {
      throw unreadable(file, "it has no '" + e.name() + "'");
    } catch (JacksonException e) {
      throw unreadable(file, e.getOriginalMessage());
    }
  }

  /**
   * Refuses a file that an import must not replace: any but a state of the same import, whatever
   * its format.
   *
   * @throws CommandFailedException if it holds something else
   */
  static void requireReplaceable(Path file, String imported) throws IOException {
    String of = imported(file);
    if (of == null) {
      throw new CommandFailedException(
          "%s is not the state of an import, and would be replaced: name another file with --state"
              .formatted(file));
    }
    if (!of.equals(imported)) {
      throw new CommandFailedException(
          "%s is the state of another import, '%s', and would be replaced: finish that, or name another file with --state"
              .formatted(file, of));
    }
  }

  /** Returns what an import of any format imported; null if a file is not the state of one. */
  private static @Nullable String imported(Path file) throws IOException {
    // A file of another kind may be larger than the memory.
    byte[] begin = "{\"format\":".getBytes(StandardCharsets.UTF_8);
    try (InputStream in = Files.newInputStream(file)) {
      if (!Arrays.equals(in.readNBytes(begin.length), begin)) {
        return null;
      }
    }
    try {
      return JsonTree.text(JsonTree.parse(Files.readString(file)), "import");
    } catch (JsonTree.MissingException | JacksonException | CharacterCodingException e) {
      return null;
    }
  }

  private static CommandFailedException unreadable(Path file, String why) {
    return new CommandFailedException(
        "%s is not the state of an import: %s; import again, without --resume"
            .formatted(file, why));
  }

  private static Input input(Object input) {
    return new Input(
        JsonTree.number(input, "size"),
        JsonTree.number(input, "bytes"),
        JsonTree.text(input, "sha256"));
  }

  private static Totals totals(Object totals) {
    return new Totals(
        JsonTree.number(totals, "lines"),
        JsonTree.number(totals, "accepted"),
        JsonTree.number(totals, "refused"),
        JsonTree.number(totals, "coerced"),
        JsonTree.number(totals, "bad"),
        JsonTree.number(totals, "leftOut"));
  }

  private static AsideOfFile aside(Object file) {
    return new AsideOfFile(
        JsonTree.number(file, "bytes"),
        JsonTree.number(file, "bad"),
        JsonTree.number(file, "parts"),
        JsonTree.number(file, "refused"));
  }

  /** Replaces the file, durably. */
  void write(Path to) throws IOException {
    StateFile.replace(to, Json.object(this::write));
  }

  private void write(JsonGenerator json) {
    json.writeNumberProperty("format", FORMAT);
    json.writeStringProperty("import", imported);
    json.writeStringProperty("created", created);
    json.writeArrayPropertyStart("inputs");
    for (Input input : inputs) {
      json.writeStartObject();
      json.writeNumberProperty("size", input.size());
      json.writeNumberProperty("bytes", input.bytes());
      json.writeStringProperty("sha256", input.digest());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeNumberProperty("number", number);
    json.writeObjectPropertyStart("totals");
    json.writeNumberProperty("lines", totals.lines());
    json.writeNumberProperty("accepted", totals.accepted());
    json.writeNumberProperty("refused", totals.refused());
    json.writeNumberProperty("coerced", totals.coerced());
    json.writeNumberProperty("bad", totals.bad());
    json.writeNumberProperty("leftOut", totals.leftOut());
    json.writeEndObject();
    json.writeObjectPropertyStart("file");
    json.writeNumberProperty("bytes", file.bytes());
    json.writeNumberProperty("bad", file.bad());
    json.writeNumberProperty("parts", file.parts());
    json.writeNumberProperty("refused", file.refused());
    json.writeEndObject();
  }
}
