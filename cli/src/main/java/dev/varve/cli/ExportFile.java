package dev.varve.cli;

import dev.varve.cli.io.CommandFailedException;
import dev.varve.cli.io.JsonTree;
import dev.varve.cli.io.StateFile;
import dev.varve.formats.json.Json;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;

/**
 * The file of an export. Until it is complete it is called {@code NAME.partial}. {@code NAME.state}
 * records how much of it is final, so that the export can be resumed after a kill.
 */
final class ExportFile implements AutoCloseable {
  private static final long FORMAT = 2;

  private final Path file;
  private final Path partial;
  private final Path stateFile;
  private final String export;
  private final ExportState begun;
  private final FileChannel channel;
  private final OutputStream bytes;
  private final Writer text;

  private ExportFile(Path file, String export, boolean resumes) throws IOException {
    this.file = file;
    this.partial = file.resolveSibling(file.getFileName() + ".partial");
    this.stateFile = file.resolveSibling(file.getFileName() + ".state");
    this.export = export;
    this.begun = resumes ? read() : ExportState.NONE;
    this.channel = FileChannel.open(partial, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.size() < begun.bytes()) {
        throw new CommandFailedException(
            "%s has %,d bytes and %s records %,d: export again, without --resume"
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
    this.bytes = new BufferedOutputStream(Channels.newOutputStream(channel));
    this.text = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8));
  }

  /**
   * Opens the file of an export.
   *
   * @param export identifies the export, so that another one does not resume from this file
   * @param resumes whether to continue; if nothing is final yet, the file begins again
   * @throws CommandFailedException if the state is of another export or unreadable
   */
  static ExportFile open(Path file, String export, boolean resumes) throws IOException {
    return new ExportFile(file, export, resumes);
  }

  /** Returns what was final when the file was opened. */
  ExportState begun() {
    return begun;
  }

  /** Returns the text to append to. */
  Writer text() {
    return text;
  }

  /** Returns the bytes to append to, for a format that is not a text. */
  OutputStream bytes() {
    return bytes;
  }

  private ExportState read() throws IOException {
    if (!Files.exists(stateFile)) {
      return ExportState.NONE;
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
            "%s is of another export, '%s': finish that, or export again, without --resume"
                .formatted(stateFile, of));
      }
      return ExportState.read(state);
    } catch (JsonTree.MissingException e) {
      throw unreadable("it has no '" + e.name() + "'");
    } catch (JacksonException e) {
      throw unreadable(e.getOriginalMessage());
    } catch (IllegalArgumentException e) {
      throw unreadable("a row group is damaged");
    }
  }

  private CommandFailedException unreadable(String why) {
    return new CommandFailedException(
        "%s is not the state of an export: %s; export again, without --resume"
            .formatted(stateFile, why));
  }

  /** Records durably that everything written so far is final. The length is that of the file. */
  void complete(ExportState reached) throws IOException {
    text.flush();
    channel.force(true);
    ExportState state = reached.withBytes(channel.position());
    StateFile.replace(stateFile, Json.object(json -> write(state, json)));
  }

  private void write(ExportState state, JsonGenerator json) {
    json.writeNumberProperty("format", FORMAT);
    json.writeStringProperty("export", export);
    state.write(json);
  }

  /** Gives the file its name. */
  void finish() throws IOException {
    text.flush();
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
