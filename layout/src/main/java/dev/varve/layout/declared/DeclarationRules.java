package dev.varve.layout.declared;

import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.model.Resolution;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a declaration must keep to make a layout; collects all faults. */
final class DeclarationRules {
  private static final String NAME = "[A-Za-z0-9_.-]{1,100}";

  private final Declaration declaration;
  private final List<Fault> faults = new ArrayList<>();

  private DeclarationRules(Declaration declaration) {
    this.declaration = declaration;
  }

  /** All faults, in the order of the declaration; empty where it makes a layout. */
  static List<Fault> check(Declaration declaration) {
    DeclarationRules rules = new DeclarationRules(declaration);
    rules.names();
    rules.key();
    rules.families();
    rules.attributes();
    return rules.faults;
  }

  /** How many ticks the bucket that offsets count from has at most; 0 where there is none. */
  static long bucketTicks(Declaration declaration) {
    return lastTime(declaration) instanceof KeyElement.Bucket bucket
        ? Bucketing.of(bucket.width(), declaration.resolution()).ticksMax()
        : 0;
  }

  /** The last part of the key that carries time, or null. */
  static @Nullable KeyElement lastTime(Declaration declaration) {
    KeyElement last = null;
    for (KeyElement element : declaration.key()) {
      if (isTime(element)) {
        last = element;
      }
    }
    return last;
  }

  private void fault(String path, String message) {
    faults.add(new Fault(path, message));
  }

  private void names() {
    if (!declaration.name().matches(NAME)) {
      fault("layout", "'%s' is not 1 to 100 of a-z A-Z 0-9 _ . -".formatted(declaration.name()));
    }
    if (!declaration.table().matches(NAME)) {
      fault("table", "'%s' is not 1 to 100 of a-z A-Z 0-9 _ . -".formatted(declaration.table()));
    }
    if (declaration.retention() != null && !declaration.retention().isPositive()) {
      fault("retention", "it must be longer than nothing");
    }
    int parts = declaration.key().size();
    if (declaration.partition() < 0 || declaration.partition() > parts) {
      fault(
          "partition",
          "the key has %d parts, the partition cannot take %d of them"
              .formatted(parts, declaration.partition()));
    }
  }

