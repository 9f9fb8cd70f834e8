package dev.varve.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class FieldSetsTest {
  private static final int KEYS = 4;

  private final FieldSets sets = new FieldSets(new Names());

  /** The addition of a field of a kind to a key. */
  record Added(int key, int field, Kind kind) {}

  @Provide
  Arbitrary<List<Added>> additions() {
    return Combinators.combine(
            Arbitraries.integers().between(0, KEYS - 1),
            Arbitraries.integers().between(0, 11),
            Arbitraries.of(Kind.class))
        .as(Added::new)
        .list()
        .ofMaxSize(120);
  }

  @Property
  void keysHaveTheFieldsTheyWereGiven(@ForAll("additions") List<Added> additions) {
    FieldSets tested = new FieldSets(new Names());
    int[] numbers = new int[KEYS];
    List<Map<String, Set<Kind>>> model = new ArrayList<>();
    for (int key = 0; key < KEYS; key++) {
      model.add(new TreeMap<>());
    }
    for (Added added : additions) {
      String field = "f" + added.field();
      numbers[added.key()] = tested.with(numbers[added.key()], field, added.kind());
      model
          .get(added.key())
          .computeIfAbsent(field, name -> EnumSet.noneOf(Kind.class))
          .add(added.kind());
      for (int key = 0; key < KEYS; key++) {
        assertSame(tested, numbers[key], model.get(key));
      }
    }
    Set<Integer> used = new HashSet<>();
    for (int key = 0; key < KEYS; key++) {
      used.add(numbers[key]);
      for (int other = 0; other < key; other++) {
        assertThat(numbers[key] == numbers[other])
            .as("the same fields, the same set: %s, %s", model.get(key), model.get(other))
            .isEqualTo(model.get(key).equals(model.get(other)));
      }
    }
    used.add(FieldSets.NONE);
    for (int set = 0; set < tested.size(); set++) {
      assertThat(tested.isUsed(set)).as("set %s", set).isEqualTo(used.contains(set));
    }
  }

  private static void assertSame(FieldSets tested, int set, Map<String, Set<Kind>> model) {
    assertThat(tested.names(set)).containsExactlyElementsOf(model.keySet());
    for (Kind kind : Kind.values()) {
      assertThat(tested.hasAny(set, Set.of(kind)))
          .isEqualTo(model.values().stream().anyMatch(kinds -> kinds.contains(kind)));
      for (int field = 0; field < 12; field++) {
        assertThat(tested.has(set, "f" + field, kind))
            .isEqualTo(model.getOrDefault("f" + field, Set.of()).contains(kind));
      }
    }
  }

  @Test
  void aKeyThatGetsItsFieldsOneByOneLeavesNoOtherSets() {
    int fields = 100_000;
    int set = FieldSets.NONE;
    for (int field = 0; field < fields; field++) {
      set = sets.with(set, "field-" + field, Kind.DOUBLE);
    }
    assertThat(sets.names(set)).hasSize(fields);
    assertThat(sets.size()).isEqualTo(2);
    assertThat(sets.bytes()).isLessThan(20L * fields);
  }

  @Test
  void keysOfTheSameFieldsInOtherOrdersShareASet() {
    int fields = 2_000;
    int rising = FieldSets.NONE;
    int falling = FieldSets.NONE;
    for (int field = 0; field < fields; field++) {
      rising = sets.with(rising, "field-" + field, Kind.DOUBLE);
      falling = sets.with(falling, "field-" + (fields - 1 - field), Kind.DOUBLE);
    }
    assertThat(rising).isEqualTo(falling);
    int more = sets.with(falling, "another", Kind.STRING);
    assertThat(sets.names(rising)).hasSize(fields);
    assertThat(sets.names(more)).hasSize(fields + 1);
  }
}
