package dev.varve.layout.declared;

import dev.varve.layout.Domain;
import dev.varve.layout.KeyPart;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Derives the domain of a declared layout from its parts. Fixed-width texts and texts that must be
 * numbers are more restricted than the alphabet says; a domain cannot express that, so encoding
 * rejects them by name.
 */
final class DeclaredDomain {
  private DeclaredDomain() {}

  static Domain of(Declaration declaration, KeyPlan keys, List<FamilyColumns> families) {
    Set<String> tagNames = tagNames(declaration);
    return new Domain(
        EnumSet.allOf(Kind.class),
        Domain.Numbers.ALL,
        times(keys, families),
        (int) requiredTags(declaration),
        tagNames == null ? Integer.MAX_VALUE : tagNames.size(),
        tagNames,
        !Set.of().equals(resourceNames(declaration)),
        families.stream().anyMatch(family -> family.namesFields),
        Domain.Alphabet.UTF8,
        declaration.attributes() != null,
        families.stream()
            .allMatch(family ->
                keys.oneRowASample()
                    || family.hasSequence
                    || (!family.eventTime && family.spec.maxVersions() > 1)));
  }

  private static TimeRange times(KeyPlan keys, List<FamilyColumns> families) {
    TimeRange times = TimeRange.ALL;
    for (KeyPart part : keys.shape().parts()) {
      if (part instanceof BucketPart bucket) {
        times = times.intersect(new TimeRange(bucket.first(), Long.MAX_VALUE));
      } else if (part instanceof NamedBucketPart named) {
        times = times.intersect(named.times());
      }
    }
    for (FamilyColumns family : families) {
      times = times.intersect(new TimeRange(Long.MIN_VALUE, Long.MAX_VALUE - family.shift));
    }
    return times;
  }

  /**
   * Returns the exact set of tag names that every key must have, or null if the key accepts any.
   */
  private static @Nullable Set<String> tagNames(Declaration declaration) {
    if (declaration.key().stream().anyMatch(KeyElement.AllTags.class::isInstance)) {
      return null;
    }
    return declaration.key().stream()
        .filter(KeyElement.Tag.class::isInstance)
        .map(element -> ((KeyElement.Tag) element).tag())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Like {@link #tagNames}, for resource identifiers. */
  static @Nullable Set<String> resourceNames(Declaration declaration) {
    if (declaration.key().stream().anyMatch(KeyElement.AllResource.class::isInstance)) {
      return null;
    }
    return declaration.key().stream()
        .filter(KeyElement.Resource.class::isInstance)
        .map(element -> ((KeyElement.Resource) element).identifier())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the number of mandatory tags: all named ones, unless a free form makes them optional.
   */
  private static long requiredTags(Declaration declaration) {
    boolean others = tagNames(declaration) == null;
    return declaration.key().stream()
        .filter(
            element -> element instanceof KeyElement.Tag tag && (!others || tag.form().width() > 0))
        .count();
  }
}
