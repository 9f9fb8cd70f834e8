package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.Domain;
import dev.varve.layout.Domain.Numbers;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every script has the same results in every layout that can hold its samples. */
class ScriptsInLayoutsTest {
  /** Scripts that use absolute times, so that their samples must be of 1970. */
  private static final Set<String> OF_1970 = Set.of("functions", "over-time", "selectors");

  @TempDir private Path directory;

  private static List<String> layouts() {
    return Stream.concat(Stream.of("blocks"), Layouts.list().stream().map(Layouts.Entry::name))
        .toList();
  }

  private static List<String> scripts() {
    try (Stream<Path> files =
        Files.list(Path.of(ScriptsInLayoutsTest.class.getResource("/promql").toURI()))) {
      return files
          .map(file -> file.getFileName().toString().replace(".test", ""))
          .sorted()
          .toList();
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<Arguments> pairs(boolean held) {
    return layouts().stream()
        .flatMap(layout ->
            scripts().stream()
                .filter(script -> breaches(layout, script).isEmpty() == held)
                .map(script -> Arguments.of(layout, script)));
  }

  static Stream<Arguments> held() {
    return pairs(true);
  }

  static Stream<Arguments> notHeld() {
    return pairs(false);
  }

  @ParameterizedTest
  @MethodSource("held")
  void givesWhatTheScriptSays(String layout, String script) {
    String text = PromScriptsTest.text(script);
    try (InDatasets subject = new InDatasets(layout, origin(script))) {
      assertThat(new PromScript(text, subject).run()).isGreaterThan(5);
      assertThat(subject.refused()).isZero();
    }
  }

  /** Checks that the combinations skipped above are skipped for a reason. */
  @ParameterizedTest
  @MethodSource("notHeld")
  void refusesWhatItsDomainLacks(String layout, String script) {
    try (InDatasets subject = new InDatasets(layout, origin(script))) {
      PromScript.load(PromScriptsTest.text(script), origin(script), subject);
      assertThat(subject.refused() > 0 || breaches(layout, script).equals(Set.of(Breach.NAN_BITS)))
          .isTrue();
    }
  }

  @Test
  void leavesNoScriptOutWhereAllNumbersAreHeld() {
    for (String layout : layouts()) {
      boolean all =
          Layouts.stored(layout, Map.of()).stream()
              .allMatch(one -> one.domain().numbers() == Numbers.ALL);
      for (String script : all ? scripts() : ScriptInDataset.FOR_ALL) {
        assertThat(breaches(layout, script)).as("%s in %s", script, layout).isEmpty();
      }
    }
  }

  private static long origin(String script) {
    return OF_1970.contains(script) ? 0 : ScriptInDataset.lately();
  }

  private enum Breach {
    TIME,
    TAGS,
    LETTERS,
    NUMBER,
    /** NaNs become another NaN, so that staleness markers are lost. */
    NAN_BITS
  }

  private static Set<Breach> breaches(String name, String script) {
    Set<Breach> breaches = new TreeSet<>();
    for (StorageLayout layout : Layouts.stored(name, Map.of())) {
      PromScript.load(
          PromScriptsTest.text(script),
          origin(script),
          (series, time, value) -> {
            Domain domain = layout.domain();
            if (!domain.times().contains(time / 1000 * layout.resolution().perSecond())) {
              breaches.add(Breach.TIME);
            }
            breachesOfKey(domain, series, breaches);
            breachesOfValue(domain.numbers(), value, breaches);
          });
    }
    return breaches;
  }

  private static void breachesOfKey(Domain domain, Series series, Set<Breach> breaches) {
    List<String> texts = new ArrayList<>(List.of(series.key().metric()));
    List<String> names = new ArrayList<>();
    series
        .key()
        .tags()
        .forEach((tag, value) -> {
          names.add(tag);
          texts.addAll(List.of(tag, value));
        });
    Set<String> places = domain.tagNames();
    if (names.size() < domain.tagsMin()
        || names.size() > domain.tagsMax()
        || (places != null && !places.containsAll(names))) {
      breaches.add(Breach.TAGS);
    }
    if (!texts.stream().allMatch(text -> isOf(domain.alphabet(), text))) {
      breaches.add(Breach.LETTERS);
    }
  }

  private static boolean isOf(Domain.Alphabet alphabet, String text) {
    return switch (alphabet) {
      case UTF8 -> true;
      case UTF8_TEXT -> !text.isEmpty() && text.indexOf('\0') < 0;
      case LATIN1_WORD -> text.matches("[-_./0-9A-Za-z]+");
    };
  }

  private static void breachesOfValue(Numbers numbers, double value, Set<Breach> breaches) {
    if (numbers == Numbers.FINITE && !Double.isFinite(value)) {
      breaches.add(Breach.NUMBER);
    }
    long bits = Double.doubleToRawLongBits(value);
    if (numbers == Numbers.ONE_NAN && bits == StaleMarker.BITS) {
      breaches.add(Breach.NAN_BITS);
    }
  }

  /** A dataset of a layout, replaced by a new one after each {@code clear}. */
  private final class InDatasets implements PromScript.Subject, AutoCloseable {
    private final String layout;
    private final long origin;
    private Engine engine;
    private ScriptInDataset current;
    private int refused;
    private int cleared;

    InDatasets(String layout, long origin) {
      this.layout = layout;
      this.origin = origin;
      this.engine = open();
      this.current = new ScriptInDataset(engine.defaultDataset(), origin);
    }

    private Engine open() {
      DatasetConfig dataset =
          new DatasetConfig(
              "main",
              new StoreConfig("memory", Map.of()),
              List.of(new PeriodConfig(Instant.MIN, Layouts.stored(layout, Map.of()))),
              null,
              DatasetConfig.Duplicates.LAST,
              Set.of(),
              false);
      return Engine.open(
          new EngineConfig(
              directory.resolve("" + cleared),
              EngineConfig.DEFAULT_MEMORY,
              List.of(dataset),
              "main"));
    }

    @Override
    public void clear() {
      end();
      cleared++;
      engine = open();
      current = new ScriptInDataset(engine.defaultDataset(), origin);
    }

    @Override
    public void add(Series series, long time, double value) {
      current.add(series, time, value);
    }

    /** Returns the number of samples that were rejected. */
    int refused() {
      current.write();
      return refused + current.refused();
    }

    @Override
    public long origin() {
      return origin;
    }

    @Override
    public boolean asksAtOtherTimes() {
      return current.asksAtOtherTimes();
    }

    @Override
    public PromQuery query(String expression) {
      return current.query(expression);
    }

    private void end() {
      refused = refused();
      engine.close();
    }

    @Override
    public void close() {
      engine.close();
    }
  }
}
