package dev.varve.server.varve;

import dev.varve.engine.Engine;
import dev.varve.engine.backup.BackupJob;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/**
 * {@code POST /varve/v1/backup}: takes {@code to}, a path below the configured directory of
 * backups, and {@code keep}, the number of backups to keep there. Makes a backup of the data
 * directory and answers lines of progress; the last one has {@code backup}, its id, or {@code
 * error}.
 */
final class Backups {
  private static final Logger LOG = LoggerFactory.getLogger(Backups.class);
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";
  private static final long BETWEEN_LINES = Duration.ofSeconds(1).toNanos();

  private final DialectContext context;

  Backups(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.post("/v1/backup", Load.NONE, Right.ADMIN, this::make).inOneSpelling().ofServer();
  }

  private void make(Exchange exchange) throws IOException {
    Engine engine = context.engine().get();
    if (engine == null) {
      throw new HttpError(503, "the stores are being opened", Duration.ofSeconds(1));
    }
    Map<String, String> texts = Form.read(exchange);
    String to = texts.getOrDefault("to", "");
    int keep = keep(texts.get("keep"));
    Lines lines = new Lines(exchange);
    try {
      BackupJob.Outcome done = engine.backup(to, keep, lines::progress);
      lines.line(json -> write(done, json));
    } catch (RuntimeException | IOException e) {
      if (!exchange.committed()) {
        throw e;
      }
      LOG.warn("the backup to '{}' failed", to, e);
      lines.line(json -> json.writeStringProperty("error", "the backup failed: " + e.getMessage()));
    } finally {
      lines.close();
    }
  }

  private static int keep(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    if (!text.matches("[1-9]\\d{0,5}")) {
      throw HttpError.badRequest(
          "'keep' is a number of backups, from 1 to 999999, not '%s'".formatted(text));
    }
    return Integer.parseInt(text);
  }

  private static void write(BackupJob.Outcome done, JsonGenerator json) {
    json.writeStringProperty("backup", done.backup().id());
    json.writeNumberProperty("files", done.backup().files().size());
    json.writeNumberProperty("bytes", done.backup().bytes());
    json.writeNumberProperty("copied", done.copied());
    json.writeNumberProperty("deleted", done.deleted().size());
  }

  /** The lines of an answer, which begins with the first of them. */
  private static final class Lines {
    private final Exchange exchange;
    private @Nullable OutputStream out;
    private long last = System.nanoTime();

    private Lines(Exchange exchange) {
      this.exchange = exchange;
    }

    private void progress(long files, long bytes, long total) {
      if (System.nanoTime() - last >= BETWEEN_LINES) {
        last = System.nanoTime();
        line(json -> {
          json.writeNumberProperty("files", files);
          json.writeNumberProperty("bytes", bytes);
          json.writeNumberProperty("total", total);
        });
      }
    }

    private void line(Consumer<JsonGenerator> members) {
      OutputStream to = out;
      if (to == null) {
        to = exchange.answer(JSON_LINES);
        out = to;
      }
      try (JsonGenerator json = JsonLines.generator(to)) {
        json.writeStartObject();
        members.accept(json);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
        to.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void close() throws IOException {
      if (out != null) {
        out.close();
      }
    }
  }
}
