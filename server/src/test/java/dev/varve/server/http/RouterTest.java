package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.server.http.Route.Load;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

/** Maps paths to routes. */
class RouterTest {
  private static final List<String> PATTERNS =
      List.of("/-/reload", "/metrics", "/metrics/job/**", "/label/*/values", "/a/*/b/*");

  private final Router router =
      new Router(
          List.of(
              new Router.Mount(
                  "test",
                  true,
                  PATTERNS.stream()
                      .map(path ->
                          Route.post(
                              path, Load.NONE, Right.LOGIN, exchange -> exchange.answer(204)))
                      .toList(),
                  ErrorFormat.PLAIN)));

  private String pattern(String path) {
    Route route = router.find("POST", path).route();
    return route == null ? "" : route.path();
  }

  private List<String> variables(String path) {
    return router.find("POST", path).variables().stream().map(PathPattern::decode).toList();
  }

  @Example
  void findsWhatConcernsTheServerUnderOnePathOnly() {
    Router.Mount ofServer =
        new Router.Mount(
            "server",
            false,
            List.of(
                Route.post(
                    "/-/quit", Load.OPERATIONS, Right.ADMIN, exchange -> exchange.answer(200))),
            ErrorFormat.PLAIN);
    Router both = new Router(List.of(ofServer));
    assertThat(both.find("POST", "/-/quit").route()).isNotNull();
    for (String path :
        List.of("/datasets/x/-/quit", "/server/-/quit", "/datasets/x/server/-/quit")) {
      assertThat(both.find("POST", path).route()).as(path).isNull();
      assertThat(both.isOperations("POST", path)).as(path).isFalse();
    }
  }

  @Example
  void findsARouteOfOneSpellingUnderItsDialectOnly() {
    Route route = Route.post("/v1/check", Load.NONE, Right.LOGIN, exchange -> exchange.answer(200));
    Router one =
        new Router(
            List.of(
                new Router.Mount("own", true, List.of(route.inOneSpelling()), ErrorFormat.PLAIN)));
    assertThat(one.find("POST", "/own/v1/check").route()).isNotNull();
    for (String path : List.of("/v1/check", "/datasets/x/v1/check", "/datasets/x/own/v1/check")) {
      assertThat(one.find("POST", path).route()).as(path).isNull();
    }
  }

  @Example
  void matchesLiteralSegmentsAsTheyWereSent() {
    assertThat(pattern("/-/reload")).isEqualTo("/-/reload");
    assertThat(pattern("/datasets/x/-/reload")).isEqualTo("/-/reload");
    assertThat(pattern("/test/-/reload")).isEqualTo("/-/reload");
    assertThat(pattern("/label/x/values")).isEqualTo("/label/*/values");
    for (String path :
        List.of(
            "/%2d/reload",
            "/%2D/reload",
            "/-/reload;x=1",
            "/-;x=1/reload",
            "/-/reloa%64",
            "/-/reload/",
            "//-/reload",
            "/-//reload",
            "/-/./reload",
            "/x/../-/reload",
            "/x/%2e%2e/-/reload",
            "/-%2Freload",
            "/-/reload%00",
            "/-\\reload",
            "/te%73t/-/reload",
            "/%64atasets/x/-/reload",
            "/datasets;y/x/-/reload",
            "/label/x/values;",
            "/label//values",
            "/label/x/y/values",
            "/metrics/job/",
            "/metrics/jo%62/a",
            "-/reload",
            "*",
            "")) {
      assertThat(pattern(path)).as(path).isEmpty();
    }
  }

  @Example
  void decodesVariableSegmentsOnce() {
    assertThat(variables("/metrics/job/a%20b/c%2fd/e%252f/%3B;x/%C3%A9/..//%2e%2E"))
        .containsExactly("a b", "c/d", "e%2f", ";;x", "é", "..", "", "..");
    assertThat(variables("/a/%25/b/+")).containsExactly("%", "+");
    assertThat(router.find("POST", "/datasets/a%2Fb/metrics").dataset()).isEqualTo("a%2Fb");
  }

  @Example
  void refusesEscapesThatAreNoText() {
    for (String segment : List.of("%", "a%2", "%zz", "%-1", "%ff", "%C3", "%c3%28", "%ed%a0%80")) {
      assertThatThrownBy(() -> PathPattern.decode(segment))
          .as(segment)
          .isInstanceOfSatisfying(
              HttpError.class, error -> assertThat(error.status()).isEqualTo(400))
          .hasMessageContaining(segment);
    }
  }

  @Example
  void refusesPatternsThatCannotMatch() {
    for (String pattern : List.of("/a%20b", "/a;b", "/**/a")) {
      assertThatThrownBy(() -> PathPattern.of(pattern))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  /** Escapes one character at a time; only variables accept escapes. */
  @Example
  void noEscapeReachesALiteralSegment() {
    for (String path : List.of("/-/reload", "/metrics", "/metrics/job/x", "/label/x/values")) {
      for (int i = 1; i < path.length(); i++) {
        String escaped = "%%%02x".formatted((int) path.charAt(i));
        String spelled = path.substring(0, i) + escaped + path.substring(i + 1);
        if (path.charAt(i) == 'x') {
          assertThat(variables(spelled)).containsExactly("x");
        } else {
          assertThat(pattern(spelled)).as(spelled).isEmpty();
        }
      }
    }
  }

  @Property(tries = 500)
  void anyTextPassesThroughASegment(@ForAll @Size(min = 1, max = 3) List<String> texts) {
    Assume.that(texts.stream().noneMatch(RouterTest::cannotBeEscaped));
    Assume.that(!texts.getFirst().isEmpty());
    List<String> path = new ArrayList<>();
    texts.forEach(
        text -> path.add(URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20")));
    assertThat(variables("/metrics/job/" + String.join("/", path))).isEqualTo(texts);
  }

  private static boolean cannotBeEscaped(String text) {
    return !StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }
}
