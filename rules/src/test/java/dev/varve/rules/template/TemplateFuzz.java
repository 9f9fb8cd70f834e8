package dev.varve.rules.template;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * Fuzz target: a template is rejected, fails with its own exception, or expands to a bounded text.
 */
public final class TemplateFuzz {
  private static final Template.Data DATA =
      new Template.Data(
          Map.of("instance", "localhost:9100", "job", "node"),
          Map.of("region", "north"),
          "http://varve.example/",
          1234.5);

  private static final Template.Environment ENVIRONMENT =
      new Template.Environment() {
        @Override
        public List<Template.Sample> query(String expression) {
          if (expression.isBlank()) {
            throw new Template.QueryFailedException("an empty query");
          }
          return List.of(
              new Template.Sample(Map.of("__name__", "up", "job", "b"), 1),
              new Template.Sample(Map.of("__name__", "up", "job", "a"), Double.NaN));
        }

        @Override
        public URI externalUrl() {
          return URI.create("http://varve.example/");
        }
      };

  private TemplateFuzz() {}

  /** Processes one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    try {
      String text = Template.ofAlert("Fuzzed", new String(input, UTF_8)).expand(DATA, ENVIRONMENT);
      if (text.length() > Template.OUTPUT_MAX) {
        throw new AssertionError("%d characters".formatted(text.length()));
      }
    } catch (TemplateException e) {
      if (String.valueOf(e.getMessage()).isBlank()) {
        throw new AssertionError("fails without a message", e);
      }
    }
  }
}
