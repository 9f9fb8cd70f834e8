package dev.varve.server.operations;

import dev.varve.engine.Engine;
import dev.varve.engine.Snapshot;
import dev.varve.engine.Snapshots;
import dev.varve.formats.json.JsonLines;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Snapshots of the data directory, with the paths and answers of VictoriaMetrics: {@code POST
 * /snapshot/create}, {@code GET /snapshot/list}, {@code POST /snapshot/delete?snapshot=NAME} and
 * {@code POST /snapshot/delete_all}. A GET never changes anything. In addition to VictoriaMetrics'
 * names, a list has {@code details} with path, time and bytes.
 */
public final class SnapshotRoutes {
  private static final String JSON = "application/json";
  private static final String NAME = "snapshot";

  private final Supplier<@Nullable Engine> engine;

  /**
   * Creates the routes.
   *
   * @param engine supplies null until the stores are open
   */
  public SnapshotRoutes(Supplier<@Nullable Engine> engine) {
    this.engine = engine;
  }

  public Router.Mount mount() {
    return new Router.Mount(
        NAME,
        false,
        false,
        List.of(
            Route.post("/snapshot/create", Load.NONE, Right.ADMIN, this::create).ofServer(),
            Route.get("/snapshot/list", Load.NONE, Right.ADMIN, this::list).ofServer(),
            Route.post("/snapshot/delete", Load.NONE, Right.ADMIN, this::delete).ofServer(),
            Route.post("/snapshot/delete_all", Load.NONE, Right.ADMIN, this::deleteAll).ofServer()),
        SnapshotRoutes::error);
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(
        JSON,
        JsonLines.text(json -> {
          json.writeStartObject();
          json.writeStringProperty("status", "error");
          json.writeStringProperty("msg", message);
          json.writeEndObject();
        }));
  }

  private Snapshots snapshots() {
    Engine open = engine.get();
    if (open == null) {
      throw new HttpError(503, "stores are being opened");
    }
    return open.snapshots();
  }

  private void create(Exchange exchange) throws IOException {
    Snapshot made = snapshots().create();
    answer(exchange, json -> json.writeStringProperty("snapshot", made.name()));
  }

  private void list(Exchange exchange) throws IOException {
    List<Snapshot> all = snapshots().list();
    answer(
        exchange,
        json -> {
          json.writeArrayPropertyStart("snapshots");
          all.forEach(snapshot -> json.writeString(snapshot.name()));
          json.writeEndArray();
          json.writeArrayPropertyStart("details");
          all.forEach(snapshot -> write(snapshot, json));
          json.writeEndArray();
        });
  }

  private static void write(Snapshot snapshot, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", snapshot.name());
    json.writeStringProperty("path", snapshot.directory().toAbsolutePath().toString());
    json.writeStringProperty("created", snapshot.created().toString());
    json.writeNumberProperty("bytes", snapshot.bytes());
    json.writeEndObject();
  }

  private void delete(Exchange exchange) throws IOException {
    String inUrl = exchange.parameter(NAME);
    String name = inUrl == null ? Form.read(exchange).get(NAME) : inUrl;
    if (name == null) {
      throw HttpError.badRequest(
          "the parameter 'snapshot' is missing, which names the snapshot to delete");
    }
    if (!snapshots().delete(name)) {
      throw new HttpError(404, "there is no snapshot '%s'".formatted(name));
    }
    answer(exchange, json -> {});
  }

  private void deleteAll(Exchange exchange) throws IOException {
    snapshots().deleteAll();
    answer(exchange, json -> {});
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> content)
      throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      json.writeStartObject();
      json.writeStringProperty("status", "ok");
      content.accept(json);
      json.writeEndObject();
    }
  }
}
