package dev.varve.store.bigtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BigtableOptionsTest {
  private static final Map<String, String> SERVICE = Map.of("project", "p", "instance", "i");

  @TempDir private Path directory;

  private static Map<String, String> with(String name, String value) {
    Map<String, String> options = new HashMap<>(SERVICE);
    options.put(name, value);
    return options;
  }

  @Test
  void defaults() {
    BigtableOptions options = BigtableOptions.parse(SERVICE);
    assertThat(options.emulator()).isNull();
    assertThat(options.credentials()).isNull();
    assertThat(options.appProfile()).isNull();
    assertThat(options.prefix()).isEqualTo("varve-");
    assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(60));
    assertThat(options.attemptTimeout()).isEqualTo(Duration.ofSeconds(20));
    assertThat(options.retries()).isEqualTo(10);
    assertThat(options.concurrency()).isEqualTo(16);
    assertThat(options.readAhead()).isEqualTo(8);
    assertThat(options.connections()).isEqualTo(4);
    assertThat(options.transactions()).isTrue();
  }

  @Test
  void everyOptionIsRead() throws IOException {
    Path key = Files.createFile(directory.resolve("key.json"));
    Map<String, String> map = new HashMap<>(SERVICE);
    map.put("endpoint", "data.example:443");
    map.put("admin-endpoint", "admin.example:443");
    map.put("credentials", key.toString());
    map.put("app-profile", "single");
    map.put("prefix", "metrics_");
    map.put("timeout", "2m");
    map.put("attempt-timeout", "1500ms");
    map.put("retries", "0");
    map.put("concurrency", "3");
    map.put("read-ahead", "1");
    map.put("connections", "2");
    map.put("transactions", "false");
    assertThat(BigtableOptions.parse(map))
        .isEqualTo(
            new BigtableOptions(
                "p",
                "i",
                null,
                "data.example:443",
                "admin.example:443",
                key,
                "single",
                "metrics_",
                Duration.ofMinutes(2),
                Duration.ofMillis(1500),
                0,
                3,
                1,
                2,
                false));
  }

  @Test
  void anEmulatorNeedsNoProjectAndInstance() {
    BigtableOptions options = BigtableOptions.parse(Map.of("emulator", "localhost:8086"));
    assertThat(options.emulator()).isEqualTo("localhost:8086");
    assertThat(options.place()).isEqualTo("varve/varve on the emulator at localhost:8086");
  }

  @Test
  void theAttemptIsNoLongerThanTheWholeWhereOnlyThatIsSaid() {
    assertThat(BigtableOptions.parse(with("timeout", "5s")).attemptTimeout())
        .isEqualTo(Duration.ofSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({
    "app_profile, app-profile",
    "time-out, timeout",
    "atempt-timeout, attempt-timeout",
    "credential, credentials",
    "transaction, transactions"
  })
  void unknownOptionsNameTheNearest(String unknown, String nearest) {
    assertThatThrownBy(() -> BigtableOptions.parse(with(unknown, "x")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("unknown option '%s' (did you mean '%s'?)", unknown, nearest);
  }

  @ParameterizedTest
  @CsvSource({
    "emulator, localhost",
    "endpoint, nowhere",
    "project, ''",
    "prefix, -x",
    "prefix, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "timeout, 0s",
    "timeout, 10",
    "timeout, 25h",
    "attempt-timeout, soon",
    "retries, -1",
    "concurrency, 0",
    "concurrency, 1001",
    "read-ahead, 65",
    "connections, many",
    "transactions, yes",
    "credentials, /nowhere/key.json"
  })
  void valuesOutOfTheirRangeAreRefusedByName(String name, String value) {
    assertThatThrownBy(() -> BigtableOptions.parse(with(name, value)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("option %s: '%s' is not ", name, value);
  }

  @ParameterizedTest
  @CsvSource({"endpoint, a:1", "admin-endpoint, a:1", "app-profile, a"})
  void anEmulatorContradictsWhatOnlyTheServiceHas(String name, String value) {
    assertThatThrownBy(() -> BigtableOptions.parse(Map.of("emulator", "localhost:1", name, value)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("option emulator and option %s contradict each other", name);
  }

  @Test
  void everythingWrongIsSaidAtOnce() {
    assertThatThrownBy(() ->
            BigtableOptions.parse(Map.of("timeout", "1s", "attempt-timeout", "2s", "retries", "x")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("option project is missing")
        .hasMessageContaining("option instance is missing")
        .hasMessageContaining("option attempt-timeout is 2000 ms, longer than option timeout")
        .hasMessageContaining("option retries: 'x' is not a number from 0 to 1000");
  }

  @Test
  void aKeyFileThatIsNoneIsSaid() throws IOException {
    Path key = Files.writeString(directory.resolve("key.json"), "no key");
    assertThatThrownBy(() ->
            new BigtableStoreProvider().open(directory, 0, with("credentials", key.toString())))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(key + " is not a service account key");
  }
}
