package dev.varve.server.console;

import dev.varve.server.compression.GzipOutput;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.web.Console;
import dev.varve.web.WebFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /} answers the console's page, unless a dialect of the listener has that path, and
 * {@code GET /console/FILE} its files. They are public and the same for everyone; what they show
 * comes from the APIs. They need no stores and set no cookies.
 */
public final class ConsolePages {
  private static final Pattern GZIP =
      Pattern.compile("(?i)(?:^|,)\\s*gzip\\s*(?:$|,|;(?!\\s*q=0(?:\\.0*)?\\s*(?:,|$)))");
  private static final String FOREVER = "public, max-age=31536000, immutable";

  /** Compressed forms, made at the first request for each file. */
  private static final Map<WebFile, byte[]> COMPRESSED = new ConcurrentHashMap<>();

  public Router.Mount mount() {
    return new Router.Mount(
        "console",
        false,
        false,
        List.of(
            Route.get("/", Load.NONE, Right.LOGIN, ConsolePages::page).whereFree(),
            Route.get(
                "/" + Console.FOLDER + Route.REST, Load.NONE, Right.LOGIN, ConsolePages::file)),
        ErrorFormat.PLAIN);
  }

  private static void page(Exchange exchange) throws IOException {
    Console console = Console.get();
    String tag = "\"" + console.page().hash() + "\"";
    exchange.header("Content-Security-Policy", console.policy());
    exchange.header("Cross-Origin-Opener-Policy", "same-origin");
    exchange.header("X-Frame-Options", "DENY");
    exchange.header("Cache-Control", "no-cache");
    exchange.header("ETag", tag);
    if (isKnown(exchange.header("If-None-Match"), tag)) {
      exchange.answer(304);
      return;
    }
    answer(exchange, console.page());
  }

  private static boolean isKnown(@Nullable String tags, String tag) {
    return tags != null && tags.contains(tag);
  }

  private static void file(Exchange exchange) throws IOException {
    String name = String.join("/", exchange.variables());
    WebFile file = Console.get().file(name);
    if (file == null) {
      throw new HttpError(
          404, "the console has no file '%s'; reload the page at /".formatted(name));
    }
    exchange.header("Cache-Control", FOREVER);
    answer(exchange, file);
  }

  private static void answer(Exchange exchange, WebFile file) throws IOException {
    exchange.header("X-Content-Type-Options", "nosniff");
    exchange.header("Referrer-Policy", "no-referrer");
    String accepted = exchange.header("Accept-Encoding");
    if (accepted != null && GZIP.matcher(accepted).find()) {
      exchange.header("Content-Encoding", "gzip");
      exchange.answer(
          200, file.contentType(), COMPRESSED.computeIfAbsent(file, ConsolePages::compressed));
    } else {
      exchange.answer(200, file.contentType(), file.bytes());
    }
  }

  private static byte[] compressed(WebFile file) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(file.bytes().length / 2);
    try (OutputStream gzip = new GzipOutput(bytes)) {
      gzip.write(file.bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
