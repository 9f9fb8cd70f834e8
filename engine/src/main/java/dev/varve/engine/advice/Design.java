package dev.varve.engine.advice;

import dev.varve.layout.declared.BucketWidth;
import dev.varve.layout.declared.CellTime;
import dev.varve.layout.declared.Declaration;
import dev.varve.layout.declared.DeclarationBuilder;
import dev.varve.layout.declared.FamilyDeclaration;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import dev.varve.layout.declared.KeyElement;
import dev.varve.layout.declared.KeyElement.Label;
import dev.varve.layout.declared.QualifierElement;
import dev.varve.layout.declared.TextForm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a declaration that the advisor varies: the order of the row key's parts, and the form
 * of its time.
 *
 * @param leading tags with a part of their own, which follow the metric, in their order
 * @param place the position of the time
 * @param width of the bucket; null if each row is an instant
 * @param descending whether the newest rows come first
 * @param salts number of salts in front; 0 for none
 */
record Design(
    List<String> leading, Place place, @Nullable BucketWidth width, boolean descending, int salts) {
  Design {
    leading = List.copyOf(leading);
  }

  /** The position of the time in the row key. */
  enum Place {
    /** Before the metric. */
    FRONT,
    /** After the metric and the leading tags. */
    MIDDLE,
    /** After all parts of the series. */
    END
  }

  /** Returns the design of a declaration, as far as it is one. */
  static Design of(Declaration declaration) {
    List<String> leading = new ArrayList<>();
    Place place = Place.END;
    BucketWidth width = null;
    boolean descending = false;
    int salts = 0;
    boolean metric = false;
    boolean time = false;
    for (KeyElement element : declaration.key()) {
      switch (element) {
        case KeyElement.Metric _ -> metric = true;
        case KeyElement.Salt salt -> salts = salt.buckets();
        case KeyElement.Bucket bucket -> {
          place = metric ? place : Place.FRONT;
          width = bucket.width();
          descending = bucket.descending();
          time = true;
        }
        case KeyElement.Time instant -> {
          place = metric ? place : Place.FRONT;
          width = time ? width : null;
          descending = instant.descending();
          time = true;
        }
        case KeyElement.Tag tag -> {
          place = atSeries(place, time);
          leading.add(tag.tag());
        }
        case KeyElement.AllTags _, KeyElement.AllResource _, KeyElement.Resource _ ->
            place = atSeries(place, time);
        case KeyElement.Literal _, KeyElement.Hash _, KeyElement.Sequence _ -> {
          // They stay as they are.
        }
      }
    }
    return new Design(leading, place, width, descending, salts);
  }

  private static Place atSeries(Place place, boolean time) {
    return time && place == Place.END ? Place.MIDDLE : place;
  }

  Design with(List<String> otherLeading, Place otherPlace) {
    return new Design(otherLeading, otherPlace, width, descending, salts);
  }

  Design with(@Nullable BucketWidth otherWidth, boolean newestFirst) {
    return new Design(leading, place, otherWidth, newestFirst, salts);
  }

  Design withSalts(int count) {
    return new Design(leading, place, width, descending, count);
  }

  /** Returns in how many respects two designs differ. */
  int differences(Design other) {
    int count = leading.equals(other.leading) ? 0 : 1;
    count += place == other.place ? 0 : 1;
    count += Objects.equals(width, other.width) ? 0 : 1;
    count += descending == other.descending ? 0 : 1;
    return count + (salts == other.salts ? 0 : 1);
  }

  /** Returns the declaration of the design: another one with the key and the time changed. */
  Declaration of(Declaration base, String name) {
    DeclarationBuilder builder =
        Declaration.named(name)
            .about(base.about())
            .table(name)
            .resolution(base.resolution())
            .allow(
                base.allow().stream()
                    .filter(rule -> !rule.equals("time-leads-key"))
                    .toArray(String[]::new))
            .key(key(base).toArray(KeyElement[]::new));
    if (base.retention() != null) {
      builder.retention(base.retention());
    }
    if (base.attributes() != null) {
      builder.attributes(base.attributes());
    }
    for (FamilyDeclaration family : base.families()) {
      builder.family(
          family.name(),
          shape ->
              shape
                  .fields(family.fields().toArray(String[]::new))
                  .qualifier(qualifier(family).toArray(QualifierElement[]::new))
                  .time(family.time())
                  .value(family.value())
                  .versions(family.versions()));
    }
    return builder.build();
  }

  private List<KeyElement> key(Declaration base) {
    Map<String, TextForm> forms = new HashMap<>();
    List<KeyElement> rest = new ArrayList<>();
    List<KeyElement> key = new ArrayList<>();
    KeyElement metric = new KeyElement.Metric(TextForm.PLAIN);
    List<KeyElement> last = new ArrayList<>();
    boolean allTags = base.key().stream().anyMatch(KeyElement.AllTags.class::isInstance);
    for (KeyElement element : base.key()) {
      switch (element) {
        case KeyElement.Literal literal -> key.add(literal);
        case KeyElement.Metric one -> metric = one;
        case KeyElement.Tag tag -> {
          forms.put(tag.tag(), tag.form());
          if (!allTags && !leading.contains(tag.tag())) {
            rest.add(tag);
          }
        }
        case KeyElement.AllTags _, KeyElement.AllResource _, KeyElement.Resource _ ->
            rest.add(element);
        case KeyElement.Sequence sequence -> last.add(sequence);
        case KeyElement.Salt _, KeyElement.Hash _, KeyElement.Bucket _, KeyElement.Time _ -> {
          // The design has its own.
        }
      }
    }
    KeyElement time =
        width == null
            ? new KeyElement.Time(descending)
            : new KeyElement.Bucket(width, Label.START, descending);
    if (salts > 0) {
      key.add(new KeyElement.Salt(salts, List.of()));
    }
    if (place == Place.FRONT) {
      key.add(time);
    }
    key.add(metric);
    leading.forEach(
        tag -> key.add(new KeyElement.Tag(tag, forms.getOrDefault(tag, TextForm.PLAIN))));
    if (place == Place.MIDDLE) {
      key.add(time);
    }
    key.addAll(rest);
    if (place == Place.END) {
      key.add(time);
    }
    key.addAll(last);
    return key;
  }

  /** Returns the qualifier of a family with an offset if, and only if, the key has a bucket. */
  private List<QualifierElement> qualifier(FamilyDeclaration family) {
    List<QualifierElement> parts = new ArrayList<>();
    boolean offset = width != null && family.time() instanceof CellTime.Server;
    boolean has = family.qualifier().stream().anyMatch(QualifierElement.Offset.class::isInstance);
    if (offset && !has) {
      parts.add(new QualifierElement.Offset(0, null));
    }
    for (QualifierElement part : family.qualifier()) {
      if (!(part instanceof QualifierElement.Offset old)) {
        parts.add(part);
      } else if (offset) {
        parts.add(new QualifierElement.Offset(0, old.unit()));
      }
    }
    if (parts.isEmpty()) {
      boolean packed = family.value() == ValueForm.ALL;
      parts.add(packed ? new QualifierElement.Fixed("e") : new QualifierElement.Field());
    }
    return parts;
  }
}
