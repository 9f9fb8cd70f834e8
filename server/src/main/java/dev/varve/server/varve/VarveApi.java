package dev.varve.server.varve;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckProgress;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.WriteResult;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointReader;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.query.PlanExplanation;
import dev.varve.query.Query;
import dev.varve.query.QueryPlan;
import dev.varve.query.QueryRun;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.query.running.QueryUse;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.http.ShortLines;
import dev.varve.server.ingest.IngestListener;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * The routes of Varve's own API.
 *
 * <ul>
 *   <li>{@code GET /varve/v1/dataset}: name, resolution and whether the dataset supports fields
 *   <li>{@code POST /varve/v1/points}: writes points in the point form. Answers how many were
 *       accepted, once they are durable, and why others were rejected. With {@code integers=any} an
 *       integer is stored as a double where the layout supports only doubles
 *   <li>{@code GET|POST /varve/v1/query}: takes {@link QueryParameters} in the URL or as a form and
 *       answers {@link ResultLines}
 *   <li>{@code GET|POST /varve/v1/explain}: takes an {@link ExplainRequest}
 *   <li>{@code POST /varve/v1/explain/points}: takes points and answers the cells that they would
 *       be encoded as
 *   <li>{@code POST /varve/v1/check}: reads all data of the server, regardless of the named
 *       dataset, at {@code rate} MB per second (default 32), and answers lines of {@link
 *       CheckJson}. Only one check runs at a time; it ends if its client disconnects
 *   <li>{@link Compactions}: rewrites of what is stored
 *   <li>{@link Deletes}: deletes
 *   <li>{@link Exports}: samples in bulk
 *   <li>{@link Fills}: samples at instants that the dataset lacks
 *   <li>{@link Backups}: backups of the data directory
 *   <li>{@link Cells}: layouts, and the cells that they make of points
 *   <li>{@link HeatMapRoute}: which rows of tables are read and written
 *   <li>{@link AdviceRoutes}: what the advisor says, and the cardinality of each day
 * </ul>
 *
 * <p>Errors are {@code {"error":"..."}}. An error in the middle of a result is its last line.
 */
public final class VarveApi implements Dialect {
  private static final String JSON = "application/json; charset=utf-8";
  private static final String JSON_LINES = "application/x-ndjson; charset=utf-8";
  private static final int BATCH_SAMPLES = 10_000;
  private static final int REASONS_MAX = 1000;
  private static final int EXPLAINED_MAX = 10_000;

  /** Default rate of a check in MB per second; it leaves most of a disk's throughput to queries. */
  private static final long CHECK_RATE = 32;

  /** The path prefix of the API. */
  public static final String NAME = "varve";

  private final DialectContext context;

  /** Creates the API of a listener. */
  public VarveApi(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return NAME;
  }

  /**
   * Returns the routes. They are mounted on every listener because the command line uses them to
   * recognise a server.
   */
  @Override
  public Router.Mount mount() {
    return new Router.Mount(NAME, true, routes(), VarveApi::error);
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(
        JSON,
        JsonLines.text(json -> {
          json.writeStartObject();
          json.writeStringProperty("error", message);
          json.writeEndObject();
        }));
  }

  private List<Route> routes() {
    List<Route> routes = new ArrayList<>(ownRoutes());
    routes.add(new Compactions(context).route());
    routes.addAll(new Deletes(context).routes());
    routes.add(new Exports(context).route());
    routes.add(new Fills(context).route());
    routes.add(new Backups(context).route());
    routes.addAll(new Cells(context).routes());
    routes.add(new HeatMapRoute(context).route());
    routes.addAll(new AdviceRoutes(context).routes());
    return routes;
  }

