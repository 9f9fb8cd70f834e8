package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.formats.json.Json;
import dev.varve.server.FuzzIntake;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.FuzzExchange;
import dev.varve.server.http.WriteBudget;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * Fuzzes the JSON of OpenTSDB's {@code POST /api/put}. Points must be the same after they are
 * printed and read again; the answer must count every point and list the failed ones.
 */
public final class PutFuzz {
  private static final Pattern SUMMARY =
      Pattern.compile("\\{\"success\":([0-9]+),\"failed\":([0-9]+),\"errors\":\\[.*]}");

  private static final DialectContext CONTEXT = FuzzIntake.context();

  private PutFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    List<@Nullable DataPoint> points =
        points(Json.FACTORY.createParser(ObjectReadContext.empty(), input));
    if (points != null
        && !points.equals(
            points(Json.FACTORY.createParser(ObjectReadContext.empty(), printed(points))))) {
      throw new AssertionError("printed as other points: " + points);
    }
    FuzzExchange exchange = new FuzzExchange(input, Map.of(), Map.of("details", ""));
    try {
      new Put(CONTEXT, exchange, new PlainPoints(CONTEXT.dataset(exchange))).run();
    } catch (OpenTsdbError e) {
      if (e.status() != 400 || (points != null && !points.isEmpty())) {
        throw e;
      }
      return;
    }
    ensureComplete(new String(exchange.answered(), UTF_8), points);
  }

  private static void ensureComplete(String answer, @Nullable List<@Nullable DataPoint> points) {
    Matcher summary = SUMMARY.matcher(answer);
    if (!summary.matches()
        || points == null
        || Integer.parseInt(summary.group(1)) + Integer.parseInt(summary.group(2))
            != points.size()) {
      throw new AssertionError("answered to " + points + ": " + answer);
    }
    try (JsonParser json = Json.FACTORY.createParser(ObjectReadContext.empty(), answer)) {
      while (json.nextToken() != null) {
        json.getString();
      }
    }
  }

  /** Returns the points; null if the input is invalid. */
  private static @Nullable List<@Nullable DataPoint> points(JsonParser parser) {
    List<@Nullable DataPoint> points = new ArrayList<>();
    try (JsonParser json = parser) {
      JsonToken first = json.nextToken();
      if (first != JsonToken.START_OBJECT && first != JsonToken.START_ARRAY) {
        return null;
      }
      new DataPointReader(json, WriteBudget.unlimited(), PointForm.Kind.PUT)
          .read(first, points::add);
      return points;
    } catch (JacksonException e) {
      return null;
    }
  }

  private static String printed(List<@Nullable DataPoint> points) {
    return Json.text(json -> {
      json.writeStartArray();
      points.forEach(point -> print(point, json));
      json.writeEndArray();
    });
  }

  private static void print(@Nullable DataPoint point, JsonGenerator json) {
    if (point == null) {
      json.writeNull();
    } else {
      point.write(json);
    }
  }
}
