package dev.varve.layout.guardrail;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Checks that the page and the code agree on all rules. */
class GuardrailsPageTest {
  private static final Path PAGE = Path.of("../docs/guardrails.md");

  @Test
  void thePageListsEveryRuleWithItsNumbers() throws IOException {
    List<List<String>> listed =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.matches("\\| `[a-z-]+` \\|.*"))
            .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toList())
            .map(cells -> cells.subList(1, 6))
            .toList();
    assertThat(listed)
        .containsExactlyElementsOf(
            Arrays.stream(Rule.values())
                .map(rule ->
                    List.of(
                        "`" + rule.id() + "`",
                        lower(rule.when()),
                        lower(rule.severity()),
                        rule.overruled() ? "yes" : "no",
                        rule.threshold()))
                .toList());
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
