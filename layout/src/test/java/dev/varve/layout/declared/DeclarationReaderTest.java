package dev.varve.layout.declared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.LayoutIdentity;
import dev.varve.layout.declared.FamilyDeclaration.ValueForm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeclarationReaderTest {
  private static final Path PAGE = Path.of("../docs/layouts/declared.md");

  private static String block(String language) throws IOException {
    String page = Files.readString(PAGE);
    int from = page.indexOf("```" + language + "\n") + language.length() + 4;
    return page.substring(from, page.indexOf("```", from));
  }

  @Test
  void theYamlAndTheJavaOfThePageAreOneDeclaration() throws IOException {
    Declaration inJava =
        // The page shows these lines.
        Declaration.named("visits")
            .about("visits of a shop's pages, by customer")
            .retention(Duration.ofDays(400))
            .key(
                new KeyElement.Metric(TextForm.PLAIN),
                new KeyElement.Tag("customer", TextForm.fixed(12)),
                new KeyElement.AllTags(),
                new KeyElement.Bucket(
                    new BucketWidth.Fixed(Duration.ofDays(1)), KeyElement.Label.START, false))
            .partition(2)
            .family(
                "d",
                family ->
                    family.qualifier(
                        new QualifierElement.Offset(0, null), new QualifierElement.Field()))
            .family(
                "b",
                family ->
                    family
                        .fields("price", "currency")
                        .qualifier(
                            new QualifierElement.Offset(0, null), new QualifierElement.Sequence())
                        .value(ValueForm.ALL))
            .layout()
            .declaration();
    assertThat(DeclarationReader.read(block("yaml"), Map.of())).isEqualTo(inJava);
    String source =
        Files.readString(
            Path.of("src/test/java/dev/varve/layout/declared/DeclarationReaderTest.java"));
    assertThat(words(source)).contains(words(block("java").replace(".layout();", ".layout()")));
  }

  private static String words(String code) {
    return code.replaceAll("\\s+", "");
  }

  @Test
  void tellsAllFaultsAtOnceWithTheirPlaces() throws IOException {
    String yaml =
        """
        layout: visits
        resolutoin: ms
        key:
          - metrik
          - tag: {name: host, widht: 8}
          - bucket: 1 day
          - salt: 5 apples
          - literal
        families:
          d:
            qualifier: [offset: {unit: soon}, feld]
            time: {shifted: far}
            versions: many
        retention: 3 years
        """;
    assertThatThrownBy(() -> DeclarationReader.read(yaml, Map.of("bukket", "1d")))
        .isInstanceOf(DeclarationException.class)
        .hasMessage(
            """
            layout visits: line 2, column 1: unknown key 'resolutoin' (did you mean 'resolution'?)
            layout visits: there is no parameter 'bukket'
            layout visits: line 14, column 12: '3 years' is not a duration (try 15m, 1h or 30d)
            layout visits: line 4, column 5: 'metrik' is not one of bucket, hash, literal, metric, resource, salt, sequence, tag, tags, time (did you mean 'metric'?)
            layout visits: line 5, column 23: unknown key 'widht' (did you mean 'width'?)
            layout visits: line 6, column 13: '1 day' is not a width (try 1h, 1d, day, week, month or year)
            layout visits: line 7, column 11: '5 apples' is not a whole number
            layout visits: line 8, column 5: a literal needs a text
            layout visits: line 11, column 32: 'soon' is not a duration (try 15m, 1h or 30d)
            layout visits: line 11, column 39: 'feld' is not one of field, fixed, offset, sequence, value (did you mean 'field'?)
            layout visits: line 12, column 21: 'far' is not a whole number
            layout visits: line 13, column 15: 'many' is not a whole number\
            """);
    assertThat(Files.readString(PAGE))
        .contains(
            """
            layout visits: line 5, column 23: unknown key 'widht' (did you mean 'width'?)
            layout visits: line 7, column 11: '5 apples' is not a whole number
            """);
  }

  @Test
  void tellsWhereARuleIsBroken() {
    String yaml =
        """
        layout: x
        key:
          - metric
          - tags
          - bucket: 1d
          - tags
        families:
          d:
            qualifier:
              - field
        """;
    assertThatThrownBy(() -> DeclarationReader.read(yaml, Map.of()))
        .hasMessage(
            """
            layout x: line 6, column 5: tags appears twice in the key
            layout x: line 9, column 5: nothing says the time of a sample: give the key a 'time', the qualifier an 'offset', or the cells 'time: event'\
            """);
  }

  @Test
  void malformedYamlIsReportedWithItsPlace() {
    assertThatThrownBy(() -> DeclarationReader.read("layout: x\nkey: [metric", Map.of()))
        .isInstanceOf(DeclarationException.class)
        .hasMessageStartingWith("layout: line 2, column 13: not YAML: ");
    assertThatThrownBy(() -> DeclarationReader.read("layout: x\nabout: \"\\x", Map.of()))
        .isInstanceOf(DeclarationException.class)
        .hasMessageStartingWith("layout: line 1: not YAML: ");
    assertThatThrownBy(() -> DeclarationReader.read("- a\n- b: c", Map.of()))
        .hasMessage(
            "layout: line 1: a layout must be a mapping that starts with 'layout: its name'");
    assertThatThrownBy(() -> DeclarationReader.read("layout: x\nlayout: y", Map.of()))
        .hasMessageContaining("'layout' appears twice");
  }

  @Test
  void parametersFillValuesAndMustBeThere() {
    String yaml =
        """
        layout: x
        parameters: {width: {about: how long}}
        key: [metric, tags, bucket: "${width}"]
        families: {d: {qualifier: [offset, field]}}
        """;
    assertThat(DeclarationReader.read(yaml, Map.of("width", "6h")).key().getLast().text())
        .isEqualTo("bucket 6h");
    assertThatThrownBy(() -> DeclarationReader.read(yaml, Map.of()))
        .hasMessageContaining("parameter 'width' must be given: how long");
    assertThatThrownBy(
            () -> DeclarationReader.read(yaml.replace("{width}", "{with}"), Map.of("width", "1d")))
        .hasMessageContaining("there is no parameter 'with' (did you mean 'width'?)");
  }

  @Test
  void identityIsWhatIsMeantNotHowItIsSaid() {
    String plain =
        """
        layout: x
        key: [metric, tags, bucket: 1d]
        families: {d: {qualifier: [offset, field]}}
        """;
    String wordy =
        """
        layout: x
        about: says the same
        resolution: ms
        table: x
        retention: 30d
        partition: 3
        allow: [family-name]
        key:
          - metric: {transform: none}
          - tags
          - bucket: {width: 24h, label: start, order: ascending}
        families:
          d: {qualifier: [offset: {bytes: 4}, field], time: server, value: one, versions: 1}
        """;
    assertThat(identity(wordy)).isEqualTo(identity(plain));
    assertThat(identity(plain))
        .hasToString(
            "x{codec.value=1, family.0=d: fields all others; qualifier offset 4, field; time server;"
                + " value one; versions 1, key=metric, tags, bucket 1d, partition=3, resolution=ms,"
                + " table=x}");
    assertThat(identity(plain.replace("1d", "12h"))).isNotEqualTo(identity(plain));
    assertThat(identity(plain.replace("[offset", "[offset: 5"))).isNotEqualTo(identity(plain));
  }

  private static LayoutIdentity identity(String yaml) {
    return new DeclaredLayout(DeclarationReader.read(yaml, Map.of())).identity();
  }
}
