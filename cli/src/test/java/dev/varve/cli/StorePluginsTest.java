package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.store.StoreException;
import dev.varve.store.StoreProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The program knows the plug-ins that the build packs. */
class StorePluginsTest {
  private static final Pattern KIND = Pattern.compile("<plugin\\.kind>(.*)</plugin\\.kind>");

  @Test
  void namesThePluginsThatTheBuildPacks() throws IOException {
    List<String> packed = packed();

    assertThat(packed).contains("hbase");
    assertThatThrownBy(() -> StoreProviders.of("hbse"))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "there is no store 'hbse'; available: memory, rocksdb, and as plug-ins: "
                + String.join(", ", packed));
    assertThat(packed)
        .allSatisfy(kind ->
            assertThatThrownBy(() -> StoreProviders.of(kind))
                .hasMessageStartingWith("store '%s' is a plug-in that is not installed", kind));
  }

  private static List<String> packed() throws IOException {
    List<String> kinds = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of("../stores"))) {
      for (Path module : modules.sorted().toList()) {
        Matcher kind = KIND.matcher(Files.readString(module.resolve("pom.xml")));
        if (kind.find()) {
          kinds.add(kind.group(1));
        }
      }
    }
    return kinds;
  }
}
