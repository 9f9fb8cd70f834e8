package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import java.util.HashSet;
import java.util.Set;

/** Validates the families and attributes of a declaration. */
final class FamilyRules {
  private final Declaration declaration;
  private final FaultList faults;

  FamilyRules(Declaration declaration, FaultList faults) {
    this.declaration = declaration;
    this.faults = faults;
  }

  void check() {
    families();
    attributes();
  }

  private void families() {
    if (declaration.families().isEmpty()) {
      faults.add("families", "a layout needs at least one");
    }
    Set<String> names = new HashSet<>();
    Set<String> fields = new HashSet<>();
    int rest = 0;
    int clocks = 0;
    for (FamilyDeclaration family : declaration.families()) {
      String path = "families." + family.name();
      familyName(path, family.name(), names);
      for (String field : family.fields()) {
        if (!fields.add(field)) {
          faults.add(path + ".fields", "field '%s' lives in two families".formatted(field));
        }
      }
      rest += family.fields().isEmpty() ? 1 : 0;
      clocks += family.time() instanceof CellTime.Server ? 1 : 0;
      qualifier(path, family);
      time(path, family);
      if (family.versions() < 1) {
        faults.add(path + ".versions", "expected at least 1, not %d".formatted(family.versions()));
      }
    }
    if (rest > 1) {
      faults.add(
          "families",
          "%d of them name no fields, but at most one can take the rest".formatted(rest));
    }
    if (clocks > 0 && clocks < declaration.families().size()) {
      faults.add("families", "cell times are the server's in some and the events' in others");
    }
  }

  private void familyName(String path, String name, Set<String> names) {
    if (!name.matches("[!-~]{1,64}")) {
      faults.add(path, "'%s' is not 1 to 64 characters of printable ASCII".formatted(name));
    }
    if (!names.add(name)) {
      faults.add(path, "there are two families of that name");
    }
  }

  private void qualifier(String familyPath, FamilyDeclaration family) {
    String path = familyPath + ".qualifier";
    if (family.qualifier().isEmpty()) {
      faults.add(path, "a qualifier needs at least one part");
    }
    Set<Class<?>> seen = new HashSet<>();
    for (QualifierElement element : family.qualifier()) {
      if (!seen.add(element.getClass())) {
        faults.add(path, "%s appears twice".formatted(element.text()));
      }
      if (element instanceof QualifierElement.Offset offset) {
        offset(path, offset);
      }
      if (element instanceof QualifierElement.Fixed(String bytes)) {
        faults.addUnlessEncodable(path, bytes);
      }
    }
    form(path, familyPath, family);
  }

  private void form(String path, String familyPath, FamilyDeclaration family) {
    boolean value = family.has(QualifierElement.Value.class);
    boolean field = family.has(QualifierElement.Field.class);
    switch (family.value()) {
      case ONE -> {
        if (value) {
          faults.add(path, "it already contains the value: use 'value: empty'");
        }
      }
      case EMPTY -> {
        if (!value) {
          faults.add(path, "it does not contain the value: add 'value'");
        }
      }
      case ALL -> {
        if (value || field) {
          faults.add(path, "it cannot name a field or value if one cell holds all fields");
        }
      }
    }
    if (family.value() != ValueForm.ALL && !field && family.fields().size() > 1) {
      faults.add(
          path, "nothing tells the %d fields apart: add 'field'".formatted(family.fields().size()));
    }
    boolean sequenceInKey =
        declaration.key().stream().anyMatch(KeyElement.Sequence.class::isInstance);
    if (sequenceInKey && family.has(QualifierElement.Sequence.class)) {
      faults.add(path, "the key has a sequence already");
    }
    if (family.time() instanceof CellTime.Shifted(long millis)) {
      shift(familyPath + ".time", millis, declaration.resolution());
    }
  }

  private void offset(String path, QualifierElement.Offset offset) {
    KeyElement last = DeclarationRules.lastTime(declaration);
    if (!(last instanceof KeyElement.Bucket bucket)) {
      faults.add(
          path,
          last == null
              ? "an offset needs a bucket in the key to count from"
              : "the key already contains the instant: remove the offset");
      return;
    }
    Resolution resolution = declaration.resolution();
    if (offset.unit() != null && Ticks.of(offset.unit(), resolution).isEmpty()) {
      faults.add(
          path,
          "%s is not a whole number of %s, the layout's resolution"
              .formatted(TimeText.of(offset.unit()), resolution.symbol()));
      return;
    }
    if (offset.bytes() < 0 || offset.bytes() > 8) {
      faults.add(path, "an offset has 1 to 8 bytes, not %d".formatted(offset.bytes()));
      return;
    }
    boolean measurable =
        !(bucket.width() instanceof BucketWidth.Fixed(var length))
            || Ticks.of(length, resolution).isPresent();
    if (measurable && offset.bytes() > 0) {
      long unit = Qualifier.unitTicks(offset, resolution);
      long ticks = DeclarationRules.bucketTicks(declaration);
      int needed = Qualifier.bytesFor(ticks, unit);
      if (offset.bytes() < needed) {
        faults.add(
            new Fault(
                path,
                "the last offset in a bucket of %s is %d, which %d bytes cannot hold; %d can"
                    .formatted(bucket.width().text(), (ticks - 1) / unit, offset.bytes(), needed),
                "offset-width"));
      }
    }
  }

  private void shift(String path, long millis, Resolution unit) {
    if (millis <= 0) {
      faults.add(path, "a shift must be more than 0 milliseconds, not %d".formatted(millis));
      return;
    }
    long perMilli = Math.max(1, unit.perSecond() / 1000);
    if (millis > Long.MAX_VALUE / 2 / perMilli) {
      faults.add(
          new Fault(
              path,
              "a shift of %d ms exceeds half of the 64-bit range in %s; the maximum is %d ms"
                  .formatted(millis, unit.symbol(), Long.MAX_VALUE / 2 / perMilli),
              "shift-overflow"));
    }
  }

  private void time(String path, FamilyDeclaration family) {
    boolean instant = DeclarationRules.lastTime(declaration) instanceof KeyElement.Time;
    boolean offset = family.has(QualifierElement.Offset.class);
    boolean event = !(family.time() instanceof CellTime.Server);
    if (!instant && !offset && !event) {
      faults.add(
          path,
          "nothing says the time of a sample: give the key a 'time', the qualifier an 'offset',"
              + " or the cells 'time: event'");
    }
    if (offset && event) {
      faults.add(path, "offset and cell time both contain the time of a sample: remove one");
    }
  }

  private void attributes() {
    AttributesDeclaration attributes = declaration.attributes();
    if (attributes == null) {
      return;
    }
    boolean rowForEver =
        declaration.key().stream()
            .allMatch(element ->
                element.role() != KeyElement.Role.TIME
                    && element.role() != KeyElement.Role.SEQUENCE);
    if (!rowForEver) {
      faults.add(
          "attributes",
          "they belong to a series for all its time, but rows of this key end with a bucket, an"
              + " instant or a sample");
    }
    Set<String> names = new HashSet<>();
    declaration.families().forEach(family -> names.add(family.name()));
    familyName("attributes.family", attributes.family(), names);
    if (attributes.versions() < 1) {
      faults.add(
          "attributes.versions", "expected at least 1, not %d".formatted(attributes.versions()));
    }
    switch (attributes.time()) {
      case CellTime.Server s -> {}
      case CellTime.Event e ->
          faults.add("attributes.time", "expected server or shifted: attributes are not events");
      case CellTime.Shifted(long millis) ->
          shift("attributes.time", millis, declaration.resolution());
    }
  }
}