  private void key() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < declaration.key().size(); i++) {
      KeyElement element = declaration.key().get(i);
      String path = "key[" + i + "]";
      boolean mayRepeat =
          element instanceof KeyElement.Literal || element instanceof KeyElement.Bucket;
      if (!seen.add(element.name()) && !mayRepeat) {
        fault(path, "%s stands in the key twice".formatted(element.name()));
      }
      part(path, i, element);
    }
    if (!seen.contains("metric")) {
      fault("key", "it has no part 'metric'");
    }
    nesting();
  }

  private void part(String path, int index, KeyElement element) {
    switch (element) {
      case KeyElement.Metric metric -> form(path, metric.form());
      case KeyElement.Tag tag -> {
        form(path, tag.form());
        text(path, tag.tag());
      }
      case KeyElement.Resource resource -> {
        form(path, resource.form());
        text(path, resource.identifier());
      }
      case KeyElement.Literal literal -> {
        if (literal.bytes().isEmpty()) {
          fault(path, "a literal needs a text");
        }
        text(path, literal.bytes());
      }
      case KeyElement.Bucket bucket -> bucket(path, bucket);
      case KeyElement.Salt salt -> {
        if (salt.buckets() < 2 || salt.buckets() > 65_536) {
          faults.add(
              new Fault(
                  path, "a salt has 2 to 65536 buckets, not " + salt.buckets(), "salt-count"));
        }
        covers(path, index, salt.of(), true);
      }
      case KeyElement.Hash hash -> {
        if (hash.bytes() < 1 || hash.bytes() > 8) {
          fault(path, "a hash has 1 to 8 bytes, not %d".formatted(hash.bytes()));
        }
        covers(path, index, hash.of(), false);
      }
      case KeyElement.AllTags t -> {}
      case KeyElement.AllResource r -> {}
      case KeyElement.Time t -> {}
      case KeyElement.Sequence s -> {}
    }
  }

  private void text(String path, String text) {
    if (Utf8.unpaired(text) >= 0) {
      fault(path, "'%s' holds half of a surrogate pair".formatted(text));
    }
  }

  private void form(String path, TextForm form) {
    if (form.width() < 0 || form.width() > DeclaredLayout.ROW_KEY_MAX) {
      fault(
          path,
          "a fixed width is 1 to %d bytes, not %d"
              .formatted(DeclaredLayout.ROW_KEY_MAX, form.width()));
    }
    if (form.transform() instanceof TextTransform.ZeroPad(int digits)
        && (digits < 1 || digits > 1000)) {
      fault(path, "numbers are filled up to 1 to 1000 digits, not %d".formatted(digits));
    }
  }

  private void bucket(String path, KeyElement.Bucket bucket) {
    if (bucket.width() instanceof BucketWidth.Fixed(var length)
        && Ticks.of(length, declaration.resolution()).isEmpty()) {
      fault(
          path,
          "%s is no whole number of %s, the layout's resolution"
              .formatted(TimeText.of(length), declaration.resolution().symbol()));
    }
    switch (bucket.label()) {
      case START -> {}
      case TEXT -> {
        if (bucket.width() instanceof BucketWidth.Fixed) {
          fault(path, "only day, week, month and year have names; use label: start");
        }
        if (bucket.descending()) {
          fault(path, "names rise with time; use label: start for falling order");
        }
      }
      case NUMBER ->
          faults.add(
              new Fault(
                  path,
                  "the number of a %s comes back every year, so that rows of different years would"
                          .formatted(bucket.width().text())
                      + " be one; use label: text, which has the year, or label: start",
                  "bucket-label"));
    }
  }

  private void covers(String path, int index, List<String> of, boolean time) {
    List<KeyElement> behind = declaration.key().subList(index + 1, declaration.key().size());
    for (String name : of) {
      boolean known =
          behind.stream()
              .anyMatch(element ->
                  element.name().equals(name) && (isOfKey(element) || (time && isTime(element))));
      if (!known) {
        fault(
            path,
            "'%s' is no part behind it that says something of the series%s"
                .formatted(name, time ? " or its time" : ""));
      }
    }
    if (of.isEmpty() && behind.stream().noneMatch(DeclarationRules::isOfKey)) {
      fault(path, "no part of a series' key stands behind it, it would be the same everywhere");
    }
  }

  private static boolean isTime(KeyElement element) {
    return element instanceof KeyElement.Bucket || element instanceof KeyElement.Time;
  }

  static boolean isOfKey(KeyElement element) {
    return element instanceof KeyElement.Metric
        || element instanceof KeyElement.Tag
        || element instanceof KeyElement.AllTags
        || element instanceof KeyElement.Resource
        || element instanceof KeyElement.AllResource;
  }

  /** Of several times in a key each must divide the one before. */
  private void nesting() {
    KeyElement coarser = null;
    for (int i = 0; i < declaration.key().size(); i++) {
      KeyElement element = declaration.key().get(i);
      if (isTime(element)) {
        if (coarser != null && !divides(coarser, element)) {
          fault(
              "key[" + i + "]", "%s does not divide %s".formatted(element.text(), coarser.text()));
        }
        coarser = element;
      }
    }
  }

  private static boolean divides(KeyElement coarser, KeyElement finer) {
    if (!(coarser instanceof KeyElement.Bucket outer)) {
      return false;
    }
    if (!(finer instanceof KeyElement.Bucket inner)) {
      return true;
    }
    return switch (outer.width()) {
      case BucketWidth.Fixed(var whole) ->
          inner.width() instanceof BucketWidth.Fixed(var piece)
              && whole.compareTo(piece) > 0
              && whole.toNanos() % piece.toNanos() == 0;
      case BucketWidth.Calendar(var unit) ->
          switch (inner.width()) {
            case BucketWidth.Fixed(var piece) ->
                java.time.Duration.ofDays(1).toNanos() % piece.toNanos() == 0;
            case BucketWidth.Calendar(var smaller) ->
                smaller != BucketWidth.CalendarUnit.WEEK && smaller.compareTo(unit) < 0;
          };
    };
  }

  private void families() {
    if (declaration.families().isEmpty()) {
      fault("families", "a layout needs at least one");
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
          fault(path + ".fields", "field '%s' lives in two families".formatted(field));
        }
      }
      rest += family.fields().isEmpty() ? 1 : 0;
      clocks += family.time() instanceof CellTime.Server ? 1 : 0;
      qualifier(path, family);
      time(path, family);
      if (family.versions() < 1) {
        fault(path + ".versions", "at least 1 is kept, not %d".formatted(family.versions()));
      }
    }
    if (rest > 1) {
      fault("families", "%d of them name no fields, at most one can take the rest".formatted(rest));
    }
    if (clocks > 0 && clocks < declaration.families().size()) {
      fault("families", "cell times are the server's in some and the events' in others");
    }
  }

  private void familyName(String path, String name, Set<String> names) {
    if (!name.matches("[!-~]{1,64}")) {
      fault(path, "'%s' is not 1 to 64 characters of printable ASCII".formatted(name));
    }
    if (!names.add(name)) {
      fault(path, "there are two families of that name");
    }
  }

  private void qualifier(String familyPath, FamilyDeclaration family) {
    String path = familyPath + ".qualifier";
    if (family.qualifier().isEmpty()) {
      fault(path, "a qualifier needs at least one part");
    }
    Set<Class<?>> seen = new HashSet<>();
    for (QualifierElement element : family.qualifier()) {
      if (!seen.add(element.getClass())) {
        fault(path, "%s stands in it twice".formatted(element.text()));
      }
      if (element instanceof QualifierElement.Offset offset) {
        offset(path, offset);
      }
      if (element instanceof QualifierElement.Fixed(String bytes)) {
        text(path, bytes);
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
          fault(path, "the value stands in it already: say value: empty");
        }
      }
      case EMPTY -> {
        if (!value) {
          fault(path, "the value has no place: add 'value'");
        }
      }
      case ALL -> {
        if (value || field) {
          fault(path, "it cannot name a field or value where one cell holds all fields");
        }
      }
    }
    if (family.value() != ValueForm.ALL && !field && family.fields().size() > 1) {
      fault(
          path,
          "%d fields live here, nothing tells them apart: add 'field'"
              .formatted(family.fields().size()));
    }
    boolean sequenceInKey =
        declaration.key().stream().anyMatch(KeyElement.Sequence.class::isInstance);
    if (sequenceInKey && family.has(QualifierElement.Sequence.class)) {
      fault(path, "the key has a sequence already");
    }
    if (family.time() instanceof CellTime.Shifted(long millis)) {
      shift(familyPath + ".time", millis, declaration.resolution());
    }
  }

  private void offset(String path, QualifierElement.Offset offset) {
    KeyElement last = lastTime(declaration);
    if (!(last instanceof KeyElement.Bucket bucket)) {
      fault(
          path,
          last == null
              ? "an offset needs a bucket in the key to count from"
              : "the key carries the instant itself, an offset would say it again");
      return;
    }
    Resolution resolution = declaration.resolution();
    if (offset.unit() != null && Ticks.of(offset.unit(), resolution).isEmpty()) {
      fault(
          path,
          "%s is no whole number of %s, the layout's resolution"
              .formatted(TimeText.of(offset.unit()), resolution.symbol()));
      return;
    }
    if (offset.bytes() < 0 || offset.bytes() > 8) {
      fault(path, "an offset has 1 to 8 bytes, not %d".formatted(offset.bytes()));
      return;
    }
    boolean measurable =
        !(bucket.width() instanceof BucketWidth.Fixed(var length))
            || Ticks.of(length, resolution).isPresent();
    if (measurable && offset.bytes() > 0) {
      long unit = FamilyColumns.unitTicks(offset, resolution);
      long ticks = bucketTicks(declaration);
      int needed = FamilyColumns.bytesFor(ticks, unit);
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
      fault(path, "a shift is a number of milliseconds above 0, not %d".formatted(millis));
      return;
    }
    long perMilli = Math.max(1, unit.perSecond() / 1000);
    if (millis > Long.MAX_VALUE / 2 / perMilli) {
      faults.add(
          new Fault(
              path,
              "a shift of %d ms does not fit into half of 64 bits of %s, at most %d ms does"
                  .formatted(millis, unit.symbol(), Long.MAX_VALUE / 2 / perMilli),
              "shift-overflow"));
    }
  }

  private void time(String path, FamilyDeclaration family) {
    boolean instant = lastTime(declaration) instanceof KeyElement.Time;
    boolean offset = family.has(QualifierElement.Offset.class);
    boolean event = !(family.time() instanceof CellTime.Server);
    if (!instant && !offset && !event) {
      fault(
          path,
          "nothing says the time of a sample: give the key a 'time', the qualifier an 'offset',"
              + " or the cells 'time: event'");
    }
    if (offset && event) {
      fault(path, "offset and cell time would both say the time of a sample: keep one");
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
                isOfKey(element)
                    || element instanceof KeyElement.Literal
                    || element instanceof KeyElement.Salt
                    || element instanceof KeyElement.Hash);
    if (!rowForEver) {
      fault(
          "attributes",
          "they belong to a series for all its time, but rows of this key end with a bucket, an"
              + " instant or a sample");
    }
    Set<String> names = new HashSet<>();
    declaration.families().forEach(family -> names.add(family.name()));
    familyName("attributes.family", attributes.family(), names);
    if (attributes.versions() < 1) {
      fault("attributes.versions", "at least 1 is kept, not %d".formatted(attributes.versions()));
    }
    switch (attributes.time()) {
      case CellTime.Server s -> {}
      case CellTime.Event e ->
          fault("attributes.time", "it is server or shifted: attributes are no events");
      case CellTime.Shifted(long millis) ->
          shift("attributes.time", millis, declaration.resolution());
    }
  }
}
