package dev.varve.server.heroic;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.formats.json.Json;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.HeroicJson;
import dev.varve.server.heroic.metadata.MetadataAnswers;
import dev.varve.server.heroic.metadata.SeriesDelete;
import dev.varve.server.heroic.metadata.SuggestAnswers;
import dev.varve.server.heroic.query.QueryAnswers;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.ingest.Intake;
import dev.varve.server.ingest.ResourceTags;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Heroic's HTTP API as a dialect. */
public final class Heroic implements Dialect {
  public static final String NAME = "heroic";

  private final DialectContext context;
  private final List<Route> routes = new ArrayList<>();

  public Heroic(DialectContext context) {
    this.context = context;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Its paths, such as {@code /write} and {@code /status}, are too general to share a port. */
  @Override
  public boolean sharesRoot() {
    return false;
  }

  @Override
  public Router.Mount mount() {
    routes.clear();
    StatusAnswers status = new StatusAnswers(context);
    QueryAnswers queries = new QueryAnswers(context, NAME);
    MetadataAnswers metadata = new MetadataAnswers(context, NAME);
    SuggestAnswers suggest = new SuggestAnswers(metadata);
    add("POST", "/write", Load.WRITE, Right.WRITE, this::write);
    add("POST", "/query/metrics", Load.QUERY, Right.READ, queries::metrics);
    add("POST", "/metrics", Load.QUERY, Right.READ, queries::metrics);
    add("POST", "/query/batch", Load.QUERY, Right.READ, queries::batch);
    add("POST", "/metadata/tags", Load.QUERY, Right.READ, metadata::tags);
    add("POST", "/tags", Load.QUERY, Right.READ, metadata::tags);
    add("POST", "/metadata/keys", Load.QUERY, Right.READ, metadata::keys);
    add("POST", "/keys", Load.QUERY, Right.READ, metadata::keys);
    add("POST", "/metadata/series", Load.QUERY, Right.READ, metadata::series);
    refuse("PUT", "/metadata/series", MetadataAnswers::noAdding);
    SeriesDelete deletes = new SeriesDelete(context, NAME);
    add("DELETE", "/metadata/series", Load.WRITE, Right.DELETE, deletes::delete);
    add("POST", "/metadata/series-count", Load.QUERY, Right.READ, metadata::seriesCount);
    add("POST", "/metadata/tagkey-count", Load.QUERY, Right.READ, metadata::tagKeyCount);
    add("POST", "/metadata/key-suggest", Load.QUERY, Right.READ, suggest::keys);
    add("POST", "/metadata/tag-suggest", Load.QUERY, Right.READ, suggest::tags);
    add("POST", "/metadata/tag-value-suggest", Load.QUERY, Right.READ, suggest::tagValue);
    add("POST", "/metadata/tag-values-suggest", Load.QUERY, Right.READ, suggest::tagValues);
    add("GET", "/parser/parse-filter", Load.NONE, Right.LOGIN, status::parseFilter);
    add("POST", "/parser/parse-filter", Load.READ, Right.READ, status::parseFilter);
    add("GET", "/status", Load.NONE, Right.LOGIN, status::status);
    add("GET", "/cluster/status", Load.NONE, Right.LOGIN, status::cluster);
    add("GET", "/backends", Load.NONE, Right.LOGIN, status::backends);
    add("GET", "/", Load.NONE, Right.LOGIN, status::service);
    return new Router.Mount(NAME, true, routes, Heroic::error);
  }

  private void add(String method, String path, Load load, Right right, HttpHandler handler) {
    HttpHandler answering =
        exchange -> {
          try {
            handler.handle(exchange);
          } catch (HeroicError e) {
            exchange.answer(e.status(), HeroicJson.TYPE, e.body());
          }
        };
    routes.add(new Route(method, path, load, right, answering));
  }

  private void refuse(String method, String path, Supplier<HeroicError> error) {
    add(
        method,
        path,
        Load.NONE,
        Right.LOGIN,
        exchange -> {
          throw error.get();
        });
  }

  private static ErrorFormat.Body error(int status, String message) {
    return new ErrorFormat.Body(HeroicJson.TYPE, HeroicError.body(status, message));
  }

  private void write(Exchange exchange) throws IOException {
    long start = System.nanoTime();
    Dataset dataset = context.dataset(exchange);
    Intake intake = context.intake(exchange, dataset, NAME);
    WriteReader reader =
        new WriteReader(
            intake, dataset.resolution(), new ResourceTags(dataset.config().resources()));
    try (InputStream body = exchange.body()) {
      reader.read(body);
    } catch (HeroicError e) {
      intake.report(Intake.SYNTAX, 1, () -> String.valueOf(e.getMessage()));
      throw e;
    }
    if (intake.refused() > 0) {
      throw HeroicError.of(refusal(intake));
    }
    long nanos = System.nanoTime() - start;
    String answer =
        Json.object(json -> {
          json.writeArrayPropertyStart("times");
          json.writeNumber(nanos);
          json.writeEndArray();
        });
    exchange.answer(200, HeroicJson.TYPE, answer);
  }

  private static String refusal(Intake intake) {
    Rejection first = intake.rejections().getFirst();
    return "%,d of %,d points were refused and the others stored; the first, of %s: %s"
        .formatted(
            intake.refused(),
            intake.refused() + intake.accepted(),
            first.key(),
            first.refusal().message());
  }
}
