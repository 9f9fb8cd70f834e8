package dev.varve.server.kairosdb;

import dev.varve.formats.json.Json;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.kairosdb.features.Feature;
import dev.varve.server.kairosdb.features.Features;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Describes aggregators and groupings to user interfaces. */
final class FeatureRoutes {
  private FeatureRoutes() {}

  static List<Route> routes() {
    return List.of(
        Route.get("/api/v1/features", Load.NONE, Right.LOGIN, FeatureRoutes::all),
        Route.get("/api/v1/features/*", Load.NONE, Right.LOGIN, FeatureRoutes::one));
  }

  private static void all(Exchange exchange) throws IOException {
    Answers.json(
        exchange,
        200,
        Json.text(json -> {
          json.writeStartArray();
          Features.ALL.forEach(feature -> feature.write(json));
          json.writeEndArray();
        }));
  }

  private static void one(Exchange exchange) throws IOException {
    String name = exchange.variables().getFirst();
    Feature feature = Features.find(name);
    if (feature == null) {
      throw new HttpError(404, "Unknown feature '%s'".formatted(name.toLowerCase(Locale.ROOT)));
    }
    Answers.json(exchange, 200, Json.text(feature::writeProcessors));
  }
}
