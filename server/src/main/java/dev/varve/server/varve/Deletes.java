package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.Remnant;
import dev.varve.formats.json.JsonLines;
import dev.varve.model.Selector;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Deletes of Varve's own API.
 *
 * <ul>
 *   <li>{@code POST /varve/v1/delete}: takes {@code selector}, {@code from} (inclusive) and {@code
 *       to} (exclusive), deletes and answers lines of {@link DeletionJson} until the samples are
 *       removed; the last line is the outcome. It continues if the client disconnects. With {@code
 *       dry-run=true} it counts and deletes nothing
 *   <li>{@code GET /varve/v1/deletes}: lists the deletes whose samples are not removed yet. Callers
 *       who may delete or administer all series also get {@code remnants}: the places that may
 *       still hold deleted samples, or {@code problem} if they cannot be listed
 *   <li>{@code POST /varve/v1/deletes/ID/cancel}: cancels a delete
 * </ul>
 */
final class Deletes {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";
  private static final Duration BETWEEN_LINES = Duration.ofMillis(250);

  /** Maximum number of concurrent requests for remnants: each walks directories or asks a store. */
  private static final int LOOKING_MAX = 2;

  private static final Duration WAIT_TO_LOOK = Duration.ofSeconds(10);

  private final Semaphore looking = new Semaphore(LOOKING_MAX, true);
  private final DialectContext context;

  Deletes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/v1/delete", Load.NONE, Right.DELETE, this::delete).inOneSpelling(),
        Route.get("/v1/deletes", Load.NONE, Right.READ, this::list),
        Route.post("/v1/deletes/*/cancel", Load.NONE, Right.DELETE, this::cancel).inOneSpelling());
  }

  private void delete(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    Map<String, String> texts = new LinkedHashMap<>(Form.read(exchange));
    String dryRun = texts.remove("dry-run");
    Dataset dataset = context.dataset(exchange);
    DeleteParameters wanted;
    try {
      wanted = DeleteParameters.of(texts, dataset.resolution(), context.clock().instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    if (dryRun == null || dryRun.equals("false")) {
      Deletion deletion = dataset.deletes().begin(wanted.selector(), wanted.times());
      follow(exchange, deletion);
    } else if (dryRun.equals("true")) {
      count(exchange, dataset, wanted, texts.getOrDefault("selector", ""));
    } else {
      throw HttpError.badRequest("'dry-run' is true or false, not '%s'".formatted(dryRun));
    }
  }

  private void count(Exchange exchange, Dataset dataset, DeleteParameters wanted, String text)
      throws IOException {
    Selector selector = wanted.selector();
    context.query(
        exchange,
        dataset,
        "delete",
        text,
        use -> {
          var count = dataset.deletes().count(selector, wanted.times(), use);
          try (OutputStream out = exchange.answer(JSON_LINES);
              JsonGenerator json = JsonLines.generator(out)) {
            DeletionJson.write(count, json);
            json.writeRaw('\n');
          }
        });
  }

  private static void follow(Exchange exchange, Deletion deletion) throws IOException {
    AtomicBoolean gone = new AtomicBoolean();
    exchange.onAbort(() -> gone.set(true));
    try (OutputStream out = exchange.answer(JSON_LINES);
        JsonGenerator json = JsonLines.generator(out)) {
      boolean ended = false;
      while (!ended && !gone.get()) {
        ended = deletion.await(BETWEEN_LINES);
        DeletionJson.write(deletion, json);
        json.writeRaw('\n');
        json.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void list(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    List<Deletion> deletes = dataset.deletes().pending();
    Remnants remnants = seesRemnants(exchange.caller()) ? look(dataset) : null;
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeArrayPropertyStart("deletes");
      deletes.forEach(deletion -> DeletionJson.write(deletion, json));
      json.writeEndArray();
      if (remnants != null && remnants.problem() == null) {
        json.writeArrayPropertyStart("remnants");
        remnants.places().forEach(remnant -> DeletionJson.write(remnant, json));
        json.writeEndArray();
      } else if (remnants != null) {
        json.writeStringProperty("problem", remnants.problem());
      }
      json.writeEndObject();
    }
  }

  /**
   * Returns whether a caller may see remnants. They name snapshots, paths and tables, which hold
   * more than single series.
   */
  private static boolean seesRemnants(Caller caller) {
    return caller.bounds() == null && (caller.may(Right.DELETE) || caller.may(Right.ADMIN));
  }

  /**
   * The remnants that were found.
   *
   * @param problem the reason why the places are unknown; null if they are known
   */
  private record Remnants(List<Remnant> places, @Nullable String problem) {
    static Remnants unknown(@Nullable String why) {
      return new Remnants(List.of(), "what still holds deleted samples is not known: " + why);
    }
  }

  private Remnants look(Dataset dataset) {
    try {
      if (!looking.tryAcquire(WAIT_TO_LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        return Remnants.unknown(
            "%d other requests are looking; ask again later".formatted(LOOKING_MAX));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Remnants.unknown("the server is stopping");
    }
    try {
      return new Remnants(dataset.deletes().remnants(), null);
    } catch (StoreException e) {
      return Remnants.unknown(e.getMessage());
    } finally {
      looking.release();
    }
  }

  private void cancel(Exchange exchange) throws IOException {
    context.ensureMayDelete(exchange);
    String id = exchange.variables().getFirst();
    Deletion deletion =
        context.dataset(exchange).deletes().pending().stream()
            .filter(one -> Long.toString(one.id()).equals(id))
            .findFirst()
            .orElseThrow(() ->
                new HttpError(404, "there is no delete '%s' that has not ended".formatted(id)));
    deletion.cancel();
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      DeletionJson.write(deletion, json);
    }
  }
}
