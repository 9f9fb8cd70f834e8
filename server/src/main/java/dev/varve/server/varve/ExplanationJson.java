package dev.varve.server.varve;

import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.layout.CellDescription;
import dev.varve.layout.plan.Plan;
import dev.varve.model.Bytes;
import dev.varve.model.Recurring;
import dev.varve.query.PlanExplanation;
import dev.varve.query.PlanTree;
import dev.varve.store.ReadCost;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes explanations as JSON. Counts that are not known are written as {@code "unknown"}. */
public final class ExplanationJson {
  private ExplanationJson() {}

  /** Writes the plan of a query: its operators and scans. */
  public static void write(PlanExplanation explanation, JsonGenerator json) {
    json.writeStartObject();
    json.writeName("plan");
    write(explanation.plan(), json);
    json.writeName("scans");
    json.writeStartArray();
    explanation.scans().forEach(scan -> write(scan, json));
    json.writeEndArray();
    texts("notes", explanation.notes(), json);
    if (explanation.nanos() > 0) {
      json.writeNumberProperty("microseconds", explanation.nanos() / 1000);
    }
    json.writeEndObject();
  }

  private static void write(PlanTree plan, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("operator", plan.operator());
    if (!plan.detail().isEmpty()) {
      json.writeStringProperty("detail", plan.detail());
    }
    Integer scan = plan.scan();
    if (scan != null) {
      json.writeNumberProperty("scan", scan);
    }
    PlanTree.Figures actual = plan.actual();
    if (actual != null) {
      json.writeNumberProperty("rows", actual.rows());
      json.writeNumberProperty("values", actual.values());
      json.writeNumberProperty("microseconds", actual.nanos() / 1000);
    }
    json.writeName("inputs");
    json.writeStartArray();
    plan.inputs().forEach(input -> write(input, json));
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(PlanExplanation.ScanExplanation scan, JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("number", scan.number());
    json.writeStringProperty("selector", scan.selector());
    json.writeNumberProperty("from", scan.from());
    json.writeNumberProperty("to", scan.to());
    json.writeStringProperty("labels", scan.labels());
    Recurring recurring = scan.recurring();
    if (recurring != null) {
      json.writeName("recurring");
      json.writeStartObject();
      json.writeNumberProperty("step", recurring.step());
      json.writeNumberProperty("width", recurring.width());
      json.writeEndObject();
    }
    QueryExplanation read = scan.read();
    json.writeNumberProperty("seriesMatched", read == null ? 0 : read.seriesMatched());
    json.writeName("reads");
    json.writeStartArray();
    if (read != null) {
      read.reads().forEach(one -> write(one, json));
    }
    json.writeEndArray();
    PlanExplanation.Actual actual = scan.actual();
    if (actual != null) {
      json.writeName("actual");
      json.writeStartObject();
      json.writeNumberProperty("series", actual.series());
      json.writeNumberProperty("samples", actual.samples());
      cost(actual.cost(), json);
      json.writeNumberProperty("readMicroseconds", actual.readNanos() / 1000);
      json.writeNumberProperty("workMicroseconds", actual.workNanos() / 1000);
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  private static void write(QueryExplanation.PeriodRead read, JsonGenerator json) {
    Plan.Estimate estimate = read.plan().estimate();
    json.writeStartObject();
    json.writeStringProperty("layout", read.layout());
    json.writeNumberProperty("from", read.times().from());
    json.writeNumberProperty("to", read.times().to());
    json.writeNumberProperty("partitions", estimate.partitions());
    json.writeNumberProperty("slices", estimate.slices());
    write("rows", estimate.rows(), json);
    write("rowsWanted", estimate.rowsWanted(), json);
    write("cells", estimate.cells(), json);
    texts("filters", read.filters(), json);
    texts("notes", read.plan().notes(), json);
    texts("lost", read.lost(), json);
    json.writeName("alternatives");
    json.writeStartArray();
    for (Plan.Alternative alternative : read.plan().alternatives()) {
      json.writeStartObject();
      json.writeStringProperty("name", alternative.name());
      json.writeStringProperty(
          "cost",
          Double.isFinite(alternative.cost()) ? "%.0f".formatted(alternative.cost()) : "closed");
      json.writeStringProperty("reason", alternative.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeName("ranges");
    json.writeStartArray();
    read.slices().forEach(slice -> write(slice, json));
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(QueryExplanation.ShownSlice slice, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("table", slice.table());
    json.writeStringProperty("partition", slice.partition());
    json.writeStringProperty("from", slice.from());
    json.writeStringProperty("to", slice.to());
    json.writeStringProperty("fromHex", slice.fromHex());
    json.writeStringProperty("toHex", slice.toHex());
    json.writeEndObject();
  }

  private static void cost(ReadCost cost, JsonGenerator json) {
    json.writeNumberProperty("rowsRead", cost.rows());
    json.writeNumberProperty("cellsRead", cost.cellsRead());
    json.writeNumberProperty("cellsReturned", cost.cellsReturned());
    json.writeNumberProperty("bytesRead", cost.bytesRead());
    json.writeNumberProperty("bytesReturned", cost.bytesReturned());
    json.writeNumberProperty("requests", cost.requests());
  }

  private static void write(String name, OptionalLong count, JsonGenerator json) {
    if (count.isPresent()) {
      json.writeNumberProperty(name, count.getAsLong());
    } else {
      json.writeStringProperty(name, "unknown");
    }
  }

  private static void texts(String name, List<String> texts, JsonGenerator json) {
    json.writeName(name);
    json.writeStartArray();
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  /** Writes the cells that points are encoded as, as an array. */
  public static void write(List<PointExplanation> cells, JsonGenerator json) {
    json.writeStartArray();
    cells.forEach(cell -> write(cell, json));
    json.writeEndArray();
  }

  private static void write(PointExplanation cell, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("layout", cell.layout());
    json.writeStringProperty("table", cell.table());
    json.writeStringProperty("family", cell.family());
    json.writeStringProperty("summary", cell.description().summary());
    json.writeBooleanProperty("index", cell.index());
    json.writeStringProperty("row", cell.row().hex());
    json.writeStringProperty("qualifier", cell.qualifier().hex());
    json.writeNumberProperty("time", cell.time());
    json.writeStringProperty("value", cell.value().hex());
    json.writeName("parts");
    json.writeStartArray();
    for (CellDescription.Part part : cell.description().parts()) {
      json.writeStartObject();
      json.writeStringProperty("coordinate", part.coordinate());
      json.writeStringProperty("label", part.label());
      json.writeStringProperty("text", part.text());
      json.writeNumberProperty("from", part.from());
      json.writeNumberProperty("to", part.to());
      json.writeStringProperty("hex", hex(coordinate(cell, part.coordinate()), part));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static @Nullable Bytes coordinate(PointExplanation cell, String name) {
    return switch (name) {
      case "row" -> cell.row();
      case "qualifier" -> cell.qualifier();
      case "value" -> cell.value();
      default -> null;
    };
  }

  private static String hex(@Nullable Bytes bytes, CellDescription.Part part) {
    return bytes == null ? "" : bytes.slice(part.from(), part.to()).hex();
  }
}
