package dev.varve.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Resolution;
import dev.varve.model.Spelling;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ParametersTest {
  private static final List<String> KNOWN = List.of("unit", "rowWidth", "tagIndexed");

  @Test
  void namesTheNearestKnownParameterForAnUnknownOne() {
    assertThatThrownBy(() -> Parameters.of("kairosdb", Map.of("tagsIndexed", "m"), KNOWN))
        .isInstanceOf(RefusedException.class)
        .hasMessage("layout kairosdb has no parameter 'tagsIndexed' (did you mean tagIndexed?)");
    assertThatThrownBy(() -> Parameters.of("heroic", Map.of("unit", "s"), List.of()))
        .hasMessage("layout heroic has no parameters, but 'unit' was given");
    assertThat(Spelling.nearest("ROWWITH", KNOWN)).isEqualTo("rowWidth");
  }

  @Test
  void readsTextsNumbersAndChoices() {
    Parameters parameters =
        Parameters.of("x", Map.of("unit", "milliSeconds", "rowWidth", "7"), KNOWN);
    assertThat(parameters.text("tagIndexed", "none")).isEqualTo("none");
    assertThat(parameters.number("rowWidth", 1, 1, 7)).isEqualTo(7);
    assertThat(parameters.number("absent", 3, 1, 7)).isEqualTo(3);
    assertThat(parameters.choice("unit", Resolution.SECONDS)).isEqualTo(Resolution.MILLISECONDS);
  }

  @Test
  void refusesValuesThatAreOutOfBounds() {
    Parameters parameters = Parameters.of("x", Map.of("unit", "days", "rowWidth", "8"), KNOWN);
    assertThatThrownBy(() -> parameters.number("rowWidth", 1, 1, 7))
        .hasMessage("layout x: rowWidth is '8', and should be a whole number from 1 to 7");
    assertThatThrownBy(() -> parameters.number("unit", 1, 1, 7))
        .hasMessage("layout x: unit is 'days', and should be a whole number from 1 to 7");
    assertThatThrownBy(() -> parameters.choice("unit", Resolution.SECONDS))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.refusal().rule()).isEqualTo("x.parameter"))
        .hasMessage(
            "layout x: unit is 'days', and should be one of seconds, milliseconds, microseconds,"
                + " nanoseconds");
  }
}
