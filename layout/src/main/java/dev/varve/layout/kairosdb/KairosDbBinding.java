package dev.varve.layout.kairosdb;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.RefusedException;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A key with its encoded parts.
 *
 * @param metricInKey the metric as encoded in row keys
 * @param tagsInKey the tags as encoded in row keys
 * @param metricColumn the metric as a column of the index tables
 * @param tagsColumn the tags as a column of the index tables
 * @param indexedPairs the tag pairs under which the rows are indexed, each as a column
 * @param tagHash the hash of the indexed tags
 */
record KairosDbBinding(
    GroupKey key,
    Bytes metricInKey,
    Bytes tagsInKey,
    Bytes metricColumn,
    Bytes tagsColumn,
    List<Bytes> indexedPairs,
    int tagHash)
    implements Binding {
  /** Maximum size in bytes of a partition key or clustering column in Cassandra. */
  static final int KEY_MAX = 65_535;

  /** Maximum size in bytes of the parts of a row key other than metric and tags. */
  private static final int FIXED_IN_KEY = RowTimePart.BYTES + DataType.STRING.inKey().length;

  /**
   * Encodes a key.
   *
   * @throws RefusedException if the layout cannot hold the key
   */
  static KairosDbBinding of(GroupKey key, TagIndex index) {
    check(key);
    Bytes metric = Bytes.utf8(key.metric()).concat(Bytes.of((byte) 0));
    Bytes tags = TagString.of(key.tags());
    List<String> pairs = index.pairs(key.metric(), key.tags());
    return new KairosDbBinding(
        key,
        metric,
        tags,
        Tuple.texts(key.metric()),
        column(key.tags()),
        pairs.stream().map(pair -> Tuple.texts(pair)).toList(),
        pairs.isEmpty() ? 0 : index.hash(key.metric(), key.tags()));
  }

  /** Returns the key of a row. */
  Bytes row(DataType type, long rowTime) {
    KeyBytes row = new KeyBytes();
    row.raw(metricInKey).i64(rowTime).raw(type.inKey()).raw(tagsInKey);
    return row.toBytes();
  }

  private static Bytes column(Tags tags) {
    KeyBytes out = new KeyBytes();
    Tuple.map(tags, out);
    return out.toBytes();
  }

  /**
   * Checks that the layout can hold a key.
   *
   * @throws RefusedException if it cannot
   */
  static void check(GroupKey key) {
    if (!key.resource().isEmpty()) {
      throw new RefusedException(
          "kairosdb.resource",
          "KairosDB has no resource identifiers, and %s has '%s': make it a tag"
              .formatted(key, key.resource().name(0)));
    }
    checkText("the metric", key.metric(), key);
    key.tags()
        .forEach((name, value) -> {
          checkText("a tag name", name, key);
          checkText("the value of tag '" + name + "'", value, key);
        });
    checkSizes(key);
  }

  private static void checkText(String what, String text, GroupKey key) {
    String problem = problem(text);
    if (!problem.isEmpty()) {
      throw new RefusedException("kairosdb.text", "%s of %s %s".formatted(what, key, problem));
    }
  }

  /** Returns why a text cannot be a metric or part of a tag, or an empty string if it can. */
  static String problem(String text) {
    if (text.isEmpty()) {
      return "is empty";
    }
    if (text.indexOf(0) >= 0) {
      return "has NUL as character " + (text.indexOf(0) + 1);
    }
    return StandardCharsets.UTF_8.newEncoder().canEncode(text)
        ? ""
        : "has an unpaired surrogate, which UTF-8 cannot encode";
  }

  private static void checkSizes(GroupKey key) {
    Tags tags = key.tags();
    long rowKey =
        Bytes.utf8(key.metric()).length() + 1L + FIXED_IN_KEY + TagString.of(tags).length();
    long map = 4;
    for (int i = 0; i < tags.size(); i++) {
      map += 8L + Bytes.utf8(tags.name(i)).length() + Bytes.utf8(tags.value(i)).length();
    }
    long size = Math.max(rowKey, map);
    if (size > KEY_MAX) {
      throw new RefusedException(
          "kairosdb.key",
          "metric and tags make a key of %d bytes, Cassandra takes %d: %.100s..."
              .formatted(size, KEY_MAX, key));
    }
  }
}
