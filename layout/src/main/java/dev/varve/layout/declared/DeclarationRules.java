package dev.varve.layout.declared;

import java.util.ArrayList;
import java.util.List;
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
    new KeyRules(declaration, rules.faults).check();
    new FamilyRules(declaration, rules.faults).check();
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

  static boolean isOfKey(KeyElement element) {
    return element instanceof KeyElement.Metric
        || element instanceof KeyElement.Tag
        || element instanceof KeyElement.AllTags
        || element instanceof KeyElement.Resource
        || element instanceof KeyElement.AllResource;
  }

  static boolean isTime(KeyElement element) {
    return element instanceof KeyElement.Bucket || element instanceof KeyElement.Time;
  }

  /** Why a text cannot be written, or null. */
  static @Nullable String faultOf(String text) {
    return Utf8.unpaired(text) < 0 ? null : "'%s' holds half of a surrogate pair".formatted(text);
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
}
