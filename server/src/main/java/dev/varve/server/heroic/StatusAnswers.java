package dev.varve.server.heroic;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.filter.FilterJson;
import dev.varve.server.heroic.json.HeroicJson;
import dev.varve.server.heroic.language.Language;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import tools.jackson.core.JsonGenerator;

/** Answers about the server itself, and about the language. */
final class StatusAnswers {
  private final DialectContext context;

  StatusAnswers(DialectContext context) {
    this.context = context;
  }

  /** Answers the name and version of the service. */
  void service(Exchange exchange) {
    HeroicJson.answer(exchange, this::service);
  }

  private void service(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", "Varve");
    json.writeStringProperty("version", context.version());
    json.writeStringProperty("id", "varve");
    json.writeStringProperty("commit", "");
    json.writeEndObject();
  }

  /** Answers whether the dataset can be read: 200 if so, else 503. */
  void status(Exchange exchange) {
    boolean reads = reads();
    exchange.status(reads ? 200 : 503);
    HeroicJson.object(
        exchange,
        json -> {
          json.writeName("service");
          service(json);
          json.writeBooleanProperty("ok", reads);
          json.writeObjectPropertyStart("consumers");
          json.writeBooleanProperty("ok", true);
          for (String count :
              new String[] {"available", "ready", "errors", "consumingThreads", "totalThreads"}) {
            json.writeNumberProperty(count, 0);
          }
          json.writeEndObject();
          backend("backends", reads, json);
          backend("metadataBackend", reads, json);
          json.writeObjectPropertyStart("cluster");
          json.writeBooleanProperty("ok", reads);
          json.writeNumberProperty("onlineNodes", reads ? 1 : 0);
          json.writeNumberProperty("offlineNodes", reads ? 0 : 1);
          json.writeEndObject();
        });
  }

  private static void backend(String name, boolean ready, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    json.writeBooleanProperty("ok", ready);
    json.writeNumberProperty("available", 1);
    json.writeNumberProperty("ready", ready ? 1 : 0);
    json.writeEndObject();
  }

  private boolean reads() {
    try (Stream<String> names = context.defaultDataset().catalog().metrics("")) {
      return names.limit(1).count() <= 1;
    } catch (QueryRefusedException | StoreException | HttpError e) {
      return false;
    }
  }

  /** Answers the cluster, which is this server. */
  void cluster(Exchange exchange) {
    HeroicJson.object(
        exchange,
        json -> {
          json.writeArrayPropertyStart("nodes");
          json.writeEndArray();
          json.writeObjectPropertyStart("statistics");
          json.writeNumberProperty("onlineNodes", 1);
          json.writeNumberProperty("offlineNodes", 0);
          json.writeEndObject();
        });
  }

  /** Answers the datasets, in the form of Heroic's backends. */
  void backends(Exchange exchange) {
    HeroicJson.object(
        exchange,
        json -> {
          json.writeArrayPropertyStart("data");
          context.datasets(exchange).forEach(json::writeString);
          json.writeEndArray();
        });
  }

  /** Answers a filter of the language, normalised, as JSON. */
  void parseFilter(Exchange exchange) throws IOException {
    boolean posted = exchange.method().equals("POST");
    String text =
        posted
            ? new String(exchange.wholeBody(), StandardCharsets.UTF_8)
            : exchange.parameter("filter");
    if (text == null) {
      throw HeroicError.of("the parameter 'filter' is missing");
    }
    Filter filter = Language.filter(text);
    HeroicJson.answer(exchange, json -> FilterJson.write(filter, json));
  }
}
