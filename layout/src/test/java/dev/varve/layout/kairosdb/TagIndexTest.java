package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Parameters;
import dev.varve.layout.RefusedException;
import dev.varve.model.Tags;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TagIndexTest {
  @Test
  void hashesAsTheOriginalDoes() {
    TagIndex all = parse("*");
    for (String[] fact : Facts.of("original-classes.tsv", "hash")) {
      assertThat(all.hash("any", Facts.tags(fact[0]))).isEqualTo(Integer.parseInt(fact[1]));
    }
  }

  @Test
  void pairsAndHashesIndexedTagsAlone() {
    Tags tags = Tags.of("dc", "x", "host", "a", "rack", "1=2:3");
    TagIndex index = parse("cpu(host,rack);mem");
    assertThat(index.pairs("cpu", tags)).containsExactly("host=a", "rack=1=2:3");
    assertThat(index.pairs("mem", tags)).containsExactly("dc=x", "host=a", "rack=1=2:3");
    assertThat(index.pairs("disk", tags)).isEmpty();
    assertThat(index.hash("cpu", tags)).isEqualTo(index.hash("mem", tags.without("dc")));
    assertThat(parse("").pairs("cpu", tags)).isEmpty();
    assertThat(parse("*").pairs("disk", tags)).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          cpu                        | cpu
          mem;cpu                    | cpu;mem
          mem,cpu                    | cpu;mem
          cpu(host,dc);mem           | cpu(dc,host);mem
          ' cpu ( host , dc ) ; mem ' | cpu(dc,host);mem
          cpu(*)                     | cpu
          cpu(host,*)                | cpu
          *                          | *
          cpu(host);*(dc)            | *
          a\\;b(c\\,d,e\\)\\(f);g\\\\h     | a\\;b(c\\,d,e\\)\\(f);g\\\\h
          a\\ ;b c                    | a\\ ;b\\ c
          """)
  void hasOneTextForAllThatMeanTheSame(String text, String canonical) {
    TagIndex index = parse(text.replace("'", ""));
    assertThat(index).hasToString(canonical);
    assertThat(parse(canonical)).isEqualTo(index);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          cpu;           | character 5: expected a metric
          ;cpu           | character 1: expected a metric
          cpu()          | character 5: expected a tag
          cpu(host       | character 9: ')' should end the tags
          cpu(host;dc)   | character 9: ')' should end the tags
          cpu(host)mem   | character 10: ';' should separate the metrics
          cpu)           | character 4: ';' should separate the metrics
          cpu;cpu        | character 5: metric 'cpu' comes twice
          cpu\\           | character 5: expected a character after the backslash
          """)
  void refusesWhatItCannotRead(String text, String reason) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOf(RefusedException.class)
        .hasMessage(
            "layout kairosdb: tagIndexed '%s', %s (try metric1(tag1,tag2);metric2)"
                .formatted(text, reason));
  }

  private static TagIndex parse(String text) {
    return TagIndex.parse(text, Parameters.of("kairosdb", Map.of(), List.of()));
  }
}
