package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.config.LogFormat;
import dev.varve.cli.config.VarveConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Checks the files that a distribution ships with the program against the program. */
class PackagingTest {
  private static final Path PACKAGING = Path.of("../packaging");

  @Test
  void theExampleOfAConfigurationIsOne() {
    VarveConfig config = VarveConfig.read(PACKAGING.resolve("conf/varve.yaml"), Map.of(), Map.of());
    assertThat(config.engine().directory()).isEqualTo(Path.of("/var/lib/varve"));
    assertThat(config.log()).isEqualTo(LogFormat.TEXT);
    assertThat(config.listeners().getFirst().isOnLoopback()).isTrue();
  }

  @Test
  void theUnitShutsTheServiceIn() throws IOException {
    Map<String, List<String>> unit = unit();
    Map<String, String> wanted =
        Map.ofEntries(
            Map.entry("Type", "notify"),
            Map.entry("NotifyAccess", "main"),
            Map.entry("User", "varve"),
            Map.entry("ExecStart", "/opt/varve/bin/varve serve --config /etc/varve/varve.yaml"),
            Map.entry("StateDirectory", "varve"),
            Map.entry("StateDirectoryMode", "0700"),
            Map.entry("UMask", "0077"),
            Map.entry("ProtectSystem", "strict"),
            Map.entry("ProtectHome", "yes"),
            Map.entry("PrivateTmp", "yes"),
            Map.entry("PrivateDevices", "yes"),
            Map.entry("NoNewPrivileges", "yes"),
            Map.entry("CapabilityBoundingSet", ""),
            Map.entry("SystemCallFilter", "@system-service"),
            Map.entry("SuccessExitStatus", "143"),
            Map.entry("KillMode", "mixed"));
    wanted.forEach((key, value) -> assertThat(unit).as(key).containsEntry(key, List.of(value)));
    // Java writes code that it then executes.
    assertThat(unit).doesNotContainKey("MemoryDenyWriteExecute");
    assertThat(seconds(unit.getOrDefault("TimeoutStopSec", List.of("0s"))))
        .as("longer than Varve drains")
        .isGreaterThan(60);
  }

  private static int seconds(List<String> value) {
    return Integer.parseInt(value.getFirst().replaceFirst("s$", ""));
  }

  private static Map<String, List<String>> unit() throws IOException {
    Map<String, List<String>> keys = new TreeMap<>();
    for (String line : Files.readAllLines(PACKAGING.resolve("systemd/varve.service"))) {
      int equals = line.indexOf('=');
      if (equals > 0 && !line.startsWith("#")) {
        keys.computeIfAbsent(line.substring(0, equals), key -> new ArrayList<>())
            .add(line.substring(equals + 1));
      }
    }
    return keys;
  }
}
