package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Declarations that are refused, and the reasons. */
class DeclarationRulesTest {
  private static final String FIELD = "{d: {qualifier: field}}";
  private static final String OFFSET = "{d: {qualifier: [offset, field]}}";

  private static Arguments broken(String key, String families, String reason, String... more) {
    return Arguments.of(key, families, reason, String.join("\n", more));
  }

  static Stream<Arguments> declarations() {
    return Stream.of(
        broken("[tags, time]", FIELD, "the part 'metric' is missing"),
        broken("[metric, metric, time]", FIELD, "metric appears twice in the key"),
        broken("[metric, tag: a, tag: a, time]", FIELD, "tag a appears twice in the key"),
        broken(
            "[metric, time]",
            FIELD,
            "the partition cannot have 3 parts: the key has 2",
            "partition: 3"),
        broken("[metric, time]", FIELD, "'a b' is not 1 to 100 of", "table: a b"),
        broken("[metric, tag: {name: a, width: 5000}, time]", FIELD, "a fixed width is 1 to 4096"),
        broken(
            "[metric, tag: {name: a, transform: zero-pad, digits: 0}, time]",
            FIELD,
            "zero-pad takes 1 to 1000 digits, not 0"),
        broken("[metric, literal: '', time]", FIELD, "a literal needs a text"),
        broken("[metric, bucket: 1us]", OFFSET, "1us is not a whole number of ms"),
        broken(
            "[metric, bucket: {width: 1d, label: text}]", OFFSET, "only day, week, month and year"),
        broken(
            "[metric, bucket: {width: day, label: text, order: descending}]",
            OFFSET,
            "names always ascend"),
        broken(
            "[metric, bucket: week, tags, bucket: month]", OFFSET, "does not divide bucket week"),
        broken(
            "[metric, bucket: month, tags, bucket: week]", OFFSET, "does not divide bucket month"),
        broken("[metric, bucket: 1d, tags, bucket: 7h]", OFFSET, "does not divide bucket 1d"),
        broken("[metric, bucket: month, tags, bucket: 7h]", OFFSET, "does not divide bucket month"),
        broken("[metric, time, bucket: 1d]", OFFSET, "bucket 1d does not divide time"),
        broken("[metric, salt: 4, time]", FIELD, "no later part depends on the series"),
        broken(
            "[salt: {buckets: 4, of: [host]}, metric, time]", FIELD, "'host' is not a later part"),
        broken(
            "[metric, salt: {buckets: 4, of: metric}, tags, time]",
            FIELD,
            "'metric' is not a later part"),
        broken("[hash: 9, metric, time]", FIELD, "a hash has 1 to 8 bytes, not 9"),
        broken("[hash: {bytes: 2, of: [time]}, metric, time]", FIELD, "'time' is not a later part"),
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
        broken("[metric, time]", "{d: {qualifier: [field, field]}}", "field appears twice"),
        broken("[metric, time]", "{d: {qualifier: [field, value]}}", "use 'value: empty'"),
        broken(
            "[metric, time]",
            "{d: {qualifier: field, value: empty}}",
            "it does not contain the value"),
        broken(
            "[metric, time]",
            "{d: {qualifier: field, value: all}}",
            "cannot name a field or value"),
        broken(
            "[metric, time]",
            "{d: {fields: [a, b], qualifier: [fixed: e]}}",
            "nothing tells the 2 fields apart"),
        broken(
            "[metric, time, sequence]",
            "{d: {qualifier: [field, sequence]}}",
            "a sequence already"),
        broken("[metric, time]", OFFSET, "the key already contains the instant"),
        broken("[metric, tags]", OFFSET, "an offset needs a bucket in the key"),
        broken("[metric, bucket: 1d]", FIELD, "nothing says the time of a sample"),
        broken(
            "[metric, bucket: 1d]",
            "{d: {qualifier: [offset, field], time: event}}",
            "both contain the time"),
        broken(
            "[metric, bucket: 1d]", "{d: {qualifier: [offset: 9, field]}}", "1 to 8 bytes, not 9"),
        broken(
            "[metric, bucket: 1d]",
            "{d: {qualifier: [offset: {unit: 1us}, field]}}",
            "1us is not a whole number of ms"),
        broken(
            "[metric, time]", "{d: {qualifier: field, versions: 0}}", "expected at least 1, not 0"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: {shifted: 0}}}",
            "a shift must be more than 0 milliseconds"),
        broken("[metric, time]", FIELD, "rows of this key end with", "attributes: {family: m}"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: event}}",
            "there are two families of that name",
            "attributes: {family: d}"),
        broken(
            "[metric]",
            "{d: {qualifier: field, time: event}}",
            "attributes are not events",
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
