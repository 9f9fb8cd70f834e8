package dev.varve.layout.declared;

import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.store.FamilySpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The canonical text of a declaration. It contains everything that affects the bytes or where they
 * are stored, and nothing else: declarations that differ only in wording have the same identity.
 */
final class DeclaredIdentity {
  private DeclaredIdentity() {}

  static LayoutIdentity of(Declaration declaration, List<FamilyColumns> families) {
    Map<String, String> parameters = new TreeMap<>();
    parameters.put("table", declaration.table());
    parameters.put("resolution", declaration.resolution().symbol());
    parameters.put(
        "key", declaration.key().stream().map(KeyElement::text).collect(Collectors.joining(", ")));
    parameters.put("partition", Integer.toString(declaration.partition()));
    for (FamilyColumns family : families) {
      parameters.put(
          "family." + family.index, family(declaration.families().get(family.index), family));
    }
    AttributesDeclaration attributes = declaration.attributes();
    if (attributes != null) {
      parameters.put(
          "attributes",
          "%s: time %s; versions %s"
              .formatted(
                  attributes.family(), attributes.time().text(), versions(attributes.versions())));
    }
    parameters.put("codec.value", Integer.toString(ValueCodec.VERSION));
    if (families.stream().anyMatch(family -> family.form == ValueForm.ALL)) {
      parameters.put("codec.packed", Integer.toString(PackedCodec.VERSION));
    }
    if (declaration.key().stream()
        .anyMatch(element -> element.role() == KeyElement.Role.COMPUTED)) {
      parameters.put("codec.hash", Integer.toString(KeyHash.VERSION));
    }
    return new LayoutIdentity(declaration.name(), parameters);
  }

  private static String family(FamilyDeclaration declaration, FamilyColumns family) {
    String fields =
        declaration.fields().isEmpty()
            ? "all others"
            : declaration.fields().stream().sorted().collect(Collectors.joining(", "));
    String qualifier =
        declaration.qualifier().stream()
            .map(element ->
                element instanceof QualifierElement.Offset offset
                    ? new QualifierElement.Offset(family.qualifier.offsetBytes(), offset.unit())
                        .text()
                    : element.text())
            .collect(Collectors.joining(", "));
    return "%s: fields %s; qualifier %s; time %s; value %s; versions %s"
        .formatted(
            declaration.name(),
            fields,
            qualifier,
            declaration.time().text(),
            declaration.value().text(),
            versions(declaration.versions()));
  }

  private static String versions(int versions) {
    return versions == FamilySpec.ALL_VERSIONS ? "all" : Integer.toString(versions);
  }
}
