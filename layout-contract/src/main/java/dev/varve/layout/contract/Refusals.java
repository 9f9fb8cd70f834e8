package dev.varve.layout.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Domain;
import dev.varve.layout.KeyPart;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.Refusal;
import dev.varve.layout.RefusedException;
import dev.varve.layout.contract.LayoutFixture.Outside;
import dev.varve.layout.contract.LayoutTables.Refused;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.SampleGroup;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Checks that everything outside a domain is refused under a rule. */
final class Refusals {
  private static final String ANY_RULE = "";

  private final LayoutLab lab;
  private final LayoutFixture fixture;
  private final Layout layout;
  private final Random random = new Random(1);
  private final GroupKey key;
  private final long time;

  Refusals(LayoutLab lab) {
    this.lab = lab;
    this.fixture = lab.fixture();
    this.layout = lab.layout();
    this.key = fixture.key(random);
    this.time = fixture.holdable(lab.time(random));
  }

  void areNamedAndKeepTheRest() {
    List<Outside> all = new ArrayList<>(fixture.outside());
    addOfDomain(all);
    for (Outside outside : all) {
      try (LayoutTables tables = lab.open()) {
        switch (outside) {
          case Outside.Key(GroupKey refused, String rule) ->
              assertRefused(rule, refused.toString(), () -> tables.bind(refused));
          case Outside.Attribute(Attribute refused, String rule) ->
              assertRefused(rule, refused.toString(), () -> tables.encode(refused));
          case Outside.Sample sample -> assertRefused(sample, tables);
        }
      }
    }
  }

  private void addOfDomain(List<Outside> all) {
    Domain domain = layout.domain();
    EnumSet.allOf(Kind.class).stream()
        .filter(kind -> !domain.kinds().contains(kind))
        .forEach(kind -> all.add(sample("value", time, anyOf(kind))));
    if (domain.times().from() > Long.MIN_VALUE) {
      all.add(sample("value", domain.times().from() - 1, inside()));
    }
    if (domain.times().to() < Long.MAX_VALUE) {
      all.add(sample("value", domain.times().to(), inside()));
    }
    if (domain.numbers() == Domain.Numbers.FINITE) {
      all.add(sample("value", time, new Value.Real(Double.NaN)));
      all.add(sample("value", time, new Value.Real(Double.NEGATIVE_INFINITY)));
    }
    if (!domain.fields()) {
      all.add(sample("surelyNoFieldOfThisLayout", time, inside()));
    }
    if (!domain.attributes()) {
      Attribute attribute = new Attribute(key, "unit", null, new Value.Text("bytes"));
      all.add(new Outside.Attribute(attribute, ANY_RULE));
    }
    addKeysOfDomain(all);
  }

  private void addKeysOfDomain(List<Outside> all) {
    Domain domain = layout.domain();
    Tags tags = key.tags();
    if (!domain.resource()) {
      addKey(all, new GroupKey(key.metric(), tags, Tags.of("host", "a")));
    }
    if (domain.tagsMin() > 0) {
      addKey(all, new GroupKey(key.metric(), Tags.EMPTY, key.resource()));
    }
    if (domain.tagsMax() < Integer.MAX_VALUE) {
      Tags more = tags;
      for (int i = 0; more.size() <= domain.tagsMax(); i++) {
        more = more.with("tag" + i, "a");
      }
      addKey(all, new GroupKey(key.metric(), more, key.resource()));
    }
    if (layout.rows().parts().stream().anyMatch(part -> part.role() == KeyPart.Role.METRIC)) {
      for (String metric : metricsOutside(domain.alphabet())) {
        addKey(all, new GroupKey(metric, tags, key.resource()));
      }
    }
  }

  private static List<String> metricsOutside(Domain.Alphabet alphabet) {
    return switch (alphabet) {
      case UTF8 -> List.of("a\ud800b", "\udc00");
      case UTF8_TEXT -> List.of("", "a\u0000b", "a\ud800b");
      case LATIN1_WORD -> List.of("", "a b", "\u6e29");
    };
  }

  private static void addKey(List<Outside> all, GroupKey outside) {
    all.add(new Outside.Key(outside, ANY_RULE));
  }

  private Outside sample(String field, long at, Value value) {
    return new Outside.Sample(key, field, at, value, ANY_RULE);
  }

  private static Value anyOf(Kind kind) {
    return switch (kind) {
      case INT64 -> new Value.Int64(1);
      case DOUBLE -> new Value.Real(1.5);
      case STRING -> new Value.Text("text");
    };
  }

  private Value inside() {
    return fixture.value(fixture.kinds(fixture.fields().getFirst()).getFirst(), random);
  }

  private static void assertRefused(String rule, String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .as(what)
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertNamed(refused.refusal(), rule, what));
  }

  private static void assertNamed(Refusal refusal, String rule, String what) {
    assertThat(refusal.message()).as(what).isNotBlank();
    assertThat(refusal.rule()).as(what).matches("[a-z0-9-]+(\\.[A-Za-z0-9-]+)+");
    if (!rule.equals(ANY_RULE)) {
      assertThat(refusal.rule()).as(what).isEqualTo(rule);
    }
  }

  /** Writes the sample together with valid samples, which must be kept. */
  private void assertRefused(Outside.Sample outside, LayoutTables tables) {
    RandomWrites writes = new RandomWrites(fixture, random);
    long center = outside.time();
    while (center == outside.time()) {
      center = fixture.holdable(lab.time(random));
    }
    Written inside = new Written();
    for (String field : fixture.fields()) {
      Kind kind = fixture.kinds(field).getFirst();
      inside.add(outside.key(), field, center, fixture.value(kind, random));
    }
    SampleGroup good = inside.groups().getFirst();
    SampleGroup mixed = withOutsideFirst(good, outside);
    List<Refused> refused = tables.write(mixed);

    assertThat(refused).as("%s of %s", outside, mixed.columns()).hasSize(1);
    assertThat(refused.getFirst().sample()).isZero();
    assertNamed(refused.getFirst().refusal(), outside.rule(), outside.toString());
    PlanRequest request =
        PlanRequest.of(List.of(tables.bind(outside.key())), ReadScope.of(writes.stretch(center)));
    assertThat(tables.read(request).latest()).as("kept beside " + outside).isEqualTo(inside.all());
  }

  /** Returns the group preceded by a sample outside the domain. */
  private static SampleGroup withOutsideFirst(SampleGroup good, Outside.Sample outside) {
    BatchBuilder batch = new BatchBuilder();
    batch.add(outside.key(), outside.field(), outside.time(), outside.value());
    for (int i = 0; i < good.size(); i++) {
      for (Column column : good.columns()) {
        batch.add(good.key(), column.field(), good.times()[i], valueAt(column, i));
      }
    }
    return batch.build().groups().getFirst();
  }

  private static Value valueAt(Column column, int i) {
    return switch (column) {
      case Column.Doubles doubles -> new Value.Real(doubles.values()[i]);
      case Column.Longs longs -> new Value.Int64(longs.values()[i]);
      case Column.Texts texts ->
          new Value.Text(
              new String(texts.bytes(), texts.start(i), texts.end(i) - texts.start(i), UTF_8));
    };
  }
}
