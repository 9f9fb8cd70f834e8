package dev.varve.server.varve;

import dev.varve.engine.cells.CellPreview;
import dev.varve.engine.cells.CellPreview.NamedLayout;
import dev.varve.formats.json.JsonLines;
import dev.varve.formats.points.PointFormatException;
import dev.varve.formats.points.PointReader;
import dev.varve.model.BatchBuilder;
import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.Function;
import dev.varve.query.promql.ValueType;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.http.Exchange;
import dev.varve.server.http.Form;
import dev.varve.server.http.HttpError;
import dev.varve.server.http.Right;
import dev.varve.server.http.Route;
import dev.varve.server.http.Route.Load;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import tools.jackson.core.JsonGenerator;

/**
 * Routes of the console beyond the APIs of others. None of them reads or changes a store.
 *
 * <ul>
 *   <li>{@code POST /varve/v1/cells}: takes {@code layout}, a name or a declaration in YAML, {@code
 *       points}, lines in the point form, and {@code param.NAME} for parameters of the layout.
 *       Answers the cells that the layout makes of the points, the parts of its row keys, what
 *       guardrails find in it, and why points were refused. Cell times that a server would choose
 *       count from 1
 *   <li>{@code GET /varve/v1/layouts}: the layouts that can be named
 *   <li>{@link Estimates}: what a layout makes of a day of samples
 *   <li>{@code GET /varve/v1/datasets}: the datasets that the caller may use, and the default one,
 *       null if the caller may not use that
 *   <li>{@code GET /varve/v1/promql}: functions and aggregations of PromQL
 * </ul>
 */
final class Cells {
  /** Maximum points of one request. */
  static final int POINTS_MAX = 100;

  /** Maximum characters of a layout's declaration. */
  static final int LAYOUT_MAX = 16 << 10;

  /** Maximum characters of all points of one request. */
  static final int TEXT_MAX = 64 << 10;

  /** Maximum characters of a parameter, and of its name. */
  private static final int PARAMETER_MAX = 1 << 10;

  private static final int PARAMETERS_MAX = 64;

  /**
   * Memory of a character of points in all tables of all layouts and in the answer, in bytes. A
   * character may lie in an index for each of 16 tags, and an answer writes it twice in
   * hexadecimal.
   */
  private static final long MEMORY_PER_CHARACTER = 64;

  private static final String JSON = "application/json; charset=utf-8";
  private static final String PARAMETER = "param.";
  private static final int REASONS_MAX = 100;

  private final DialectContext context;

  Cells(DialectContext context) {
    this.context = context;
  }

  List<Route> routes() {
    return List.of(
        Route.post("/v1/cells", Load.READ, Right.LOGIN, Cells::cells),
        Route.get("/v1/layouts", Load.NONE, Right.LOGIN, Cells::layouts),
        Estimates.route(),
        Route.get("/v1/datasets", Load.NONE, Right.LOGIN, this::datasets),
        Route.get("/v1/promql", Load.NONE, Right.LOGIN, Cells::promQl));
  }

  private static void cells(Exchange exchange) throws IOException {
    Map<String, String> form = Form.read(exchange);
    String layout = layout(form);
    String points = form.getOrDefault("points", "");
    requireLength("points", points, TEXT_MAX);
    Map<String, String> parameters = parameters(form);
    exchange.memory().hold(MEMORY_PER_CHARACTER * (points.length() + layout.length()));
    List<String> refused = new ArrayList<>();
    CellPreview preview;
    try {
      preview =
          CellPreview.of(
              layout,
              parameters,
              batch(exchange, points).build(),
              reason -> {
                if (refused.size() < REASONS_MAX) {
                  refused.add(reason);
                }
              });
    } catch (IllegalArgumentException e) {
      throw HttpError.badRequest(String.valueOf(e.getMessage()));
    }
    answer(exchange, json -> write(preview, refused, json));
  }

  /** Returns the name or the declaration of a form's layout. */
  static String layout(Map<String, String> form) {
    String layout = form.getOrDefault("layout", "");
    if (layout.isBlank()) {
      throw HttpError.badRequest("'layout' is missing: a name of /varve/v1/layouts, or YAML");
    }
    requireLength("layout", layout, LAYOUT_MAX);
    return layout;
  }

  static void requireLength(String name, String text, int max) {
    if (text.length() > max) {
      throw new HttpError(
          413,
          "'%s' is longer than %d characters; varve cells takes any length".formatted(name, max));
    }
  }

