package dev.varve.rules.template;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * Compares with the expansions and errors of Prometheus 3.5.3. For intentional differences, the
 * recording contains both versions, and docs/rules.md explains them.
 */
class RecordedExpansionsTest {
  private static final String URL = "http://prom.example:9090/pre";

  private static final Map<String, Template.Sample> CASES =
      Map.of(
          "small",
          new Template.Sample(
              Map.of("instance", "web-1.example.org:9100", "job", "node", "path", "/a b/c"), 1.5),
          "large",
          new Template.Sample(Map.of("instance", "[::1]:9100"), 1234567),
          "nan",
          new Template.Sample(Map.of("job", "x"), Double.NaN),
          "neg",
          new Template.Sample(Map.of("job", "y"), -0.00012345),
          "zero",
          new Template.Sample(Map.of("job", "z"), 0));

  @Test
  void expandsAsPrometheusDoes() throws IOException {
    List<String[]> rows = rows();
    assertThat(rows).hasSizeGreaterThan(200);
    SoftAssertions softly = new SoftAssertions();
    for (String[] row : rows) {
      String template = plain(row[1]);
      String answer = row[0].equals("load") ? load(template) : expand(row[0], template);
      softly.assertThat(answer).as(row[0] + ": " + template).isEqualTo(plain(row[row.length - 1]));
    }
    softly.assertAll();
  }

  private static String load(String template) {
    try {
      Template.ofAlert("B", template);
      return "OK";
    } catch (TemplateException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String expand(String name, String template) {
    Template.Sample sample = Objects.requireNonNull(CASES.get(name));
    try {
      return Template.ofAlert("T_" + name, template)
          .expand(
              new Template.Data(sample.labels(), Map.of("site", "north"), URL, sample.value()),
              new Recorded());
    } catch (TemplateException e) {
      return "<error expanding template: error executing template __alert_T_%s: %s>"
          .formatted(name, e.getMessage());
    }
  }

  /** Returns the recorded results of the queries in the templates. */
  private static final class Recorded implements Template.Environment {
    @Override
    public List<Template.Sample> query(String expression) {
      return switch (expression) {
        case "tmpl_metric" -> List.of(of(3), of(1), of(4), of(2));
        case "tmpl_metric{n=\"2\"}", "tmpl_metric{n='2'}" -> List.of(of(2));
        case "sum(tmpl_metric)" -> List.of(new Template.Sample(Map.of(), 100));
        case "vector(7)" -> List.of(new Template.Sample(Map.of(), 7));
        case "no_such_metric" -> List.of();
        default ->
            throw new Template.QueryFailedException("1:5: parse error: unclosed left parenthesis");
      };
    }

    private static Template.Sample of(int n) {
      return new Template.Sample(
          Map.of("__name__", "tmpl_metric", "n", Integer.toString(n)), 10 * n);
    }

    @Override
    public URI externalUrl() {
      return URI.create(URL);
    }
  }

  private static List<String[]> rows() throws IOException {
    try (InputStream in =
        RecordedExpansionsTest.class.getResourceAsStream("prometheus-expansions.tsv")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .skip(2)
          .map(line -> line.split("\t", -1))
          .toList();
    }
  }

  private static String plain(String escaped) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < escaped.length(); i++) {
      char c = escaped.charAt(i);
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      char kind = escaped.charAt(++i);
      int place = "ntr".indexOf(kind);
      plain.append(place < 0 ? kind : "\n\t\r".charAt(place));
    }
    return plain.toString();
  }
}
