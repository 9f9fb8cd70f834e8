package dev.varve.rules.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Limits of templates, and that they fail only with their own exception. */
class TemplateTest {
  private static final Template.Data DATA =
      new Template.Data(Map.of("a", "b"), Map.of(), "http://x", 1);

  private static final Template.Environment EMPTY =
      new Template.Environment() {
        @Override
        public List<Template.Sample> query(String expression) {
          return List.of();
        }

        @Override
        public URI externalUrl() {
          return URI.create("http://x");
        }
      };

  private static String expand(String text) throws TemplateException {
    return Template.ofAlert("A", text).expand(DATA, EMPTY);
  }

  @Test
  void endsInTime() {
    assertThatThrownBy(
            () -> expand("{{ range 1000000000 }}{{ range 1000000000 }}{{ end }}{{ end }}"))
        .isInstanceOf(TemplateException.class)
        .hasMessageContaining("more than the limit of 100,000 steps");
  }

  @Test
  void comesToABoundedText() {
    for (String text :
        List.of(
            "{{ range 100000 }}xxxxxxxxxx{{ end }}",
            "{{ printf \"%1000000d\" 5 }}",
            "{{ printf \"%.1000000d\" 5 }}",
            "{{ $x := printf \"%60000d\" 1 }}{{ reReplaceAll \" \" $x $x }}",
            "{{ $x := printf \"%60000d\" 1 }}{{ print $x $x }}",
            "{{ $x := printf \"%60000d\" 1 }}{{ printf \"%s%s\" $x $x }}",
            "{{ $x := printf \"%60000d\" 1 }}{{ $x }}{{ $x }}")) {
      assertThatThrownBy(() -> expand(text))
          .as(text)
          .isInstanceOf(TemplateException.class)
          .hasMessageContaining("longer than the limit of 65,536 characters");
    }
  }

  /** Expected: the message of Go's text/template. */
  @Test
  void failsWhereAVariableIsNamedInItsOwnDeclaration() {
    for (String text : List.of("{{ $i := $i }}", "{{ range $i, $s := query $i }}{{ end }}")) {
      assertThatThrownBy(() -> expand(text))
          .as(text)
          .isInstanceOf(TemplateException.class)
          .hasMessageEndingWith(" at <$i>: undefined variable: $i");
    }
  }

  @Test
  void failsWhereADeclarationWasNotGoneThrough() {
    for (String text :
        List.of(
            "{{ if false }}{{ $x := 1 }}{{ else }}{{ $x = 2 }}{{ end }}",
            "{{ or true ($x := 1) }}{{ $x = 2 }}",
            "{{ $x := ($x = 1) }}")) {
      assertThatThrownBy(() -> expand(text))
          .as(text)
          .isInstanceOf(TemplateException.class)
          .hasMessageContaining("undefined variable: $x");
    }
  }

  @Test
  void nestsToADepth() {
    String deep =
        IntStream.range(0, 5000).mapToObj(i -> "(").collect(Collectors.joining("", "{{ ", "1 }}"));
    assertThatThrownBy(() -> Template.ofAlert("A", deep))
        .isInstanceOf(TemplateException.class)
        .hasMessageContaining("unclosed left paren");
    String closed = "{{ " + "(".repeat(5000) + "1" + ")".repeat(5000) + " }}";
    assertThatThrownBy(() -> Template.ofAlert("A", closed))
        .isInstanceOf(TemplateException.class)
        .hasMessageContaining("nested more than 100 levels deep");
    String blocks = "{{ if 1 }}".repeat(5000) + "{{ end }}".repeat(5000);
    assertThatThrownBy(() -> Template.ofAlert("A", blocks))
        .isInstanceOf(TemplateException.class)
        .hasMessageContaining("nested more than 100 levels deep");
  }

  @Test
  void countsLinesOfErrors() {
    assertThatThrownBy(() -> expand("one\ntwo {{ nothing }}"))
        .hasMessage("template: __alert_A:2: function \"nothing\" not defined");
    assertThatThrownBy(() -> expand("one\ntwo é {{ humanize \"x\" }}"))
        .hasMessageStartingWith("template: __alert_A:2:10: executing");
  }

  @Property(tries = 2000)
  void failsInNoOtherWay(@ForAll("pieces") List<String> pieces) {
    assertThatCode(
            () -> {
              try {
                assertThat(expand(String.join("", pieces))).isNotNull();
              } catch (TemplateException e) {
                assertThat(e).hasMessageStartingWith("template: __alert_A:");
              }
            })
        .doesNotThrowAnyException();
  }

  @Provide
  Arbitrary<List<String>> pieces() {
    return Arbitraries.of(
            "{{ ",
            "{{- ",
            " }}",
            " -}}",
            "}}",
            "if ",
            "else ",
            "else if ",
            "end ",
            "range ",
            "with ",
            "break",
            "continue",
            "$x := ",
            "$x = ",
            "$i, $x := ",
            "$x",
            "$value",
            "$labels",
            "$labels.a",
            ".Value",
            ".Labels.b",
            ".",
            "$",
            "nil",
            "true",
            "\"s\"",
            "`r`",
            "'c'",
            "1",
            "2.5",
            "-3",
            " | ",
            "(",
            ")",
            " ",
            "\n",
            ",",
            "humanize ",
            "printf \"%5.2v %d %q\" ",
            "eq ",
            "lt ",
            "and ",
            "or ",
            "not ",
            "len ",
            "index ",
            "slice ",
            "query \"x\" ",
            "first ",
            "value ",
            "label \"a\" ",
            "sortByLabel \"a\" ",
            "reReplaceAll \"(\" ",
            "match \"a\" ",
            "toUpper ",
            "title ",
            "stripPort ",
            "stripDomain ",
            "print ",
            "args ",
            "/* c */",
            "text",
            "humanizeDuration ",
            "humanizeTimestamp ",
            "strvalue ",
            "{{ end }}",
            "{{ if $value }}",
            "{{ range 3 }}")
        .list()
        .ofMaxSize(25);
  }
}