  /** Returns the parameters of a form's layout, by name. */
  static Map<String, String> parameters(Map<String, String> form) {
    Map<String, String> parameters = new LinkedHashMap<>();
    form.forEach((name, value) -> {
      if (name.startsWith(PARAMETER)) {
        requireLength("the name of a parameter", name, PARAMETER_MAX);
        requireLength(name, value, PARAMETER_MAX);
        parameters.put(name.substring(PARAMETER.length()), value);
      }
    });
    if (parameters.size() > PARAMETERS_MAX) {
      throw new HttpError(
          413, "%d parameters, at most %d".formatted(parameters.size(), PARAMETERS_MAX));
    }
    return parameters;
  }

  /** Reads points in the point form, one a line. */
  static BatchBuilder batch(Exchange exchange, String points) {
    BatchBuilder batch = new BatchBuilder(exchange.memory()::hold);
    int count = 0;
    int number = 0;
    for (String line : (Iterable<String>) points.lines()::iterator) {
      number++;
      if (line.isBlank()) {
        continue;
      }
      if (++count > POINTS_MAX) {
        throw HttpError.badRequest("at most " + POINTS_MAX + " points can be shown at once");
      }
      try {
        PointReader.read(line).addTo(batch);
      } catch (PointFormatException e) {
        throw HttpError.badRequest("line " + number + ": " + e.getMessage());
      }
    }
    return batch;
  }

  private static void write(CellPreview preview, List<String> refused, JsonGenerator json) {
    json.writeStartObject();
    json.writeArrayPropertyStart("rows");
    for (CellPreview.RowPart part : preview.rows()) {
      json.writeStartObject();
      json.writeStringProperty("layout", part.layout());
      json.writeStringProperty("label", part.label());
      json.writeStringProperty("role", part.role());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("findings");
    for (CellPreview.Guarded finding : preview.findings()) {
      json.writeStartObject();
      json.writeStringProperty("layout", finding.layout());
      json.writeStringProperty("rule", finding.rule());
      json.writeStringProperty("severity", finding.severity());
      json.writeStringProperty("message", finding.message());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeName("cells");
    ExplanationJson.write(preview.cells(), json);
    json.writeArrayPropertyStart("refused");
    refused.forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void layouts(Exchange exchange) throws IOException {
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeArrayPropertyStart("layouts");
          CellPreview.layouts().forEach(layout -> write(layout, json));
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void write(NamedLayout layout, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", layout.name());
    json.writeStringProperty("about", layout.about());
    json.writeArrayPropertyStart("parameters");
    for (CellPreview.Parameter parameter : layout.parameters()) {
      json.writeStartObject();
      json.writeStringProperty("name", parameter.name());
      json.writeName("default");
      json.writeString(parameter.byDefault());
      json.writeStringProperty("about", parameter.about());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private void datasets(Exchange exchange) throws IOException {
    List<String> usable = context.datasets(exchange);
    String byDefault =
        exchange.dataset() == null && !usable.isEmpty()
            ? context.defaultDataset().name()
            : context.dataset(exchange).name();
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeName("default");
          // Whoever may use other datasets alone still has to learn which.
          json.writeString(usable.contains(byDefault) ? byDefault : null);
          json.writeArrayPropertyStart("datasets");
          usable.forEach(json::writeString);
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static void promQl(Exchange exchange) throws IOException {
    answer(
        exchange,
        json -> {
          json.writeStartObject();
          json.writeArrayPropertyStart("functions");
          for (Function function : Function.all()) {
            json.writeStartObject();
            json.writeStringProperty("name", function.text());
            json.writeStringProperty("takes", types(function.argumentTypes()));
            json.writeStringProperty("returns", word(function.returnType()));
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeArrayPropertyStart("aggregations");
          for (AggregateOperator operator : AggregateOperator.values()) {
            if (!operator.isExperimental()) {
              json.writeString(operator.text());
            }
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  private static String types(List<ValueType> types) {
    return types.stream().map(Cells::word).collect(Collectors.joining(", "));
  }

  private static String word(ValueType type) {
    return type.name().toLowerCase(Locale.ROOT);
  }

  private static void answer(Exchange exchange, Consumer<JsonGenerator> content)
      throws IOException {
    try (OutputStream out = exchange.answer(JSON);
        JsonGenerator json = JsonLines.generator(out)) {
      content.accept(json);
    }
  }
}
