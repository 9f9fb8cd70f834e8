package dev.varve.cli;

import dev.varve.engine.catalog.Matches;
import dev.varve.formats.json.Json;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;

/**
 * The file of an export. Until it is complete it is called {@code NAME.partial}, and {@code
 * NAME.state} says how much of that is final, so that an export can go on after a kill.
 */
final class ExportFile implements AutoCloseable {
  private static final long FORMAT = 1;

  /** The order of an export: by metric, tags, resource, then field. */
  static final Comparator<Series> ORDER =
      Comparator.comparing(Series::key, Matches.ORDER).thenComparing(Series::field);

  /**
   * What is final.
   *
   * @param last the last series; null for none
   * @param bytes length of the file
   * @param written samples that reached the writer, with those that it left out
   * @param leftOut samples that the writer left out
   */
  record State(@Nullable Series last, long bytes, long written, long leftOut) {
    static final State NONE = new State(null, 0, 0, 0);

    /** Returns whether a series is in the file. */
    boolean has(Series series) {
      return last != null && ORDER.compare(series, last) <= 0;
    }
  }

  private final Path file;
  private final Path partial;
  private final Path stateFile;
  private final String export;
  private final State begun;
  private final FileChannel channel;
  private final Writer out;

  private ExportFile(Path file, String export, boolean resumes) throws IOException {
    this.file = file;
    this.partial = file.resolveSibling(file.getFileName() + ".partial");
    this.stateFile = file.resolveSibling(file.getFileName() + ".state");
    this.export = export;
    this.begun = resumes ? read() : State.NONE;
    this.channel = FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.size() < begun.bytes()) {
        throw new CommandFailedException(
            "%s has %,d bytes and %s speaks of %,d: export anew, without --resume"
                .formatted(partial, channel.size(), stateFile, begun.bytes()));
      }
      channel.truncate(begun.bytes());
      channel.position(begun.bytes());
      if (!resumes) {
        Files.deleteIfExists(stateFile);
      }
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    this.out =
        new BufferedWriter(
            new OutputStreamWriter(Channels.newOutputStream(channel), StandardCharsets.UTF_8));
  }

  /**
   * Opens the file of an export.
   *
   * @param export what is exported how, so that another export does not go on from here
   * @param resumes whether to go on; begins anew where nothing is final yet
   * @throws CommandFailedException if the state is of another export or unreadable
   */
  static ExportFile open(Path file, String export, boolean resumes) throws IOException {
    return new ExportFile(file, export, resumes);
  }

  /** Returns what was final when the file was opened. */
  State begun() {
    return begun;
  }

  /** Returns the text to append to. */
  Writer out() {
    return out;
  }

  private State read() throws IOException {
    if (!Files.exists(stateFile)) {
      return State.NONE;
    }
    try {
      Object state = JsonTree.parse(Files.readString(stateFile));
      if (JsonTree.number(state, "format") != FORMAT) {
        throw new CommandFailedException(
            "%s has format %d, and this version reads format %d"
                .formatted(stateFile, JsonTree.number(state, "format"), FORMAT));
      }
      String of = JsonTree.text(state, "export");
      if (!of.equals(export)) {
        throw new CommandFailedException(
            "%s is of another export, '%s': finish that, or export anew, without --resume"
                .formatted(stateFile, of));
      }
      GroupKey key =
          new GroupKey(
              JsonTree.text(state, "metric"),
              JsonTree.tags(state, "tags"),
              JsonTree.tags(state, "resource"));
      return new State(
          key.field(JsonTree.text(state, "field")),
          JsonTree.number(state, "bytes"),
          JsonTree.number(state, "written"),
          JsonTree.number(state, "leftOut"));
    } catch (JsonTree.MissingException e) {
      throw unreadable("it has no '" + e.name() + "'");
    } catch (JacksonException e) {
      throw unreadable(e.getOriginalMessage());
    }
  }

  private CommandFailedException unreadable(String why) {
    return new CommandFailedException(
        "%s is not the state of an export: %s; export anew, without --resume"
            .formatted(stateFile, why));
  }

  /** Records durably that all that was written belongs to complete series. */
  void complete(Series last, long written, long leftOut) throws IOException {
    out.flush();
    channel.force(true);
    State state = new State(last, channel.position(), written, leftOut);
    Path next = stateFile.resolveSibling(stateFile.getFileName() + ".next");
    ByteBuffer bytes =
        ByteBuffer.wrap(
            Json.object(json -> write(state, last, json)).getBytes(StandardCharsets.UTF_8));
    try (FileChannel to =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      while (bytes.hasRemaining()) {
        to.write(bytes);
      }
      to.force(true);
    }
    Files.move(
        next, stateFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void write(State state, Series last, JsonGenerator json) {
    json.writeNumberProperty("format", FORMAT);
    json.writeStringProperty("export", export);
    json.writeStringProperty("metric", last.metric());
    write("tags", last.key().tags(), json);
    write("resource", last.key().resource(), json);
    json.writeStringProperty("field", last.field());
    json.writeNumberProperty("bytes", state.bytes());
    json.writeNumberProperty("written", state.written());
    json.writeNumberProperty("leftOut", state.leftOut());
  }

  private static void write(String name, Tags tags, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  /** Gives the file its name. */
  void finish() throws IOException {
    out.flush();
    channel.force(true);
    close();
    Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    Files.deleteIfExists(stateFile);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
