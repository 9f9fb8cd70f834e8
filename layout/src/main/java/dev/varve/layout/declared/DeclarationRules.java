package dev.varve.layout.declared;

import dev.varve.layout.declared.KeyElement.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Validates a declaration and collects all faults. */
final class DeclarationRules {
  private static final String NAME = "[A-Za-z0-9_.-]{1,100}";

  private final Declaration declaration;
  private final FaultList faults = new FaultList();

  private DeclarationRules(Declaration declaration) {
    this.declaration = declaration;
  }

  /** Returns all faults, in declaration order; empty if the declaration is valid. */
  static List<Fault> check(Declaration declaration) {
    DeclarationRules rules = new DeclarationRules(declaration);
    rules.names();
    new KeyRules(declaration, rules.faults).check();
    new FamilyRules(declaration, rules.faults).check();
    return rules.faults.all();
  }

  /**
   * Returns the maximum number of ticks of the bucket that offsets count from, or 0 if there is
   * none.
   */
  static long bucketTicks(Declaration declaration) {
    return lastTime(declaration) instanceof KeyElement.Bucket bucket
        ? Bucketing.of(bucket.width(), declaration.resolution()).ticksMax()
        : 0;
  }

  /** Returns the last key part that carries time, or null. */
  static @Nullable KeyElement lastTime(Declaration declaration) {
    KeyElement last = null;
    for (KeyElement element : declaration.key()) {
      if (element.role() == Role.TIME) {
        last = element;
      }
    }
    return last;
  }

  private void names() {
    if (!declaration.name().matches(NAME)) {
      faults.add(
          "layout", "'%s' is not 1 to 100 of a-z A-Z 0-9 _ . -".formatted(declaration.name()));
    }
    if (!declaration.table().matches(NAME)) {
      faults.add(
          "table", "'%s' is not 1 to 100 of a-z A-Z 0-9 _ . -".formatted(declaration.table()));
    }
    if (declaration.retention() != null && !declaration.retention().isPositive()) {
      faults.add("retention", "expected a positive duration");
    }
    int parts = declaration.key().size();
    if (declaration.partition() < 0 || declaration.partition() > parts) {
      faults.add(
          "partition",
          "the partition cannot have %2$d parts: the key has %1$d"
              .formatted(parts, declaration.partition()));
    }
  }
}
