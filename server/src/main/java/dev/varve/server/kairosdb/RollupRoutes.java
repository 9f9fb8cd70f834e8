package dev.varve.server.kairosdb;

import dev.varve.engine.Dataset;
import dev.varve.engine.ServiceTexts.Text;
import dev.varve.formats.json.Json;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Caller;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.kairosdb.RollupReader.InvalidTaskException;
import dev.varve.server.kairosdb.RollupStore.DamagedException;
import dev.varve.server.kairosdb.RollupTask.RollupQuery;
import java.io.IOException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tasks that roll up metrics: creates, lists, changes, deletes and repeats them. */
final class RollupRoutes {
  private static final String PATH = "/api/v1/rollups";
  private static final String READS = "read, since the task reads what it rolls up";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd-HH-mm-ss-SSS");

  private final DialectContext context;

  RollupRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    Route backfill =
        Route.get(PATH + "/backfill/*", Load.QUERY, Right.WRITE, named(this::backfill))
            .asking(READS, exchange -> Set.of(Right.READ));
    List<Route> routes =
        List.of(
            Route.post(PATH, Load.WRITE, Right.WRITE, named(this::create))
                .asking(READS, exchange -> Set.of(Right.READ)),
            Route.get(PATH, Load.QUERY, Right.READ, this::list),
            Route.get(PATH + "/*", Load.READ, Right.READ, named(this::get)),
            new Route("PUT", PATH + "/*", Load.WRITE, Right.WRITE, named(this::update))
                .asking(READS, exchange -> Set.of(Right.READ)),
            new Route("DELETE", PATH + "/*", Load.WRITE, Right.DELETE, named(this::delete)),
            Route.get(PATH + "/status/*", Load.READ, Right.READ, named(this::status)),
            backfill.changing());
    // Tasks read and write whatever series they like.
    return routes.stream().map(Route::ofAllSeries).toList();
  }

  private static HttpHandler named(HttpHandler handler) {
    return exchange -> {
      try {
        handler.handle(exchange);
      } catch (InvalidTaskException e) {
        exchange.answer(400, Answers.ERROR_JSON, Answers.errors(e.problems()));
      } catch (UnknownTaskException e) {
        Answers.json(exchange, 404, Answers.errors(List.of(String.valueOf(e.getMessage()))));
      } catch (DamagedException e) {
        throw new HttpError(500, String.valueOf(e.getMessage()));
      } catch (IllegalArgumentException e) {
        throw HttpError.badRequest(String.valueOf(e.getMessage()));
      }
    };
  }

  private RollupStore store(Exchange exchange) {
    return new RollupStore(context.dataset(exchange));
  }

  private RollupReader reader(Exchange exchange) {
    Dataset dataset = context.dataset(exchange);
    return new RollupReader(context.clock(), dataset.resolution(), exchange.memory());
  }

  /** Returns the user with whose rights a task will run, who must be able to read too. */
  private static @Nullable String creator(Exchange exchange) {
    exchange.require(Right.READ);
    Caller caller = exchange.caller();
    return caller.authenticated() ? caller.name() : null;
  }

  private void create(Exchange exchange) throws IOException {
    String creator = creator(exchange);
    RollupStore store = store(exchange);
    byte[] body = body(exchange);
    RollupTask task = reader(exchange).read(UUID.randomUUID().toString(), body);
    if (store.count() >= RollupStore.TASKS_MAX) {
      throw HttpError.badRequest(
          "the dataset has %,d roll-up tasks, as many as it may: delete some"
              .formatted(RollupStore.TASKS_MAX));
    }
    store.put(task, creator, context.clock().millis());
    answer(exchange, task);
  }

  private static byte[] body(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody(Answers.encoding(exchange));
    // The task keeps its text.
    exchange.memory().hold(4L * body.length);
    return body;
  }

  private static void answer(Exchange exchange, RollupTask task) throws IOException {
    Answers.json(
        exchange,
        200,
        Json.object(json -> {
          json.writeStringProperty("id", task.id());
          json.writeStringProperty("name", task.name());
          json.writeObjectPropertyStart("attributes");
          json.writeStringProperty("url", PATH + "/" + task.id());
          json.writeEndObject();
        }));
  }

  private void list(Exchange exchange) throws IOException {
    RollupStore store = store(exchange);
    context.query(
        exchange,
        context.dataset(exchange),
        KairosDb.NAME,
        "rollups",
        use -> {
          List<Text> tasks = store.tasks(use);
          use.held(tasks.stream().mapToLong(task -> 3L * task.text().length()).sum(), "roll-ups");
          String all = String.join(",", tasks.stream().map(Text::text).toList());
          Answers.json(exchange, 200, "[" + all + "]");
        });
  }

  private static String id(Exchange exchange) {
    return exchange.variables().getFirst();
  }

  /** Thrown if there is no task of an ID. KairosDB's answer has a content type of its own. */
  private static final class UnknownTaskException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private UnknownTaskException(String what, String id) {
      super(what + " not found for id " + id);
    }
  }

  private void get(Exchange exchange) throws IOException {
    String id = id(exchange);
    String task = task(exchange, id);
    exchange.memory().hold(3L * task.length());
    Answers.json(exchange, 200, task);
  }

  private String task(Exchange exchange, String id) {
    String task = store(exchange).task(id);
    if (task == null) {
      throw new UnknownTaskException("Resource", id);
    }
    return task;
  }

  private void update(Exchange exchange) throws IOException {
    String creator = creator(exchange);
    String id = id(exchange);
    byte[] body = body(exchange);
    if (body.length == 0) {
      throw new HttpError(500, "the body is empty; it should be a roll-up task");
    }
    String before = task(exchange, id);
    RollupTask task = reader(exchange).read(id, body);
    RollupStore store = store(exchange);
    // A task without a creator runs with the rights of the user who stores it again.
    boolean isTaken = creator != null && store.creator(id) == null;
    if (isTaken || !task.json().equals(before) || store.isDamaged(id)) {
      store.put(task, creator, context.clock().millis());
    }
    answer(exchange, task);
  }

  private void delete(Exchange exchange) {
    String id = id(exchange);
    task(exchange, id);
    store(exchange).delete(id);
    Answers.empty(exchange, 204);
  }

  private void status(Exchange exchange) throws IOException {
    String id = id(exchange);
    String shown = store(exchange).shown(id);
    if (shown == null) {
      throw new UnknownTaskException("Status", id);
    }
    exchange.memory().hold(3L * shown.length());
    Answers.json(exchange, 200, shown);
  }

  private void backfill(Exchange exchange) throws IOException {
    exchange.require(Right.READ);
    String id = id(exchange);
    String start = exchange.parameter("startTime");
    if (start == null || start.isEmpty()) {
      throw new HttpError(500, "startTime must be specified");
    }
    long first = time(start);
    String end = exchange.parameter("endTime");
    long last = end == null ? context.clock().millis() : time(end);
    RollupTask task = reader(exchange).read(id, task(exchange, id));
    Dataset dataset = context.dataset(exchange);
    RollupWork work =
        new RollupWork(
            dataset,
            (text, run) ->
                context.query(exchange, dataset, KairosDb.NAME, "back-fill, " + text, run::accept),
            context.ingest(),
            context.clock());
    for (RollupQuery query : task.queries()) {
      work.run(task.name(), query, first, last, () -> {});
    }
    Answers.empty(exchange, 204);
  }

  private static long time(@Nullable String text) {
    try {
      return LocalDateTime.parse(String.valueOf(text), TIME)
          .toInstant(ZoneOffset.UTC)
          .toEpochMilli();
    } catch (DateTimeParseException e) {
      throw new HttpError(
          500, "Unparseable date: \"%s\"; write yyyy-MM-dd-HH-mm-ss-SSS in UTC".formatted(text));
    }
  }
}
