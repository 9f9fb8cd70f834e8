package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.json.JsonLines;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
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

  @Test
  void arraysOfPointsAreThoseOfPointsOneByOne() {
    long[] times = new long[4_000];
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] =
          9_960_000L + i * 7_919L * (i % 3 == 0 ? 1_000 : 10) - (i % 5 == 0 ? 20_000_000L : 0);
      values[i] =
          switch (i % 8) {
            case 0 -> 0.0;
            case 1 -> -0.0;
            case 2 -> i;
            case 3 -> -i;
            case 4 -> 1e15 + (i - 2_000);
            case 5 -> i / 8.0;
            case 6 -> -1e15 - (i - 2_000);
            default -> 999_999_999_999_999.0;
          };
    }
    PointText points = new PointText();
    String written =
        written(json -> {
          json.writeStartArray();
          points.numbers(times, values, 0, 1_500, json);
          points.numbers(times, values, 1_500, times.length, json);
          json.writeEndArray();
        });
    StringBuilder expected = new StringBuilder("[");
    for (int i = 0; i < times.length; i++) {
      String seconds = BigDecimal.valueOf(times[i], 3).toPlainString().replaceFirst("[.]000$", "");
      String value = BigDecimal.valueOf(values[i]).stripTrailingZeros().toPlainString();
      String sign = values[i] == 0 && 1 / values[i] < 0 ? "-" : "";
      expected.append(i == 0 ? "" : ",").append("[%s,\"%s%s\"]".formatted(seconds, sign, value));
    }
    assertThat(written).isEqualTo(expected.append("]").toString());
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
