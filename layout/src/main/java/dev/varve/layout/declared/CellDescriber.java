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
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Reads a cell part by part for people. It is decoded first, so that nothing damaged is shown. */
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
      throw new DamagedCellException("family %d is none of the table".formatted(cell.family()));
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
    int at = 0;
    for (int i = 0; i < family.parts.length; i++) {
      boolean last = i == family.parts.length - 1;
      int from = at;
      switch (family.parts[i]) {
        case OFFSET -> {
          at += family.offsetBytes;
          long steps = OrderedNumber.unsigned(bytes, from, family.offsetBytes);
          String text =
              steps
                  + (family.offsetUnit == 1 ? " " : " x " + family.offsetUnit + " ")
                  + layout.resolution().symbol();
          parts.add(part("qualifier", "offset", text, from, at));
        }
        case FIELD -> {
          int end = last ? bytes.length : OrderedText.endOfField(bytes, from, bytes.length);
          at = last ? end : end + 2;
          parts.add(part("qualifier", "field", OrderedText.readField(bytes, from, end), from, at));
        }
        case SEQUENCE -> {
          at += OrderedNumber.LENGTH;
          String text =
              Instants.show(OrderedNumber.read(bytes, from, false), Resolution.MICROSECONDS);
          parts.add(part("qualifier", "sequence", text, from, at));
        }
        case FIXED -> {
          at += family.fixed.length();
          parts.add(part("qualifier", "fixed", family.fixed.toUtf8(), from, at));
        }
        case VALUE -> {
          int end = SampleDecoder.endOfValue(bytes, from, bytes.length, last);
          at = !last && ValueCodec.isText(bytes, from, bytes.length) ? end + 2 : end;
          parts.add(part("qualifier", "value", firstValue(decoded), from, at));
        }
      }
    }
  }

  /** The one value of a cell that is not packed. */
  private static String firstValue(RowSamples decoded) {
    return decoded.vectors().stream()
        .filter(vector -> !vector.samples().isEmpty())
        .map(vector -> ValueCodec.show(vector.samples().value(0)))
        .findFirst()
        .orElseThrow();
  }

  private static void packed(byte[] value, List<CellDescription.Part> parts) {
    parts.add(part("value", "codec version", Integer.toString(value[0]), 0, 1));
    int at = 1;
    while (at < value.length) {
      int from = at;
      int name = PackedCodec.varintAt(value, at, value.length);
      int nameFrom = at + PackedCodec.varintLength(name);
      int length = PackedCodec.varintAt(value, nameFrom + name, value.length);
      int valueFrom = nameFrom + name + PackedCodec.varintLength(length);
      at = valueFrom + length;
      Value read = ValueCodec.read(value, valueFrom, at);
      String field = dev.varve.model.Bytes.copyOf(value, nameFrom, name).toUtf8();
      String text = read == null ? "of a kind to come" : ValueCodec.show(read);
      parts.add(part("value", field, text, from, at));
    }
  }

  private static CellDescription.Part part(
      String coordinate, String label, String text, int from, int to) {
    return new CellDescription.Part(coordinate, label, text, from, to);
  }
}
