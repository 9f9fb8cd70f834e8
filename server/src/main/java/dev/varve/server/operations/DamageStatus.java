package dev.varve.server.operations;

import dev.varve.engine.Engine;
import dev.varve.engine.FoundDamage;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.store.StoreDamage;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * {@code GET /api/v1/status/damage}: the damage that stores have found in their files since the
 * server started, and its outcome. Has the form of Prometheus' API and answers on every listener.
 */
public final class DamageStatus {
  private static final String JSON = "application/json";

  private final Supplier<@Nullable Engine> engine;

  /**
   * Creates the routes.
   *
   * @param engine supplies null until the stores are open
   */
  public DamageStatus(Supplier<@Nullable Engine> engine) {
    this.engine = engine;
  }

  public Router.Mount mount() {
    return new Router.Mount(
        "damage",
        false,
        List.of(
            Route.get("/api/v1/status/damage", Load.OPERATIONS, Right.READ, this::list).ofServer()),
        DamageStatus::error);
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(
        JSON,
        JsonLines.text(json -> {
          json.writeStartObject();
          json.writeStringProperty("status", "error");
          json.writeStringProperty("errorType", status == 503 ? "unavailable" : "bad_data");
          json.writeStringProperty("error", message);
          json.writeEndObject();
        }));
  }

  private void list(Exchange exchange) throws IOException {
    Engine open = engine.get();
    if (open == null) {
      throw new HttpError(503, "stores are being opened");
    }
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeStringProperty("status", "success");
      json.writeObjectPropertyStart("data");
      json.writeArrayPropertyStart("damage");
      open.damage().forEach(found -> write(found, json));
      json.writeEndArray();
      json.writeEndObject();
      json.writeEndObject();
    }
  }

  private static void write(FoundDamage found, JsonGenerator json) {
    StoreDamage damage = found.damage();
    json.writeStartObject();
    json.writeStringProperty("store", found.store());
    json.writeStringProperty("kind", damage.kind().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("outcome", damage.outcome().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("file", damage.file());
    number(json, "offset", damage.offset());
    json.writeNumberProperty("bytes", damage.bytes());
    number(json, "lostEdits", damage.lostEdits());
    time(json, "lostAfter", damage.after());
    time(json, "lostBefore", damage.before());
    String keptIn = damage.keptIn();
    if (keptIn == null) {
      json.writeNullProperty("keptIn");
    } else {
      json.writeStringProperty("keptIn", keptIn);
    }
    json.writeStringProperty("found", damage.found().toString());
    json.writeStringProperty("description", damage.description());
    json.writeEndObject();
  }

  private static void number(JsonGenerator json, String name, long value) {
    if (value < 0) {
      json.writeNullProperty(name);
    } else {
      json.writeNumberProperty(name, value);
    }
  }

  private static void time(JsonGenerator json, String name, @Nullable Instant time) {
    if (time == null) {
      json.writeNullProperty(name);
    } else {
      json.writeStringProperty(name, time.toString());
    }
  }
}
