package dev.varve.layout.declared;

import dev.varve.layout.CellDescription;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.RowSamples;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * Describes cells for people, part by part. It decodes a cell first, so that nothing damaged is
 * shown.
 */
final class CellDescriber {
  private final DeclaredLayout layout;
  private final KeyPlan keys;

  CellDescriber(DeclaredLayout layout, KeyPlan keys) {
    this.layout = layout;
    this.keys = keys;
  }

  CellDescription describe(Cell cell) {
    RowSamples decoded = decode(cell);
    byte[] row = cell.row().toArray();
    KeyOutput key = new KeyOutput();
    keys.shape().decode(row, 0, row.length, key);
    List<CellDescription.Part> parts = new ArrayList<>(keys.shape().describe(cell.row()));
    String family = layout.tables().getFirst().families().get(cell.family()).name();
    parts.add(new CellDescription.Part("family", "family", family, 0, family.length()));
    if (cell.family() == layout.attributesFamily()) {
      attribute(cell, parts);
    } else {
      sample(cell, decoded, parts);
    }
    return new CellDescription(key.key() + summary(decoded), parts);
  }

  private RowSamples decode(Cell cell) {
    CellBatch batch = new CellBatch();
    batch.add(cell);
    RowSamples decoded = new RowSamples();
    if (cell.family() < 0 || cell.family() >= layout.tables().getFirst().families().size()) {
      throw new DamagedCellException("family %d is not in the table".formatted(cell.family()));
    }
    layout.decode(batch, 0, 1, decoded);
    if (!decoded.damages().isEmpty()) {
      throw new DamagedCellException(decoded.damages().getFirst().reason());
    }
    return decoded;
  }

  private String summary(RowSamples decoded) {
    StringJoiner summary = new StringJoiner(", ");
    for (RowSamples.Vector vector : decoded.vectors()) {
      Samples samples = vector.samples();
      for (int i = 0; i < samples.size(); i++) {
        summary.add(
            " %s = %s at %s"
                .formatted(
                    vector.field(),
                    ValueCodec.show(samples.value(i)),
                    Instants.show(samples.time(i), layout.resolution())));
      }
    }
    for (RowSamples.Found found : decoded.attributes()) {
      summary.add(" attribute %s = %s".formatted(found.name(), ValueCodec.show(found.value())));
    }
    return summary.toString();
  }

  private void attribute(Cell cell, List<CellDescription.Part> parts) {
    byte[] qualifier = cell.qualifier().toArray();
    byte[] value = cell.value().toArray();
    AttributeColumns attributes = layout.attributes();
    String name = attributes.show(qualifier, layout.resolution());
    Value read = ValueCodec.read(value, 0, value.length);
    if (name == null || read == null) {
      throw new IllegalStateException("a cell that decodes has a name and a value");
    }
    parts.add(part("qualifier", "attribute", name, 0, qualifier.length));
    parts.add(
        part(
            "time",
            attributes.shift() == 0 ? "accepted" : "accepted, moved by " + attributes.shift(),
            Instants.show(cell.time() - attributes.shift(), layout.tables().getFirst().timeUnit()),
            0,
            0));
    parts.add(part("value", "value", ValueCodec.show(read), 0, value.length));
  }

  private void sample(Cell cell, RowSamples decoded, List<CellDescription.Part> parts) {
    FamilyColumns family = layout.family(cell.family());
    qualifier(cell, decoded, family, parts);
    Resolution unit = layout.tables().getFirst().timeUnit();
    String meaning =
        !family.eventTime
            ? "accepted"
            : family.shift == 0 ? "event time" : "event time, moved by " + family.shift;
    parts.add(part("time", meaning, Instants.show(cell.time() - family.shift, unit), 0, 0));
    byte[] value = cell.value().toArray();
    switch (family.form) {
      case ONE -> parts.add(part("value", "value", firstValue(decoded), 0, value.length));
      case EMPTY -> parts.add(part("value", "empty", "", 0, 0));
      case ALL -> packed(value, parts);
    }
  }

  private void qualifier(
      Cell cell, RowSamples decoded, FamilyColumns family, List<CellDescription.Part> parts) {
    byte[] bytes = cell.qualifier().toArray();
    Qualifier qualifier = family.qualifier;
    for (int i = 0; i < qualifier.size(); i++) {
      Qualifier.Part part = qualifier.part(i);
      int from = qualifier.start(part, bytes, 0, bytes.length);
      int end = qualifier.end(part, bytes, from, bytes.length);
      int next =
          qualifier.isLast(i)
              ? bytes.length
              : qualifier.start(qualifier.part(i + 1), bytes, 0, bytes.length);
      String text =
          switch (part) {
            case OFFSET -> offset(bytes, from, qualifier);
            case FIELD -> OrderedText.readField(bytes, from, end);
            case SEQUENCE ->
                Instants.show(OrderedNumber.read(bytes, from, false), Resolution.MICROSECONDS);
            case FIXED -> qualifier.fixed().toUtf8();
            case VALUE -> firstValue(decoded);
          };
      parts.add(part("qualifier", part.name().toLowerCase(Locale.ROOT), text, from, next));
    }
  }

  private String offset(byte[] bytes, int from, Qualifier qualifier) {
    long steps = OrderedNumber.unsigned(bytes, from, qualifier.offsetBytes());
    return steps
        + (qualifier.offsetUnit() == 1 ? " " : " x " + qualifier.offsetUnit() + " ")
        + layout.resolution().symbol();
  }

  /** Returns the value of a cell that is not packed. */
  private static String firstValue(RowSamples decoded) {
    return decoded.vectors().stream()
        .filter(vector -> !vector.samples().isEmpty())
        .map(vector -> ValueCodec.show(vector.samples().value(0)))
        .findFirst()
        .orElseThrow();
  }

  private static void packed(byte[] value, List<CellDescription.Part> parts) {
    parts.add(part("value", "codec version", Integer.toString(value[0]), 0, 1));
    int to = value.length;
    int at = 1;
    while (at < to) {
      int from = at;
      int nameFrom = PackedCodec.nameFrom(value, at, to);
      int nameTo = PackedCodec.nameTo(value, at, to);
      int valueFrom = PackedCodec.valueFrom(value, nameTo, to);
      at = PackedCodec.valueTo(value, nameTo, to);
      Value read = ValueCodec.read(value, valueFrom, at);
      String field = new String(value, nameFrom, nameTo - nameFrom, StandardCharsets.UTF_8);
      String text = read == null ? "of an unknown kind" : ValueCodec.show(read);
      parts.add(part("value", field, text, from, at));
    }
  }

  private static CellDescription.Part part(
      String coordinate, String label, String text, int from, int to) {
    return new CellDescription.Part(coordinate, label, text, from, to);
  }
}
