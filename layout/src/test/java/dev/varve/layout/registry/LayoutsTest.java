package dev.varve.layout.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Layout;
import dev.varve.layout.LayoutParameter;
import dev.varve.model.Resolution;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LayoutsTest {
  static List<Layouts.Entry> entries() {
    return Layouts.list();
  }

  @ParameterizedTest
  @MethodSource("entries")
  void everyNameMakesALayoutOfThatNameWithItsDefaults(Layouts.Entry entry) {
    List<Layout> layouts = Layouts.all(entry.name(), Map.of());
    assertThat(entry.about()).isNotBlank().doesNotContain("\n");
    assertThat(entry.parameters())
        .allSatisfy(parameter -> assertThat(parameter.about()).isNotBlank());
    assertThat(layouts).hasSize(entry.companion() ? 2 : 1);
    if (!entry.companion()) {
      assertThat(layouts.getFirst().identity().name()).isEqualTo(entry.name());
    }
  }

  @ParameterizedTest
  @MethodSource("entries")
  void everyParameterIsTakenByItsDefault(Layouts.Entry entry) {
    for (LayoutParameter parameter : entry.parameters()) {
      assertThat(parameter.defaultValue()).isNotNull();
      Map<String, String> given = Map.of(parameter.name(), parameter.defaultValue());
      assertThat(Layouts.all(entry.name(), given).stream().map(Layout::identity))
          .isEqualTo(Layouts.all(entry.name(), Map.of()).stream().map(Layout::identity).toList());
    }
  }

  @Test
  void tableAndResolutionCanAlwaysBeGiven() {
    Layout layout = Layouts.of("buckets", Map.of("table", "mine", "resolution", "us"));
    assertThat(layout.tables()).extracting(TableSpec::name).containsExactly("mine");
    assertThat(layout.resolution()).isEqualTo(Resolution.MICROSECONDS);
    assertThatThrownBy(() -> Layouts.of("buckets", Map.of("resolution", "min")))
        .hasMessage("layout buckets: parameter 'resolution': 'min' is not one of s, ms, us, ns");
  }

  @Test
  void companionsAreNotOneLayout() {
    assertThatThrownBy(() -> Layouts.of("companion", Map.of()))
        .hasMessage("'companion' consists of 2 companion layouts, expected a single one");
    assertThat(Layouts.all("companion", Map.of("tag", "player")))
        .extracting(layout -> layout.tables().getFirst().name())
        .containsExactly("by_tag", "by_time");
  }

  @Test
  void namesTheNearestOfAnUnknownNameOrParameter() {
    assertThatThrownBy(() -> Layouts.of("bucket", Map.of()))
        .hasMessage("there is no layout 'bucket' (did you mean 'buckets'?)");
    assertThatThrownBy(() -> Layouts.of("buckets", Map.of("buckets", "1h")))
        .hasMessage("layout buckets: there is no parameter 'buckets' (did you mean 'bucket'?)");
  }

  @Test
  void anAliasIsTheLayoutItself() {
    assertThat(Layouts.of("single-timestamp-columns", Map.of()).identity())
        .isEqualTo(Layouts.of("tall-narrow", Map.of()).identity());
  }
}
