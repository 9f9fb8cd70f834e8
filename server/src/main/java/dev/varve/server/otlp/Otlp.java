package dev.varve.server.otlp;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult.Rejection;
import dev.varve.formats.json.Json;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.dialect.Dialect;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.ErrorFormat;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import dev.varve.server.http.Router;
import dev.varve.server.ingest.Intake;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * <a href="https://opentelemetry.io/docs/specs/otlp/#otlphttp">OTLP over HTTP</a>, metrics only.
 *
 * <ul>
 *   <li>{@code POST /v1/metrics}: a request in Protocol Buffers or JSON
 *   <li>{@code POST /api/v1/otlp/v1/metrics}: the same, at Prometheus' path
 * </ul>
 *
 * <p>Valid points are written. The answer counts the rejected ones; its status is still 200 so that
 * the sender does not retry.
 */
public final class Otlp implements Dialect {
  public static final String NAME = "otlp";

  private static final String PROTOBUF = "application/x-protobuf";
  private static final String JSON = "application/json";
  private static final int REASONS_SHOWN = 10;

  /** Maximum length of a series in the answer, in characters. */
  private static final int SERIES_SHOWN = 500;

  private final DialectContext context;
  private final CumulativeSums sums =
      new CumulativeSums(CumulativeSums.SERIES_MAX, CumulativeSums.BYTES_MAX);

  /** Creates the dialect. */
  public Otlp(DialectContext context) {
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
            Route.post("/v1/metrics", Load.WRITE, Right.WRITE, this::write),
            Route.post("/api/v1/otlp/v1/metrics", Load.WRITE, Right.WRITE, this::write)),
        new Errors());
  }

  private void write(Exchange exchange) throws IOException {
    boolean json = isJson(exchange.header("Content-Type"));
    Dataset dataset = context.dataset(exchange);
    Intake intake = context.intake(exchange, dataset, NAME);
    Translation translation =
        new Translation(intake, dataset.name(), dataset.holdsStaleMarkers(), sums);
    try (InputStream body = exchange.body()) {
      if (json) {
        new OtlpJson(translation, exchange.memory()).read(body);
      } else {
        new OtlpProtobuf(translation, exchange.memory()).read(body);
      }
    } catch (MalformedMessageException e) {
      translation.write();
      intake.report(Intake.SYNTAX, 1, () -> "the body is not an OTLP request: " + e.getMessage());
      throw HttpError.badRequest("the body is not an OTLP request: " + e.getMessage());
    }
    translation.write();
    try (OutputStream out = exchange.answer(json ? JSON : PROTOBUF)) {
      out.write(answer(json, translation.refused(), message(translation, intake)));
    }
  }

  private static boolean isJson(@Nullable String type) {
    String bare = type == null ? "" : type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
    return switch (bare) {
      case JSON -> true;
      case PROTOBUF, "application/protobuf" -> false;
      default ->
          throw new HttpError(415, "OTLP is %s or %s, not '%s'".formatted(PROTOBUF, JSON, bare));
    };
  }

  private static String message(Translation translation, Intake intake) {
    List<String> reasons = new ArrayList<>(translation.reasons());
    for (Rejection rejection : intake.rejections()) {
      if (reasons.size() < REASONS_SHOWN) {
        String series = rejection.key().toString();
        reasons.add(
            (series.length() > SERIES_SHOWN ? series.substring(0, SERIES_SHOWN) : series)
                + ": "
                + rejection.refusal().message());
      }
    }
    return String.join("; ", reasons);
  }

  /*
   *   ExportMetricsServiceResponse { ExportMetricsPartialSuccess partial_success = 1; }
   *   ExportMetricsPartialSuccess { int64 rejected_data_points = 1; string error_message = 2; }
   * Without rejections there is no partial_success. A message without a number is a warning.
   */
  private static byte[] answer(boolean json, long refused, String message) {
    boolean well = refused == 0 && message.isEmpty();
    if (json) {
      String text =
          Json.object(out -> {
            if (!well) {
              out.writeObjectPropertyStart("partialSuccess");
              out.writeStringProperty("rejectedDataPoints", Long.toString(refused));
              out.writeStringProperty("errorMessage", message);
              out.writeEndObject();
            }
          });
      return text.getBytes(StandardCharsets.UTF_8);
    }
    WireWriter out = new WireWriter();
    if (!well) {
      out.message(1, new WireWriter().varint(1, refused).text(2, message));
    }
    return out.toBytes();
  }

  /**
   * Writes errors as {@code google.rpc.Status} in the format of the request: {@code int32 code = 1;
   * string message = 2}.
   */
  private static final class Errors implements ErrorFormat {
    @Override
    public Body of(int status, String message) {
      return new Body(
          JSON,
          Json.object(json -> {
            json.writeNumberProperty("code", code(status));
            json.writeStringProperty("message", message);
          }));
    }

    @Override
    public Body of(Exchange exchange, int status, String kind, String message) {
      String type = exchange.header("Content-Type");
      if (type == null || !type.toLowerCase(Locale.ROOT).startsWith(PROTOBUF)) {
        return of(status, message);
      }
      return new Body(
          PROTOBUF, new WireWriter().varint(1, code(status)).text(2, message).toBytes());
    }

    /** Returns the gRPC code equivalent to an HTTP status. */
    private static int code(int status) {
      return switch (status) {
        case 401 -> 16;
        case 403 -> 7;
        case 404 -> 5;
        case 405 -> 12;
        case 408, 504 -> 4;
        case 413, 429 -> 8;
        case 502, 503 -> 14;
        default -> status < 500 ? 3 : 13;
      };
    }
  }
}
