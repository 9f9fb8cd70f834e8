package dev.varve.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gzip                     | GZIP
          GZIP;q=0.5               | GZIP
          gzip, deflate, br, zstd  | ZSTD
          gzip;q=1, zstd;q=0.9     | GZIP
          zstd;q=0, gzip;q=0.001   | GZIP
          gzip;q=0                 | IDENTITY
          gzip;q=0.0               | IDENTITY
          gzip;q=much              | IDENTITY
          x-gzip, br, identity, *  | IDENTITY
          ''                       | IDENTITY
          """)
  void takesWhatAClientLikesBest(String accepted, Coding best) {
    assertThat(Coding.best(accepted)).isEqualTo(best);
  }

  @Test
  void compressesForNobodyWhoDoesNotAsk() {
    assertThat(Coding.best(null)).isEqualTo(Coding.IDENTITY);
  }
}
