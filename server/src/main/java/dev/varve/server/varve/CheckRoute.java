package dev.varve.server.varve;

import dev.varve.engine.Engine;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckProgress;
import dev.varve.engine.check.CheckRun;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * {@code POST /varve/v1/check}: reads all data of the server, regardless of the named dataset, at
 * {@code rate} MB per second (default 32), and answers lines of {@link CheckJson}. Only one check
 * runs at a time; it ends if its client disconnects.
 */
final class CheckRoute {
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";

  /** Default rate in MB per second; it leaves most of a disk's throughput to queries. */
  private static final long RATE = 32;

  private final DialectContext context;

  CheckRoute(DialectContext context) {
    this.context = context;
  }

  Route route() {
    return Route.post("/v1/check", Load.NONE, Right.ADMIN, this::check).ofServer().inOneSpelling();
  }

  private void check(Exchange exchange) throws IOException {
    Map<String, String> texts = Form.read(exchange);
    Engine engine = context.engine().get();
    if (engine == null) {
      throw new HttpError(503, "the stores are being opened", Duration.ofSeconds(1));
    }
    long rate = rate(texts.get("rate"));
    AtomicBoolean stopped = new AtomicBoolean();
    exchange.onGone(() -> stopped.set(true));
    try (CheckLines lines = new CheckLines(exchange)) {
      CheckRun run = new CheckRun(rate << 20, lines::progress, lines::found, stopped::get);
      engine.check(run);
      lines.done(run.progress());
    }
  }

  private static long rate(@Nullable String text) {
    if (text == null) {
      return RATE;
    }
    if (!text.matches("[1-9]\\d{0,5}")) {
      throw HttpError.badRequest(
          "'rate' is a whole number of MB per second, from 1 to 999999, not '%s'".formatted(text));
    }
    return Long.parseLong(text);
  }

  /** The lines of a check. The answer begins with the first line. */
  private static final class CheckLines implements AutoCloseable {
    private final Exchange exchange;
    private @Nullable OutputStream out;

    private CheckLines(Exchange exchange) {
      this.exchange = exchange;
    }

    private void line(Consumer<JsonGenerator> content) {
      OutputStream to = out;
      if (to == null) {
        to = exchange.answer(JSON_LINES);
        out = to;
      }
      try (JsonGenerator json = JsonLines.generator(to)) {
        content.accept(json);
        json.writeRaw('\n');
        json.flush();
        to.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void progress(CheckProgress progress) {
      line(to -> CheckJson.write(progress, false, to));
    }

    private void found(CheckFinding finding) {
      line(to -> CheckJson.write(finding, to));
    }

    private void done(CheckProgress progress) {
      line(to -> CheckJson.write(progress, true, to));
    }

    @Override
    public void close() throws IOException {
      if (out != null) {
        out.close();
      }
    }
  }
}
