package dev.varve.query.promql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;

/**
 * Compares with the formatted queries and errors of Prometheus 3.5.3. For intentional differences,
 * the recording contains both versions, and docs/promql.md explains them.
 */
class RecordedAnswersTest {
  @Test
  void answersAsPrometheusDoes() throws IOException {
    List<String[]> rows = rows();
    assertThat(rows).hasSizeGreaterThan(400);
    SoftAssertions softly = new SoftAssertions();
    for (String[] row : rows) {
      String query = plain(row[0]);
      softly.assertThat(answer(query)).as(query).isEqualTo(plain(row[row.length - 1]));
    }
    softly.assertAll();
  }

  @Test
  void readsItsOwnLayoutAsTheSameQuery() throws IOException {
    for (String[] row : rows()) {
      String answer = plain(row[row.length - 1]);
      if (answer.startsWith("OK ")) {
        assertThat(answer(answer.substring(3))).isEqualTo(answer);
      }
    }
  }

  private static String answer(String query) {
    try {
      return "OK " + PrettyPrinter.print(PromQl.parse(query));
    } catch (PromQlException e) {
      return "ERR " + e.getMessage();
    }
  }

  private static List<String[]> rows() throws IOException {
    try (InputStream in = RecordedAnswersTest.class.getResourceAsStream("prometheus-answers.tsv")) {
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
      if (c == '\\') {
        i++;
        c =
            switch (escaped.charAt(i)) {
              case 'n' -> '\n';
              case 't' -> '\t';
              case 'r' -> '\r';
              default -> escaped.charAt(i);
            };
      }
      plain.append(c);
    }
    return plain.toString();
  }
}
