package dev.varve.server.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.engine.NamedTexts;
import dev.varve.engine.ServiceTexts;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The metadata service: texts under a service, a service key and a key. */
final class MetadataRoutes {
  private static final String TEXT = "text/plain;charset=utf-8";

  private final DialectContext context;

  MetadataRoutes(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    String service = "/api/v1/metadata/*";
    String key = service + "/*/*";
    List<Route> routes =
        List.of(
            Route.get(service, Load.QUERY, Right.READ, open(this::serviceKeys)),
            Route.get(service + "/*", Load.QUERY, Right.READ, open(this::keys)),
            Route.get(key, Load.READ, Right.READ, open(this::value)),
            Route.post(key, Load.WRITE, Right.WRITE, open(this::set)),
            new Route("DELETE", key, Load.WRITE, Right.DELETE, open(this::delete)));
    // Such texts belong to a dataset, not to series.
    return routes.stream().map(Route::ofAllSeries).toList();
  }

  /** Hides services whose names begin with an underscore, which belong to the server. */
  private static HttpHandler open(HttpHandler handler) {
    return exchange -> {
      if (exchange.variables().getFirst().startsWith("_")) {
        Answers.empty(exchange, 401);
        return;
      }
      try {
        handler.handle(exchange);
      } catch (IllegalArgumentException e) {
        throw HttpError.badRequest(String.valueOf(e.getMessage()));
      }
    };
  }

  private NamedTexts texts(Exchange exchange) {
    return context.dataset(exchange).originals().clientTexts();
  }

  private void serviceKeys(Exchange exchange) throws IOException {
    NamedTexts texts = texts(exchange);
    String service = exchange.variables().getFirst();
    context.query(
        exchange,
        context.dataset(exchange),
        KairosDb.NAME,
        "metadata " + service,
        use ->
            Answers.stream(
                exchange, json -> Answers.results(json, texts.serviceKeys(service, use))));
  }

  private void keys(Exchange exchange) throws IOException {
    NamedTexts texts = texts(exchange);
    String service = exchange.variables().getFirst();
    String serviceKey = exchange.variables().get(1);
    @Nullable String start = exchange.parameter("startsWith");
    context.query(
        exchange,
        context.dataset(exchange),
        KairosDb.NAME,
        "metadata " + service + " " + serviceKey,
        use -> {
          List<ServiceTexts.Text> found =
              texts.texts(service, serviceKey, start == null ? "" : start, use);
          Answers.stream(
              exchange,
              json -> Answers.results(json, found.stream().map(ServiceTexts.Text::key).toList()));
        });
  }

  private void value(Exchange exchange) throws IOException {
    List<String> name = exchange.variables();
    ServiceTexts.Text found = texts(exchange).get(name.get(0), name.get(1), name.get(2));
    String accept = exchange.header("Accept");
    String type = accept != null && accept.startsWith("text/plain") ? TEXT : Answers.JSON;
    if (found != null) {
      exchange.memory().hold(3L * found.text().length());
      exchange.answer(200, type, found.text());
    } else {
      String error = Answers.errors(List.of("Key not found"));
      exchange.answer(404, type, type.equals(TEXT) ? "" : error);
    }
  }

  private void set(Exchange exchange) throws IOException {
    byte[] body = exchange.wholeBody(Answers.encoding(exchange));
    exchange.memory().hold(3L * body.length);
    String text;
    try {
      text = UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw HttpError.badRequest("the value is not UTF-8");
    }
    List<String> name = exchange.variables();
    texts(exchange).put(name.get(0), name.get(1), name.get(2), text);
    Answers.empty(exchange, 204);
  }

  private void delete(Exchange exchange) {
    List<String> name = exchange.variables();
    texts(exchange).delete(name.get(0), name.get(1), name.get(2));
    Answers.empty(exchange, 204);
  }
}
