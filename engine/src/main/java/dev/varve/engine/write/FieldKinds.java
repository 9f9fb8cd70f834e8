package dev.varve.engine.write;

import dev.varve.model.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Fields, each with one or more kinds of samples. Immutable. */
final class FieldKinds {
  static final FieldKinds NONE = new FieldKinds(new Field[0], Map.of());

  /** Up to this number of fields, comparing them one by one is faster than a hash lookup. */
  private static final int FEW = 8;

  private final Field[] fields;

  /** An index of {@link #fields} if there are more than {@link #FEW}; otherwise empty. */
  private final Map<String, Set<Kind>> byName;

  /** A field and one kind of its samples. */
  record Field(String name, Kind kind) {}

  private FieldKinds(Field[] fields, Map<String, Set<Kind>> byName) {
    this.fields = fields;
    this.byName = byName;
  }

  /** Returns these fields and others, which must not be contained yet. */
  FieldKinds with(List<Field> others) {
    if (others.isEmpty()) {
      return this;
    }
    Field[] all = Arrays.copyOf(fields, fields.length + others.size());
    for (int i = 0; i < others.size(); i++) {
      all[fields.length + i] = others.get(i);
    }
    return new FieldKinds(all, all.length <= FEW ? Map.of() : byName(all));
  }

  private static Map<String, Set<Kind>> byName(Field[] fields) {
    Map<String, Set<Kind>> byName = HashMap.newHashMap(fields.length);
    for (Field field : fields) {
      byName.merge(field.name(), Set.of(field.kind()), FieldKinds::union);
    }
    return byName;
  }

  private static Set<Kind> union(Set<Kind> some, Set<Kind> others) {
    Set<Kind> all = new HashSet<>(some);
    all.addAll(others);
    return Set.copyOf(all);
  }

  boolean has(String field, Kind kind) {
    if (fields.length > FEW) {
      return byName.getOrDefault(field, Set.of()).contains(kind);
    }
    for (Field one : fields) {
      if (one.kind() == kind && one.name().equals(field)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a field was the last one to be added with that kind. */
  boolean isLast(String field, Kind kind) {
    return fields.length > 0 && fields[fields.length - 1].equals(new Field(field, kind));
  }

  /** Returns whether a field is contained, with any kind. */
  boolean has(String field) {
    if (fields.length > FEW) {
      return byName.containsKey(field);
    }
    for (Field one : fields) {
      if (one.name().equals(field)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the number of distinct fields. */
  int size() {
    if (fields.length > FEW) {
      return byName.size();
    }
    int size = 0;
    for (int i = 0; i < fields.length; i++) {
      String name = fields[i].name();
      size += Arrays.stream(fields, 0, i).noneMatch(one -> one.name().equals(name)) ? 1 : 0;
    }
    return size;
  }
}
