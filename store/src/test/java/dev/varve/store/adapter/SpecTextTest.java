package dev.varve.store.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.FamilySpec;
import dev.varve.store.TimeUse;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpecTextTest {
  @Test
  void readsWhatItWrote() {
    List<FamilySpec> families =
        List.of(
            new FamilySpec("points", TimeUse.DATA, FamilySpec.ALL_VERSIONS),
            new FamilySpec("a-name", TimeUse.CLOCK, 1));
    List<String> lines = families.stream().map(family -> "family " + SpecText.of(family)).toList();
    assertThat(lines).containsExactly("family DATA all points", "family CLOCK 1 a-name");
    assertThat(SpecText.families(lines, "family ")).isEqualTo(families);
  }

  @Test
  void namesTheLineThatIsDamaged() {
    assertThatThrownBy(() -> SpecText.families(List.of("DATA all"), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'DATA all'");
    assertThatThrownBy(() -> SpecText.families(List.of("DATA all points"), "family "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'DATA all points' does not start with 'family '");
  }
}
