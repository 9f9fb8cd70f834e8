package dev.varve.engine.home;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.home.IdentityTable.Made;
import dev.varve.engine.home.IdentityTable.MadePeriod;
import dev.varve.layout.LayoutIdentity;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Resolution;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The worked example in docs/operations/backup.md is a home that the code writes and reads. */
class HomeExportPageTest {
  private static final Path PAGE = Path.of("../docs/operations/backup.md");

  /** A line of the example: bytes, and what they are. */
  private static final Pattern LINE = Pattern.compile("(?m)^((?:[0-9a-f]{2})+)  +\\S.*$");

  private static final ServerId SERVER = new ServerId(0x1122334455667788L);
  private static final MetricMetadata SAID = new MetricMetadata("cpu", "gauge", "", "");
  private static final Made MADE =
      new Made(
          Resolution.MILLISECONDS,
          "hbase",
          List.of(
              new MadePeriod(
                  Long.MIN_VALUE, List.of(new LayoutIdentity("buckets", Map.of("bucket", "1d"))))),
          List.of(),
          "");

  @TempDir private Path folder;

  private static byte[] shown() throws IOException {
    StringBuilder hex = new StringBuilder();
    Matcher line = LINE.matcher(Files.readString(PAGE));
    while (line.find()) {
      hex.append(line.group(1));
    }
    return HexFormat.of().parseHex(hex);
  }

  @Test
  void showsTheBytesThatAreWritten() throws IOException {
    Path file = folder.resolve("main.home");
    try (Store store = new MemoryStore();
        Home home = Home.open(store, "main", SERVER);
        ClockTable clock = new ClockTable(store, SERVER)) {
      clock.reach(1000, 24);
      home.identity().make(MADE, 1000);
      MutationBatch said = new MutationBatch();
      AttributeTable.put(said, SAID, 1001);
      home.attributes().apply(said);
      HomeExport.write(home, clock, "main", file);
    }
    assertThat(HexFormat.of().formatHex(shown()))
        .isEqualTo(HexFormat.of().formatHex(Files.readAllBytes(file)));
  }

  @Test
  void readsTheBytesThatAreShown() throws IOException {
    Path file = Files.write(folder.resolve("main.home"), shown());
    try (Store store = new MemoryStore()) {
      assertThat(HomeExport.restore(store, "main", SERVER, file)).isEqualTo(5);
      try (Home home = Home.open(store, "main", SERVER)) {
        assertThat(home.identity().made()).isEqualTo(MADE);
        assertThat(home.attributes().of("cpu")).containsExactly(SAID);
      }
      try (ClockTable clock = new ClockTable(store, SERVER)) {
        assertThat(clock.mark()).isEqualTo(1024);
      }
    }
  }
}
