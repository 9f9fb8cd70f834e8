package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CqlNamesTest {
  @Test
  void escapesWhatCassandraForbids() {
    assertThat(CqlNames.table("data", "points")).isEqualTo("data__points");
    assertThat(CqlNames.table("d1.data", "points")).isEqualTo("d1_2edata__points");
    assertThat(CqlNames.table("A_b", "#")).isEqualTo("_41_5fb___23");
  }

  @Test
  void cutsLongNamesAndKeepsThemApart() {
    Set<String> names = new HashSet<>();
    for (String table : List.of("t".repeat(100), "t".repeat(99), "t".repeat(44))) {
      for (String family : List.of("f", "g", "_".repeat(64))) {
        String name = CqlNames.table(table, family);
        assertThat(name).hasSizeLessThanOrEqualTo(48).matches("\\w+");
        names.add(name);
      }
    }
    assertThat(names).hasSize(9);
  }
}
