package dev.varve.server.varve;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Resolution;
import dev.varve.query.QueryPlan;
import dev.varve.query.SelectorSyntaxException;
import dev.varve.server.FuzzIntake;
import dev.varve.server.http.Form;
import dev.varve.server.http.FuzzExchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Fuzzes forms of queries of Varve's own API. A query must not change if its times are replaced by
 * numbers. It must be answered and explained in JSON, as must PromQL, or rejected.
 */
public final class QueryParametersFuzz {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
  private static final JsonFactory JSON = new JsonFactory();
  private static final List<HttpHandler> QUESTIONS =
      new VarveApi(FuzzIntake.context())
          .mount().routes().stream()
              .filter(route -> route.method().equals("POST"))
              .filter(route -> List.of("/v1/query", "/v1/explain").contains(route.path()))
              .map(route -> route.handler())
              .toList();

  private QueryParametersFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Map<String, String> form;
    try {
      form = Form.read(new FuzzExchange(input, Map.of(), Map.of()));
    } catch (HttpError e) {
      ensureBadRequest(e);
      return;
    }
    ensureSame(form);
    FuzzIntake.write();
    for (HttpHandler question : QUESTIONS) {
      FuzzExchange exchange = new FuzzExchange(input, Map.of(), Map.of());
      try {
        question.handle(exchange);
      } catch (HttpError e) {
        ensureBadRequest(e);
        continue;
      } catch (QueryRefusedException e) {
        continue;
      }
      ensureJson(exchange.answered());
    }
  }

  private static void ensureBadRequest(HttpError error) {
    if (error.status() != 400 && error.status() != 413 && error.status() != 422) {
      throw error;
    }
  }

  private static void ensureSame(Map<String, String> form) {
    QueryPlan plan;
    try {
      plan = plan(form);
    } catch (SelectorSyntaxException | IllegalArgumentException e) {
      if (e.getMessage() == null || e.getMessage().isEmpty()) {
        throw new AssertionError("refused without a reason", e);
      }
      return;
    }
    Map<String, String> numbers = new HashMap<>(form);
    numbers.put("from", time(form, "from", "1h", Resolution.MILLISECONDS));
    numbers.put("to", time(form, "to", "now", Resolution.MILLISECONDS));
    if (form.containsKey("asof")) {
      numbers.put("asof", time(form, "asof", "now", Resolution.MICROSECONDS));
    }
    if (!plan(numbers).equals(plan)) {
      throw new AssertionError("%s is another query than %s".formatted(numbers, form));
    }
  }

  private static QueryPlan plan(Map<String, String> form) {
    return new QueryParameters(form).plan(Resolution.MILLISECONDS, NOW);
  }

  private static String time(
      Map<String, String> form, String name, String otherwise, Resolution resolution) {
    return Long.toString(
        QueryParameters.time(name, form.getOrDefault(name, otherwise), resolution, NOW));
  }

  private static void ensureJson(byte[] answered) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), answered)) {
      while (json.nextToken() != null) {
        json.skipChildren();
      }
    }
  }
}
