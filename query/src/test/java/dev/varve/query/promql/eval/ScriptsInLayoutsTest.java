package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.DatasetConfig;
import dev.varve.engine.DatasetConfig.PeriodConfig;
import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.Engine;
import dev.varve.engine.EngineConfig;
import dev.varve.layout.Domain;
import dev.varve.layout.Domain.Numbers;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every script gives the same in every layout that can hold its samples. */
class ScriptsInLayoutsTest {
  /** Scripts over what every layout can hold. */
  private static final List<String> FOR_ALL = List.of("language", "layouts");

  /** Scripts that say what time it is, so that their samples have to be of 1970. */
  private static final Set<String> OF_1970 = Set.of("functions", "over-time", "selectors");

  @TempDir private Path directory;

  private static List<String> layouts() {
    return Layouts.list().stream().map(Layouts.Entry::name).toList();
  }

  private static List<String> scripts() {
    try (Stream<Path> files =
        Files.list(Path.of(ScriptsInLayoutsTest.class.getResource("/promql").toURI()))) {
      return files
          .map(file -> file.getFileName().toString().replace(".test", ""))
          .sorted()
          .toList();
    } catch (IOException | java.net.URISyntaxException e) {
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
      assertThat(subject.refused).isZero();
    }
  }

  /** What is left out above is left out for a reason. */
  @ParameterizedTest
  @MethodSource("notHeld")
  void refusesWhatItsDomainLacks(String layout, String script) {
    try (InDatasets subject = new InDatasets(layout, origin(script))) {
      PromScript.load(PromScriptsTest.text(script), origin(script), subject);
      subject.write();
      assertThat(subject.refused > 0 || breaches(layout, script).equals(Set.of(Breach.NAN_BITS)))
          .isTrue();
    }
  }

  @Test
  void leavesNoScriptOutWhereAllNumbersAreHeld() {
    for (String layout : layouts()) {
      boolean all =
          Layouts.all(layout, Map.of()).stream()
              .allMatch(one -> one.domain().numbers() == Numbers.ALL);
      for (String script : all ? scripts() : FOR_ALL) {
        assertThat(breaches(layout, script)).as("%s in %s", script, layout).isEmpty();
      }
    }
  }

  /** Lately where it can be: some layouts have a retention. */
  private static long origin(String script) {
    return OF_1970.contains(script)
        ? 0
        : Instant.now().minus(2, ChronoUnit.DAYS).truncatedTo(ChronoUnit.DAYS).toEpochMilli();
  }

  private enum Breach {
    TIME,
    TAGS,
    LETTERS,
    NUMBER,
    /** Held, but as another NaN: a marker of staleness is none any more. */
    NAN_BITS
  }

  private static Set<Breach> breaches(String name, String script) {
    Set<Breach> breaches = new java.util.TreeSet<>();
    for (Layout layout : Layouts.all(name, Map.of())) {
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
    if (numbers == Numbers.ONE_NAN && bits == SampleVector.STALE_BITS) {
      breaches.add(Breach.NAN_BITS);
    }
  }

  /** A dataset of a layout, and after each {@code clear} a new one. */
  private final class InDatasets implements PromScript.Subject, AutoCloseable {
    private final String layout;
    private final long origin;
    private Engine engine;
    private BatchBuilder unwritten = new BatchBuilder();
    private int refused;
    private int cleared;

    InDatasets(String layout, long origin) {
      this.layout = layout;
      this.origin = origin;
      this.engine = open();
    }

    private Engine open() {
      DatasetConfig dataset =
          new DatasetConfig(
              "main",
              new StoreConfig("memory", Map.of()),
              List.of(new PeriodConfig(Instant.MIN, Layouts.all(layout, Map.of()))),
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

    private Dataset dataset() {
      return engine.defaultDataset();
    }

    @Override
    public void clear() {
      write();
      engine.close();
      cleared++;
      engine = open();
    }

    @Override
    public void add(Series series, long time, double value) {
      long at = time / 1000 * dataset().resolution().perSecond();
      unwritten.add(series.key(), at, new Value.Real(value));
    }

    void write() {
      refused += dataset().write(unwritten.build()).refused();
      unwritten = new BatchBuilder();
    }

    @Override
    public long origin() {
      return origin;
    }

    /** Every query reads a store here, and the time of a query is nothing to a layout. */
    @Override
    public boolean asksAtOtherTimes() {
      return false;
    }

    @Override
    public PromQuery query(String expression) {
      write();
      return new PromQuery(
          expression, dataset(), QueryUse.of(QueryLimits.DEFAULTS), PromSettings.DEFAULTS);
    }

    @Override
    public void close() {
      engine.close();
    }
  }
}
