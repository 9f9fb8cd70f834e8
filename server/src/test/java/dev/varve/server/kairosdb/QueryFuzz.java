package dev.varve.server.kairosdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Resolution;
import dev.varve.server.FuzzIntake;
import dev.varve.server.http.FuzzExchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.HttpHandler;
import dev.varve.server.http.WriteBudget;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Fuzzes KairosDB's queries. A query must be the same after its JSON is printed and read again, and
 * its answer must have an element for every metric.
 */
public final class QueryFuzz {
  private static final QueryReader READER =
      new QueryReader(
          Clock.fixed(Instant.ofEpochSecond(1_800_000_000), ZoneOffset.UTC),
          Resolution.MILLISECONDS);

  private static final HttpHandler QUERY =
      new KairosDb(FuzzIntake.context())
          .mount().routes().stream()
              .filter(route -> route.path().endsWith("/query") && route.method().equals("POST"))
              .findFirst()
              .orElseThrow()
              .handler();

  private QueryFuzz() {}

  /** Escapes unpaired surrogates, which JSON can represent but UTF-8 cannot. */
  private static final JsonFactory ESCAPING =
      JsonTree.FACTORY.rebuild().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Object json;
    QueryRequest request;
    try {
      json = JsonTree.read(input, WriteBudget.unlimited());
      request = READER.read(json);
    } catch (JacksonException | HttpError e) {
      return;
    }
    if (!READER
        .read(JsonTree.read(printed(json).getBytes(UTF_8), WriteBudget.unlimited()))
        .equals(request)) {
      throw new AssertionError("printed as another query: " + request);
    }
    FuzzIntake.write();
    FuzzExchange exchange = new FuzzExchange(input, Map.of(), Map.of());
    try {
      QUERY.handle(exchange);
    } catch (QueryRefusedException | HttpError e) {
      return;
    }
    if (!(JsonTree.read(exchange.answered(), WriteBudget.unlimited()) instanceof Map<?, ?> answer
        && answer.get("queries") instanceof List<?> queries
        && queries.size() == request.metrics().size())) {
      throw new AssertionError("answered to " + request);
    }
  }

  private static String printed(@Nullable Object json) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = ESCAPING.createGenerator(ObjectWriteContext.empty(), text)) {
      print(json, out);
    }
    return text.toString();
  }

  private static void print(@Nullable Object json, JsonGenerator out) {
    switch (json) {
      case null -> out.writeNull();
      case Map<?, ?> map -> {
        out.writeStartObject();
        map.forEach((name, value) -> {
          out.writeName(name.toString());
          print(value, out);
        });
        out.writeEndObject();
      }
      case List<?> list -> {
        out.writeStartArray();
        list.forEach(value -> print(value, out));
        out.writeEndArray();
      }
      case JsonTree.Numeral number -> out.writeNumber(number.text());
      case Boolean truth -> out.writeBoolean(truth);
      default -> out.writeString(json.toString());
    }
  }
}
