package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A declaration that is written as YAML declares the same layout when it is read. */
class DeclarationTextTest {
  @Test
  void everyReadyMadeLayoutIsReadAsItWasWritten() {
    int read = 0;
    for (Layouts.Entry entry : Layouts.list()) {
      for (Layout layout : Layouts.all(entry.name(), Map.of())) {
        if (layout instanceof DeclaredLayout declared) {
          same(declared);
          read++;
        }
      }
    }
    assertThat(read).isGreaterThan(15);
  }

  @Test
  void everyPartIsReadAsItWasWritten() {
    same(
        new DeclaredLayout(
            DeclarationReader.read(
                """
                layout: odd-one
                about: "with \\"quotes\\", a colon: and \\u2028 a break"
                resolution: s
                table: other
                retention: 400d
                key:
                  - salt: {buckets: 32, of: [metric, tag host]}
                  - literal: "yes: 1"
                  - metric: {transform: reverse-domain}
                  - tag: {name: host, width: 12}
                  - tag: {name: "no", transform: zero-pad, digits: 10}
                  - tag: {name: "a b#c", transform: reverse}
                  - tags
                  - resource: pod
                  - resource
                  - bucket: {width: month, label: text}
                partition: 4
                families:
                  d:
                    qualifier: [{offset: {bytes: 4, unit: 5s}}, field, sequence]
                    versions: 3
                  e:
                    fields: [price, "on"]
                    qualifier: [{fixed: "a, b"}, offset, field]
                allow: [value-ties, event-versions]
                """,
                Map.of())));
  }

  @Test
  void cellTimesAndDescendingTimesAreReadAsTheyWereWritten() {
    same(
        new DeclaredLayout(
            DeclarationReader.read(
                """
                layout: m
                key: [metric, tags, resource]
                families:
                  d:
                    qualifier: [field]
                    time: {shifted: 5000}
                attributes: {family: m, time: {shifted: 7000}, versions: all}
                retention: 90d
                """,
                Map.of())));
    same(
        new DeclaredLayout(
            DeclarationReader.read(
                """
                layout: m
                key: [metric, hash: 4, tags, {time: {order: descending}}]
                families: {d: {qualifier: [{fixed: e}], value: all, versions: 2}}
                """,
                Map.of())));
  }

  private static void same(DeclaredLayout layout) {
    String yaml = DeclarationText.yaml(layout.declaration());
    Declaration read = DeclarationReader.read(yaml, Map.of());
    assertThat(new DeclaredLayout(read).identity()).as(yaml).isEqualTo(layout.identity());
    assertThat(read).as(yaml).isEqualTo(layout.declaration());
  }
}
