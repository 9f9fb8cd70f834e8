package dev.varve.cli.migrate;

import dev.varve.cli.target.Target.Filled;
import dev.varve.engine.progress.FillResult.Day;
import dev.varve.formats.json.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of a migration: lines of JSON, one for each series and day with the digests of both
 * sides, and one for each refused sample. A resumed migration cuts off what its checkpoint does not
 * cover. For one thread.
 */
final class Report implements AutoCloseable {
  private final @Nullable FileChannel file;
  private long length;

  /**
   * Opens a report.
   *
   * @param path null for none
   * @param covered bytes that the checkpoint covers
   */
  Report(@Nullable Path path, long covered) throws IOException {
    this.length = path == null ? 0 : covered;
    this.file =
        path == null
            ? null
            : FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (file != null) {
      file.truncate(covered);
      file.position(file.size());
    }
  }

  /** Appends a batch, durably. */
  void add(List<String> unfit, Filled filled) throws IOException {
    if (file == null) {
      return;
    }
    StringBuilder lines = new StringBuilder();
    filled.days().forEach(day -> lines.append(line(day)).append('\n'));
    unfit.forEach(reason -> lines.append(refusal(reason)).append('\n'));
    filled.reasons().forEach(reason -> lines.append(refusal(reason)).append('\n'));
    ByteBuffer bytes = ByteBuffer.wrap(lines.toString().getBytes(StandardCharsets.UTF_8));
    length += bytes.remaining();
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
    file.force(true);
  }

  private static String line(Day day) {
    return Json.object(json -> {
      json.writeStringProperty("series", day.series().toString());
      json.writeStringProperty("day", LocalDate.ofEpochDay(day.day()).toString());
      json.writeNumberProperty("samples", day.samples());
      json.writeNumberProperty("missing", day.missing());
      json.writeNumberProperty("other", day.other());
      json.writeStringProperty("source", day.given());
      json.writeStringProperty("target", day.held());
    });
  }

  private static String refusal(String reason) {
    return Json.object(json -> json.writeStringProperty("refused", reason));
  }

  /** Returns its length in bytes. */
  long length() {
    return length;
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
