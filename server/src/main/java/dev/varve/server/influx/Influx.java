package dev.varve.server.influx;

import dev.varve.engine.Dataset;
import dev.varve.engine.write.SampleBatch;
import dev.varve.formats.json.Json;
import dev.varve.formats.text.InfluxLines;
import dev.varve.model.BatchBuilder;
import dev.varve.model.HeapShares;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.KnownKeys;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The routes of InfluxDB's APIs for writing (<a
 * href="https://docs.influxdata.com/influxdb/v1/tools/api/">1.x</a>, <a
 * href="https://docs.influxdata.com/influxdb/v2/api/">2.x</a>).
 *
 * <ul>
 *   <li>{@code POST /write}: lines; {@code db} names a dataset if there is one of that name, {@code
 *       precision} is ns, u, us, ms, s, m or h
 *   <li>{@code POST /api/v2/write}: the same, with {@code bucket}
 *   <li>{@code GET|POST /query}: {@code CREATE DATABASE}, which does nothing, and {@code SHOW
 *       DATABASES}
 *   <li>{@code GET|HEAD /ping}, {@code GET /health}, {@code GET /ready}: that it is there
 * </ul>
 */
public final class Influx implements Dialect {
  public static final String NAME = "influx";

  private static final String JSON = "application/json";

  /** The reported version, by which agents choose how they write. */
  private static final String VERSION = "1.8.10";

  private static final String VERSION_HEADER = "X-Influxdb-Version";
  private static final String BUILD_HEADER = "X-Influxdb-Build";
  private static final String BUILD = "OSS";

  /** Maximum number of characters of an error in a header, as in the original. */
  private static final int ERROR_MAX = 1024;