  private List<Route> ownRoutes() {
    return List.of(
        Route.get("/v1/dataset", Load.NONE, Right.LOGIN, this::dataset),
        Route.post("/v1/points", Load.WRITE, Right.WRITE, this::points),
        Route.get(
            "/v1/query", Load.QUERY, Right.READ, exchange -> query(exchange, ofUrl(exchange))),
        Route.post(
            "/v1/query", Load.QUERY, Right.READ, exchange -> query(exchange, ofForm(exchange))),
        Route.get(
            "/v1/explain", Load.QUERY, Right.READ, exchange -> explain(exchange, ofUrl(exchange))),
        Route.post(
            "/v1/explain", Load.QUERY, Right.READ, exchange -> explain(exchange, ofForm(exchange))),
        // The identifiers in a point's cells tell which names exist in other series.
        Route.post("/v1/explain/points", Load.READ, Right.READ, this::explainPoints).ofAllSeries(),
        Route.post(
                "/v1/check",
                Load.NONE,
                Right.ADMIN,
                exchange -> check(exchange, Form.read(exchange)))
            .ofServer()
            .inOneSpelling());
  }

  private void dataset(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeStringProperty("name", dataset.name());
          json.writeStringProperty("resolution", dataset.resolution().symbol());
          json.writeStringProperty("created", dataset.created().toString());
          json.writeBooleanProperty("fields", dataset.holdsFields());
          json.writeStringProperty("durability", dataset.acknowledgement().word());
          json.writeEndObject();
        });
  }

  private void points(Exchange exchange) throws IOException {
    Intake intake = context.intake(exchange, context.dataset(exchange), NAME);
    boolean insists = insists(exchange);
    Tally tally = new Tally();
    BatchBuilder batch = intake.newBatch();
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      try {
        for (String line = lines.next(); line != null; line = lines.next()) {
          read(line, lines, batch, tally);
          // Attributes do not count as samples, but there is at most one per line.
          if (intake.isFull(batch) || lines.number() % BATCH_SAMPLES == 0) {
            intake.writeOwn(batch, insists);
          }
        }
      } finally {
        count(lines.number(), (int) tally.refused);
        intake.report(Intake.SYNTAX, tally.refused, tally.reasons::getFirst);
      }
    }
    if (!batch.isEmpty()) {
      intake.writeOwn(batch, insists);
    }
    tally.add(intake);
    answer(exchange, tally::write);
  }

  private void count(int lines, int bad) {
    if (bad > 0) {
      context.lines(NAME, "bad", bad);
    }
    if (lines > bad) {
      context.lines(NAME, "read", lines - bad);
    }
  }

  static boolean insists(Exchange exchange) {
    String integers = exchange.parameter("integers");
    return switch (integers == null ? "integers" : integers) {
      case "integers" -> true;
      case "any" -> false;
      default ->
          throw HttpError.badRequest(
              "'integers' must be absent or 'any', which allows storing an integer as an equal"
                  + " double");
    };
  }

  private static void read(String line, ShortLines lines, BatchBuilder batch, Tally tally) {
    if (line.isBlank()) {
      return;
    }
    try {
      if (!lines.isText()) {
        throw new PointFormatException("the line is not UTF-8");
      }
      PointReader.read(line).addTo(batch);
    } catch (PointFormatException e) {
      tally.refuse("line " + lines.number() + ": " + e.getMessage());
    }
  }

  private void query(Exchange exchange, Map<String, String> texts) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Query query = Query.of(plan(texts, dataset));
    context.query(
        exchange,
        dataset,
        NAME,
        ExplainRequest.words(texts),
        use -> answer(exchange, query.on(dataset, use), use));
  }

  private static void answer(Exchange exchange, QueryRun run, QueryUse use) throws IOException {
    try (OutputStream out = exchange.answer(JSON_LINES)) {
      ResultLines lines = new ResultLines(out);
      try {
        run.into(lines);
        lines.close();
      } catch (QueryRefusedException e) {
        if (!exchange.committed()) {
          throw e;
        }
        String reason = String.valueOf(e.getMessage());
        use.refusedAmid(reason);
        lines.fail(reason);
      }
    }
  }

  private void explain(Exchange exchange, Map<String, String> texts) throws IOException {
    Dataset dataset = context.dataset(exchange);
    ExplainRequest request = ExplainRequest.of(texts, context.clock(), exchange.memory());
    context.query(
        exchange,
        dataset,
        NAME,
        request.listed(),
        use -> {
          PlanExplanation explanation =
              request.explain(dataset, name -> context.beside(exchange.caller(), name), use);
          answer(exchange, json -> ExplanationJson.write(explanation, json));
        });
  }

  private void explainPoints(Exchange exchange) throws IOException {
    Dataset dataset = context.dataset(exchange);
    Tally tally = new Tally();
    BatchBuilder batch = new BatchBuilder(exchange.memory()::hold);
    try (ShortLines lines = new ShortLines(exchange.body(), exchange.memory())) {
      for (String line = lines.next(); line != null; line = lines.next()) {
        read(line, lines, batch, tally);
        if (lines.number() > EXPLAINED_MAX) {
          throw HttpError.badRequest(
              "at most " + EXPLAINED_MAX + " points can be explained at once");
        }
      }
    }
    if (tally.refused > 0) {
      throw HttpError.badRequest(tally.reasons.getFirst());
    }
    Intake intake = new Intake(dataset, NAME, IngestListener.NONE.withDoor(context.door()));
    Batch stored = intake.asStored(batch.build(), insists(exchange));
    if (intake.refused() > 0) {
      throw HttpError.badRequest(Tally.text(intake.rejections().getFirst()));
    }
    List<PointExplanation> cells = dataset.explain(stored);
    answer(exchange, json -> ExplanationJson.write(cells, json));
  }

  private void check(Exchange exchange, Map<String, String> texts) throws IOException {
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
      return CHECK_RATE;
    }
    if (!text.matches("[1-9]\\d{0,5}")) {
      throw HttpError.badRequest(
          "'rate' is a whole number of MB per second, at least 1, such as 32");
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

  /** Creates the plan of a query. Errors in its parameters are the client's: 400. */
  private QueryPlan plan(Map<String, String> texts, Dataset dataset) {
    try {
      return new QueryParameters(texts).plan(dataset.resolution(), context.clock().instant());
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
  }

  private static Map<String, String> ofUrl(Exchange exchange) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (String name : QueryParameters.NAMES) {
      put(texts, name, exchange.parameter(name));
    }
    put(texts, "analyze", exchange.parameter("analyze"));
    put(texts, PromQlParameters.QUERY, exchange.parameter(PromQlParameters.QUERY));
    put(texts, "step", exchange.parameter("step"));
    ExplainRequest.dialects().forEach(name -> put(texts, name, exchange.parameter(name)));
    return texts;
  }

  private static void put(Map<String, String> texts, String name, @Nullable String text) {
    if (text != null) {
      texts.put(name, text);
    }
  }

  private static Map<String, String> ofForm(Exchange exchange) throws IOException {
    Map<String, String> texts = ofUrl(exchange);
    texts.putAll(Form.read(exchange));
    return texts;
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> content)
      throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      content.accept(json);
    }
  }

  /** The outcome of the points of a request. */
  static final class Tally {
    private long accepted;
    private long refused;
    private long coerced;
    private final List<String> reasons = new ArrayList<>();

    private void add(Intake intake) {
      accepted += intake.accepted();
      refused += intake.refused();
      coerced = intake.coerced();
      intake.rejections().forEach(rejection -> note(text(rejection)));
    }

    static String text(WriteResult.Rejection rejection) {
      String field = rejection.field() == null ? "" : "#" + rejection.field();
      String time = rejection.time() == null ? "" : " at " + rejection.time();
      return rejection.key() + field + time + ": " + rejection.refusal().message();
    }

    private void refuse(String reason) {
      refused++;
      note(reason);
    }

    private void note(String reason) {
      if (reasons.size() < REASONS_MAX) {
        reasons.add(reason);
      }
    }

    private void write(JsonGenerator json) {
      json.writeStartObject();
      json.writeNumberProperty("accepted", accepted);
      json.writeNumberProperty("refused", refused);
      json.writeNumberProperty("coerced", coerced);
      json.writeName("reasons");
      json.writeStartArray();
      reasons.forEach(json::writeString);
      json.writeEndArray();
      json.writeEndObject();
    }
  }
}
