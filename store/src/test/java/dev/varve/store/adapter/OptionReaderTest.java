package dev.varve.store.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionReaderTest {
  @Test
  void readsWhatIsThereAndTakesTheDefaultsForTheRest() {
    OptionReader reader =
        reader("hosts", "a, b", "retries", " 7 ", "size", "2 mb", "unit", "Days", "file", ".");
    assertThat(reader.list("hosts", "hosts", List.of())).containsExactly("a", "b");
    assertThat(reader.number("retries", 0, 10, 3)).isEqualTo(7);
    assertThat(reader.bytes("size", 1, "a size", 5)).isEqualTo(2 << 20);
    assertThat(reader.choice("unit", TimeUnit.values(), TimeUnit.HOURS)).isEqualTo(TimeUnit.DAYS);
    assertThat(reader.file("file")).as("a folder").isNull();
    assertThat(reader.number("pages", 0, 10, 3)).isEqualTo(3);
    assertThat(reader.flag("sync", true)).isTrue();
    assertThat(reader.text("name")).isNull();
    assertThat(reader.file("key")).isNull();
    assertThatThrownBy(reader::finish)
        .isInstanceOf(StoreException.class)
        .hasMessage("try store: option file: '.' is not a readable file");
  }

  @ParameterizedTest
  @CsvSource({"500ms, 500", "10 s, 10000", "2M, 120000", "12h, 43200000", "10d, 864000000"})
  void readsLengthsOfTime(String text, long millis) {
    OptionReader reader = reader("wait", text);
    assertThat(reader.duration("wait", Duration.ofDays(10), Duration.ZERO).toMillis())
        .isEqualTo(millis);
    reader.finish();
  }

  @ParameterizedTest
  @CsvSource({"0s", "11d", "5", "-1s", "soon", "9999999999s"})
  void refusesLengthsOfTimeOutsideTheBounds(String text) {
    OptionReader reader = reader("wait", text);
    assertThat(reader.duration("wait", Duration.ofDays(10), Duration.ofSeconds(5)))
        .isEqualTo(Duration.ofSeconds(5));
    assertThatThrownBy(reader::finish)
        .hasMessage(
            "try store: option wait: '%s' is not a duration such as 500ms, 10s, 2m, 12h or 10d, from 1ms to 10d"
                .formatted(text));
  }

  @Test
  void saysAllThatIsWrongAtOnceUnknownNamesFirst() {
    OptionReader reader = reader("retrys", "1", "sync", "yes", "size", "999999999999999gb");
    reader.number("retries", 0, 10, 3);
    reader.flag("sync", true);
    reader.bytes("size", 1, "a size", 5);
    reader.wrong("options a and b: must be set together");
    assertThatThrownBy(reader::finish)
        .hasMessage(
            "try store: unknown option 'retrys' (did you mean 'retries'?);"
                + " option sync: 'yes' is not true or false;"
                + " option size: '999999999999999gb' is not a size;"
                + " options a and b: must be set together");
  }

  private static OptionReader reader(String... pairs) {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      options.put(pairs[i], pairs[i + 1]);
    }
    return new OptionReader("try", options);
  }
}
