package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What makes no layout, and why. */
class DeclarationRulesTest {
  private static final String FIELD = "{d: {qualifier: field}}";
  private static final String OFFSET = "{d: {qualifier: [offset, field]}}";

  private static Arguments broken(String key, String families, String reason, String... more) {
    return Arguments.of(key, families, reason, String.join("\n", more));
  }

  static Stream<Arguments> declarations() {
    return Stream.of(
        broken("[tags, time]", FIELD, "it has no part 'metric'"),
        broken("[metric, metric, time]", FIELD, "metric stands in the key twice"),
        broken("[metric, tag: a, tag: a, time]", FIELD, "tag a stands in the key twice"),
        broken(
            "[metric, time]",
            FIELD,
            "the key has 2 parts, the partition cannot take 3",
            "partition: 3"),
        broken("[metric, time]", FIELD, "'a b' is not 1 to 100 of", "table: a b"),
        broken("[metric, tag: {name: a, width: 5000}, time]", FIELD, "a fixed width is 1 to 4096"),
        broken(
            "[metric, tag: {name: a, transform: zero-pad, digits: 0}, time]",
            FIELD,
            "filled up to 1 to 1000 digits, not 0"),
        broken("[metric, literal: '', time]", FIELD, "a literal needs a text"),
        broken("[metric, bucket: 1us]", OFFSET, "1us is no whole number of ms"),
        broken(
            "[metric, bucket: {width: 1d, label: text}]", OFFSET, "only day, week, month and year"),
        broken(
            "[metric, bucket: {width: day, label: text, order: descending}]",
            OFFSET,
            "names rise with time"),
        broken(
            "[metric, bucket: week, tags, bucket: month]", OFFSET, "does not divide bucket week"),
        broken(
            "[metric, bucket: month, tags, bucket: week]", OFFSET, "does not divide bucket month"),
        broken("[metric, bucket: 1d, tags, bucket: 7h]", OFFSET, "does not divide bucket 1d"),
        broken("[metric, bucket: month, tags, bucket: 7h]", OFFSET, "does not divide bucket month"),
        broken("[metric, time, bucket: 1d]", OFFSET, "bucket 1d does not divide time"),
        broken("[metric, salt: 4, time]", FIELD, "no part of a series' key stands behind it"),
        broken(
            "[salt: {buckets: 4, of: [host]}, metric, time]", FIELD, "'host' is no part behind it"),
        broken(
            "[metric, salt: {buckets: 4, of: metric}, tags, time]",
            FIELD,
            "'metric' is no part behind"),
        broken("[hash: 9, metric, time]", FIELD, "a hash has 1 to 8 bytes, not 9"),
        broken(
            "[hash: {bytes: 2, of: [time]}, metric, time]", FIELD, "'time' is no part behind it"),
        broken("[metric, time]", "{}", "a layout needs at least one"),
        broken("[metric, time]", "{'a b': {qualifier: field}}", "not 1 to 64 characters"),
        broken(
            "[metric, time]",
            "{a: {qualifier: field}, b: {qualifier: field}}",
            "2 of them name no fields"),
        broken(
            "[metric, time]",
            "{a: {fields: x, qualifier: field}, b: {fields: x, qualifier: field}}",
            "field 'x' lives in two families"),
        broken(
            "[metric, bucket: 1d]",
            "{a: {fields: x, qualifier: [offset, field]}, b: {qualifier: field, time: event}}",
            "the server's in some and the events' in others"),
        broken("[metric, time]", "{d: {qualifier: []}}", "a qualifier needs at least one part"),
        broken("[metric, time]", "{d: {qualifier: [field, field]}}", "field stands in it twice"),
        broken("[metric, time]", "{d: {qualifier: [field, value]}}", "say value: empty"),
        broken("[metric, time]", "{d: {qualifier: field, value: empty}}", "the value has no place"),
        broken(
            "[metric, time]",
            "{d: {qualifier: field, value: all}}",
            "cannot name a field or value"),
        broken(
            "[metric, time]",
            "{d: {fields: [a, b], qualifier: [fixed: e]}}",
            "2 fields live here, nothing tells them apart"),
        broken(
            "[metric, time, sequence]",
            "{d: {qualifier: [field, sequence]}}",
            "a sequence already"),
        broken("[metric, time]", OFFSET, "the key carries the instant itself"),
        broken("[metric, tags]", OFFSET, "an offset needs a bucket in the key"),
        broken("[metric, bucket: 1d]", FIELD, "nothing says the time of a sample"),
        broken(
            "[metric, bucket: 1d]",
            "{d: {qualifier: [offset, field], time: event}}",
            "would both say the time"),
        broken(
            "[metric, bucket: 1d]", "{d: {qualifier: [offset: 9, field]}}", "1 to 8 bytes, not 9"),
        broken(
            "[metric, bucket: 1d]",
            "{d: {qualifier: [offset: {unit: 1us}, field]}}",
            "1us is no whole number of ms"),
        broken(
            "[metric, time]", "{d: {qualifier: field, versions: 0}}", "at least 1 is kept, not 0"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: {shifted: 0}}}",
            "a shift is a number of milliseconds above 0"),
        broken("[metric, time]", FIELD, "rows of this key end with", "attributes: {family: m}"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: event}}",
            "there are two families of that name",
            "attributes: {family: d}"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: event}}",
            "attributes are no events",
            "attributes: {family: m, time: event}"));
  }

  @ParameterizedTest
  @MethodSource("declarations")
  void isToldOfInWords(String key, String families, String reason, String more) {
    String yaml = "layout: x\nkey: " + key + "\nfamilies: " + families + "\n" + more;
    assertThatThrownBy(() -> DeclarationReader.read(yaml, Map.of()))
        .isInstanceOfSatisfying(DeclarationException.class, e -> assertThat(e.faults()).hasSize(1))
        .hasMessageContaining(reason);
  }
}
