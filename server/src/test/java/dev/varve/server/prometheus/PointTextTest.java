package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.json.JsonLines;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonGenerator;

class PointTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0; 0; [0,\"0\"]",
        "1435781430781; 1.5; [1435781430.781,\"1.5\"]",
        "1435781430000; NaN; [1435781430,\"NaN\"]",
        "1435781430780; -Infinity; [1435781430.780,\"-Inf\"]",
        "1009; 1e-7; [1.009,\"1e-07\"]",
        "10; 1e21; [0.010,\"1e+21\"]",
        "-1500; -0.0; [-1.500,\"-0\"]",
        "9223372036854775807; -1.7976931348623157E308;"
            + " [9223372036854775.807,\"-1.7976931348623157e+308\"]",
        "-9223372036854775807; 123456789012345680000;"
            + " [-9223372036854775.807,\"123456789012345680000\"]",
        "5; -1.2345678901234567E-6; [0.005,\"-0.0000012345678901234567\"]",
      })
  void writesTimesInSecondsAndNumbersAsTexts(long time, double value, String expected) {
    assertThat(written(json -> new PointText().number(time, value, json))).isEqualTo(expected);
  }

  @Test
  void oneBufferServesForAllPoints() {
    PointText points = new PointText();
    String written =
        written(json -> {
          json.writeStartArray();
          points.number(123_456, 123_456.75, json);
          points.text(1_500, "a\"b", json);
          points.number(1, 1, json);
          json.writeEndArray();
        });
    assertThat(written).isEqualTo("[[123.456,\"123456.75\"],[1.500,\"a\\\"b\"],[0.001,\"1\"]]");
  }

  private interface Writing {
    void to(JsonGenerator json);
  }

  private static String written(Writing writing) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JsonLines.generator(out)) {
      writing.to(json);
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