  private static final Pattern CREATE =
      Pattern.compile("\\s*create\\s+database\\s+.+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern SHOW =
      Pattern.compile("\\s*show\\s+databases\\s*;?\\s*", Pattern.CASE_INSENSITIVE);

  private final DialectContext context;
  private final KnownKeys known = new KnownKeys(HeapShares.OF_THIS_PROCESS.knownKeys());

  /** Creates the dialect. */
  public Influx(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Router.Mount mount() {
    return new Router.Mount(
        NAME,
        true,
        List.of(
            Route.post("/write", Load.WRITE, Right.WRITE, named(exchange -> write(exchange, "db"))),
            Route.post(
                "/api/v2/write",
                Load.WRITE,
                Right.WRITE,
                named(exchange -> write(exchange, "bucket"))),
            Route.get(
                "/query",
                Load.NONE,
                Right.LOGIN,
                named(exchange -> query(exchange, exchange.parameter("q")))),
            Route.post("/query", Load.NONE, Right.LOGIN, named(this::postedQuery)).reading(),
            Route.get("/ping", Load.NONE, Right.LOGIN, named(Influx::ping)),
            Route.get("/health", Load.NONE, Right.LOGIN, named(this::health)),
            Route.get("/ready", Load.NONE, Right.LOGIN, named(Influx::ready))),
        new Errors());
  }

  /** Adds the headers by which clients recognise the original. */
  private static HttpHandler named(HttpHandler handler) {
    return exchange -> {
      exchange.header(VERSION_HEADER, VERSION);
      exchange.header(BUILD_HEADER, BUILD);
      handler.handle(exchange);
    };
  }

  /**
   * Errors in the form that clients of both versions read: in the body, and for version 1 in a
   * header.
   */
  private static final class Errors implements ErrorFormat {
    @Override
    public Body of(int status, String message) {
      return new Body(
          JSON,
          Json.object(json -> {
            json.writeStringProperty("code", code(status));
            json.writeStringProperty("message", message);
            json.writeStringProperty("error", message);
          }));
    }

    private static String code(int status) {
      return switch (status) {
        case 401 -> "unauthorized";
        case 403 -> "forbidden";
        case 404 -> "not found";
        case 413 -> "request too large";
        case 429 -> "too many requests";
        case 503 -> "unavailable";
        default -> status < 500 ? "invalid" : "internal error";
      };
    }

    @Override
    public Map<String, String> headers(String message) {
      String start = message.length() > ERROR_MAX ? message.substring(0, ERROR_MAX) : message;
      // A header holds one line, and nothing that is sure but ASCII.
      return Map.of(
          "X-Influxdb-Error",
          start.replaceAll("[^ -~]", "?"),
          VERSION_HEADER,
          VERSION,
          BUILD_HEADER,
          BUILD);
    }
  }

  private static void ping(Exchange exchange) throws IOException {
    String verbose = exchange.parameter("verbose");
    if (verbose == null || verbose.isEmpty() || verbose.equals("0") || verbose.equals("false")) {
      exchange.answer(204);
    } else {
      exchange.answer(200, JSON, Json.object(json -> json.writeStringProperty("version", VERSION)));
    }
  }

  private void health(Exchange exchange) throws IOException {
    exchange.answer(
        200,
        JSON,
        Json.object(json -> {
          json.writeStringProperty("name", "influxdb");
          json.writeStringProperty("message", "ready for queries and writes");
          json.writeStringProperty("status", "pass");
          json.writeStringProperty("version", VERSION);
          json.writeStringProperty("commit", "varve " + context.version());
        }));
  }

  private static void ready(Exchange exchange) throws IOException {
    exchange.answer(200, JSON, Json.object(json -> json.writeStringProperty("status", "ready")));
  }

  private void postedQuery(Exchange exchange) throws IOException {
    String posted = Form.read(exchange).get("q");
    query(exchange, posted == null ? exchange.parameter("q") : posted);
  }

  private void query(Exchange exchange, @Nullable String query) throws IOException {
    if (query == null) {
      throw HttpError.badRequest("missing required parameter \"q\"");
    }
    boolean shows = SHOW.matcher(query).matches();
    if (!shows && !CREATE.matcher(query).matches()) {
      throw HttpError.badRequest(
          "InfluxQL is not spoken here, but for CREATE DATABASE and SHOW DATABASES; PromQL is, at /api/v1/query");
    }
    exchange.answer(
        200,
        JSON,
        Json.object(json -> {
          json.writeArrayPropertyStart("results");
          json.writeStartObject();
          json.writeNumberProperty("statement_id", 0);
          if (shows) {
            databases(exchange, json);
          }
          json.writeEndObject();
          json.writeEndArray();
        }));
  }

  private void databases(Exchange exchange, JsonGenerator json) {
    json.writeArrayPropertyStart("series");
    json.writeStartObject();
    json.writeStringProperty("name", "databases");
    json.writeArrayPropertyStart("columns");
    json.writeString("name");
    json.writeEndArray();
    json.writeArrayPropertyStart("values");
    for (String name : context.datasets(exchange)) {
      json.writeStartArray();
      json.writeString(name);
      json.writeEndArray();
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndArray();
  }

  private void write(Exchange exchange, String databaseParameter) throws IOException {
    Dataset dataset = context.datasetIfAny(exchange, database(exchange, databaseParameter));
    Intake intake = context.intake(exchange, dataset, NAME);
    InfluxLines format = precision(exchange).lines(dataset, context.clock());
    BadLines bad = new BadLines();
    BatchBuilder batch = intake.newBatch();
    SampleBatch samples = intake.newSamples();
    KnownLines byHandle =
        samples == null ? null : new KnownLines(intake, known, format, samples, batch);
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      read(
          lines,
          new BodyLines(format, byHandle, batch, bad, intake.memory()),
          batch,
          byHandle,
          intake);
    } finally {
      // What came whole before a body broke off is kept, as what came before a bad line is.
      write(batch, byHandle, intake);
      if (byHandle != null) {
        byHandle.release();
      }
    }
    intake.report(Intake.SYNTAX, bad.count(), bad::first);
    if (bad.count() == 0 && intake.refused() == 0) {
      exchange.answer(204);
    } else {
      throw new HttpError(400, bad.message(intake));
    }
  }

  private static void read(
      ShortLines lines,
      BodyLines whole,
      BatchBuilder batch,
      @Nullable KnownLines byHandle,
      Intake intake)
      throws IOException {
    while (lines.advance()) {
      whole.take(lines.bytes(), lines.from(), lines.to(), lines.isText(), lines.number());
      if (intake.isFull(batch) || (byHandle != null && byHandle.isFull())) {
        write(batch, byHandle, intake);
      }
    }
    whole.end();
  }

  private static void write(BatchBuilder batch, @Nullable KnownLines byHandle, Intake intake) {
    if (byHandle != null) {
      byHandle.write();
    } else if (!batch.isEmpty()) {
      intake.writeOwn(batch, false);
    }
  }

  /**
   * Returns the database without the retention policy, which agents of version 1 append after a
   * slash.
   */
  private static @Nullable String database(Exchange exchange, String parameter) {
    String name = exchange.parameter(parameter);
    int slash = name == null ? -1 : name.indexOf('/');
    return name == null || slash < 0 ? name : name.substring(0, slash);
  }

  private static Precision precision(Exchange exchange) {
    try {
      return Precision.of(exchange.parameter("precision"));
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }
}
