package dev.varve.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UrlTest {
  @Test
  void keepsUserAndPasswordForRequestsAlone() {
    Url url = Url.of("http://me:p%40ss@host:9093/am/");
    assertThat(url).hasToString("http://***@host:9093/am/");
    assertThat(url.plus("/api")).hasToString("http://***@host:9093/am/api");
    assertThat(url.bare()).isEqualTo(URI.create("http://host:9093/am/"));
    assertThat(url.authorization()).hasValue("Basic bWU6cEBzcw==");
    Url plain = Url.of("http://host:9093/a@b");
    assertThat(plain).hasToString("http://host:9093/a@b");
    assertThat(plain.authorization()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "nothing to hide, nothing to hide",
    "mail me@example.org, mail me@example.org",
    "GET http://u:p@h/x failed, GET http://***@h/x failed",
    "http://u:p@h and https://q@h, http://***@h and https://***@h",
    "no URL: http://u:p/w@rd@h:1, no URL: http://***@h:1"
  })
  void hidesThemInAnyText(String text, String shown) {
    assertThat(Url.redacted(text)).isEqualTo(shown);
  }
}
