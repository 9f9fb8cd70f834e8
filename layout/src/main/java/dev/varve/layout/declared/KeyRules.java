package dev.varve.layout.declared;

import dev.varve.layout.declared.KeyElement.Role;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validates the row key of a declaration. */
final class KeyRules {
  private final Declaration declaration;
  private final FaultList faults;

  KeyRules(Declaration declaration, FaultList faults) {
    this.declaration = declaration;
    this.faults = faults;
  }

  void check() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < declaration.key().size(); i++) {
      KeyElement element = declaration.key().get(i);
      String path = "key[" + i + "]";
      boolean mayRepeat =
          element instanceof KeyElement.Literal || element instanceof KeyElement.Bucket;
      if (!seen.add(element.name()) && !mayRepeat) {
        faults.add(path, "%s appears twice in the key".formatted(element.name()));
      }
      part(path, i, element);
    }
    if (!seen.contains("metric")) {
      faults.add("key", "the part 'metric' is missing");
    }
    nesting();
  }

  private void part(String path, int index, KeyElement element) {
    switch (element) {
      case KeyElement.Metric metric -> form(path, metric.form());
      case KeyElement.Tag tag -> {
        form(path, tag.form());
        faults.addUnlessEncodable(path, tag.tag());
      }
      case KeyElement.Resource resource -> {
        form(path, resource.form());
        faults.addUnlessEncodable(path, resource.identifier());
      }
      case KeyElement.Literal literal -> {
        if (literal.bytes().isEmpty()) {
          faults.add(path, "a literal needs a text");
        }
        faults.addUnlessEncodable(path, literal.bytes());
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
          faults.add(path, "a hash has 1 to 8 bytes, not %d".formatted(hash.bytes()));
        }
        covers(path, index, hash.of(), false);
      }
      case KeyElement.AllTags t -> {}
      case KeyElement.AllResource r -> {}
      case KeyElement.Time t -> {}
      case KeyElement.Sequence s -> {}
    }
  }

  private void form(String path, TextForm form) {
    if (form.width() < 0 || form.width() > DeclaredLayout.ROW_KEY_MAX) {
      faults.add(
          path,
          "a fixed width is 1 to %d bytes, not %d"
              .formatted(DeclaredLayout.ROW_KEY_MAX, form.width()));
    }
    if (form.transform() instanceof TextTransform.ZeroPad(int digits)
        && (digits < 1 || digits > 1000)) {
      faults.add(path, "zero-pad takes 1 to 1000 digits, not %d".formatted(digits));
    }
  }

  private void bucket(String path, KeyElement.Bucket bucket) {
    if (bucket.width() instanceof BucketWidth.Fixed(var length)
        && Ticks.of(length, declaration.resolution()).isEmpty()) {
      faults.add(
          path,
          "%s is not a whole number of %s, the layout's resolution"
              .formatted(TimeText.of(length), declaration.resolution().symbol()));
    }
    switch (bucket.label()) {
      case START -> {}
      case TEXT -> {
        if (bucket.width() instanceof BucketWidth.Fixed) {
          faults.add(path, "only day, week, month and year have names; use label: start");
        }
        if (bucket.descending()) {
          faults.add(path, "names always ascend; use label: start for descending order");
        }
      }
      case NUMBER ->
          faults.add(
              new Fault(
                  path,
                  "the number of a %s recurs every year, so rows of different years would"
                          .formatted(bucket.width().text())
                      + " collide; use label: text, which includes the year, or label: start",
                  "bucket-label"));
    }
  }

  private void covers(String path, int index, List<String> of, boolean time) {
    List<KeyElement> later = declaration.key().subList(index + 1, declaration.key().size());
    for (String name : of) {
      boolean known =
          later.stream()
              .anyMatch(element ->
                  element.name().equals(name)
                      && (element.role() == Role.SERIES || (time && element.role() == Role.TIME)));
      if (!known) {
        faults.add(
            path,
            "'%s' is not a later part that depends on the series%s"
                .formatted(name, time ? " or its time" : ""));
      }
    }
    if (of.isEmpty() && later.stream().noneMatch(element -> element.role() == Role.SERIES)) {
      faults.add(path, "no later part depends on the series, so the value would be constant");
    }
  }

  /** Checks that each of several times in a key divides the preceding one. */
  private void nesting() {
    KeyElement coarser = null;
    for (int i = 0; i < declaration.key().size(); i++) {
      KeyElement element = declaration.key().get(i);
      if (element.role() == Role.TIME) {
        if (coarser != null && !divides(coarser, element)) {
          faults.add(
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
                Duration.ofDays(1).toNanos() % piece.toNanos() == 0;
            case BucketWidth.Calendar(var smaller) ->
                smaller != BucketWidth.CalendarUnit.WEEK && smaller.compareTo(unit) < 0;
          };
    };
  }
}
