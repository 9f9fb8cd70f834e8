package dev.varve.layout.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyPart;
import dev.varve.layout.ReadScope;
import dev.varve.layout.contract.PlanReader.Found;
import dev.varve.layout.contract.PlanReader.Instant;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** Whatever the row key: a plan reads every sample that was asked for, and none of other series. */
class PlannerPropertiesTest {
  private static final long WIDTH = 10;

  @Property(tries = 3000)
  void readsWhatWasAskedFor(@ForAll long seed) {
    Random random = new Random(seed);
    SketchLayout layout = layout(random);
    try (SketchTable table = new SketchTable(layout)) {
      Model model = new Model();
      for (int i = 0; i < 1 + random.nextInt(40); i++) {
        model.add(key(random), random);
      }
      model.groups().forEach(table::write);
      PlanRequest request = request(random, model, table);
      Plan plan;
      try {
        plan = table.plan(request);
      } catch (PlanRefusedException e) {
        Statistics.collect("refused");
        assertThat(mayRefuse(layout)).as(e.getMessage()).isTrue();
        return;
      }
      Statistics.collect(plan.alternatives().isEmpty() ? "nothing" : kindOf(plan));
      check(layout, table, request, plan, model);
    }
  }

  private static void check(
      SketchLayout layout, SketchTable table, PlanRequest request, Plan plan, Model model) {
    String what = layout + "\n" + request + "\n" + plan;
    try {
      Found found = table.read(request);
      assertThat(found.damages()).as(what).isEmpty();
      assertThat(values(found)).as(what).isEqualTo(model.in(request));
    } catch (AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  private static String kindOf(Plan plan) {
    String name = plan.alternatives().getFirst().name();
    return name.startsWith("range") ? "range" : name.startsWith("all") ? "prefix" : name;
  }

  private static Map<Series, Map<Instant, Value>> values(Found found) {
    Map<Series, Map<Instant, Value>> values = new HashMap<>();
    found
        .samples()
        .forEach((series, samples) -> {
          Map<Instant, Value> plain = new TreeMap<>();
          samples.forEach((at, sample) -> plain.put(at, sample.value()));
          values.put(series, plain);
        });
    return values;
  }

  /**
   * A row key of random parts in random order, where time never leads and a sequence comes last.
   */
  private static SketchLayout layout(Random random) {
    List<KeyPart> parts = new ArrayList<>();
    parts.add(new SketchParts.Metric());
    parts.add(new SketchParts.Tag("host"));
    parts.add(new SketchParts.Tag("site"));
    if (random.nextBoolean()) {
      parts.add(new SketchParts.Resource());
    }
    if (random.nextInt(4) == 0) {
      parts.add(new SketchParts.KindPart());
    }
    if (random.nextInt(4) == 0) {
      parts.add(new SketchParts.Field());
    }
    if (random.nextInt(4) == 0) {
      parts.add(new SketchParts.Literal(7));
    }
    Collections.shuffle(parts, random);
    addTimes(parts, random);
    if (random.nextInt(3) == 0) {
      KeyPart.Salt.Of[] choices = KeyPart.Salt.Of.values();
      KeyPart.Salt.Of of = choices[random.nextInt(choices.length)];
      int at = random.nextInt(3) == 0 ? random.nextInt(parts.size() + 1) : 0;
      parts.add(at, new SketchParts.Salt(of, 3, firstWidth(parts)));
    }
    if (random.nextInt(8) == 0) {
      parts.add(new SketchParts.Sequence());
    }
    int partition = random.nextInt(3) == 0 ? 1 + random.nextInt(parts.size()) : 0;
    return new SketchLayout(parts, partition);
  }

  private static void addTimes(List<KeyPart> parts, Random random) {
    int shape = random.nextInt(5);
    if (shape == 0) {
      return;
    }
    int at = random.nextInt(parts.size() + 1);
    boolean descending = random.nextInt(3) == 0;
    if (shape <= 2) {
      parts.add(at, new SketchParts.Time(shape == 1 ? WIDTH : 1, descending));
      return;
    }
    parts.add(at, new SketchParts.Time(10 * WIDTH, descending));
    int second = at + 1 + random.nextInt(parts.size() - at);
    boolean other = random.nextInt(4) == 0;
    parts.add(second, new SketchParts.Time(shape == 3 ? WIDTH : 1, descending ^ other));
  }

  private static long firstWidth(List<KeyPart> parts) {
    return parts.stream()
        .filter(SketchParts.Time.class::isInstance)
        .mapToLong(part -> ((SketchParts.Time) part).width())
        .findFirst()
        .orElse(1);
  }

  private static GroupKey key(Random random) {
    return new GroupKey(
        "m" + random.nextInt(3),
        Tags.of("host", "h" + random.nextInt(4), "site", "s".repeat(random.nextInt(3))),
        Tags.EMPTY);
  }

  private static PlanRequest request(Random random, Model model, SketchTable table) {
    List<Binding> bindings = new ArrayList<>();
    for (GroupKey key : model.keys()) {
      if (random.nextInt(3) > 0) {
        bindings.add(table.bind(key));
      }
    }
    if (random.nextInt(4) == 0) {
      bindings.add(table.bind(GroupKey.of("none", Tags.of("host", "x", "site", ""))));
    }
    Collections.shuffle(bindings, random);
    ReadScope scope =
        new ReadScope(
            times(random),
            random.nextBoolean() ? null : Set.of("value", "other"),
            ReadScope.Versions.LATEST,
            false);
    Census census = random.nextBoolean() ? Census.UNKNOWN : model.census();
    int newestFirst = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
    return new PlanRequest(bindings, scope, census, newestFirst, random.nextInt(10) == 0);
  }

  private static TimeRange times(Random random) {
    long from = random.nextLong(-200, 200);
    long to = from + random.nextLong(200);
    return new TimeRange(
        random.nextInt(6) == 0 ? Long.MIN_VALUE : from,
        random.nextInt(6) == 0 ? Long.MAX_VALUE : to);
  }

  /**
   * Whether a plan may be refused: partitions that nobody can name, rows out of order, a scan of
   * the whole table.
   */
  private static boolean mayRefuse(SketchLayout layout) {
    List<KeyPart> parts = layout.rows().parts();
    boolean keyLeads =
        parts.stream()
            .dropWhile(part -> part.role() == KeyPart.Role.LITERAL)
            .findFirst()
            .orElseThrow()
            .role()
            .ofKey();
    boolean oneTime = parts.stream().filter(KeyPart.Time.class::isInstance).count() <= 1;
    boolean unsalted = parts.stream().noneMatch(KeyPart.Salt.class::isInstance);
    boolean unsequenced = parts.stream().noneMatch(SketchParts.Sequence.class::isInstance);
    boolean unpartitioned = layout.rows().partitionParts() == 0;
    return !(keyLeads && oneTime && unsalted && unsequenced && unpartitioned);
  }

  /** What was written, in maps. */
  private static final class Model {
    private final Map<GroupKey, BatchBuilder> builders = new HashMap<>();
    private final Map<Series, TreeMap<Instant, Value>> samples = new HashMap<>();

    void add(GroupKey key, Random random) {
      String field = random.nextInt(3) == 0 ? "other" : "value";
      long time = random.nextLong(-300, 300);
      Value value =
          random.nextInt(3) == 0
              ? new Value.Int64(random.nextLong())
              : new Value.Real(random.nextDouble());
      builders.computeIfAbsent(key, k -> new BatchBuilder()).add(key, field, time, value);
      samples
          .computeIfAbsent(key.field(field), s -> new TreeMap<>())
          .put(new Instant(time, value.kind()), value);
    }

    List<GroupKey> keys() {
      return builders.keySet().stream().sorted(Comparator.comparing(GroupKey::toString)).toList();
    }

    List<SampleGroup> groups() {
      return builders.values().stream()
          .flatMap(builder -> builder.build().groups().stream())
          .toList();
    }

    Map<Series, Map<Instant, Value>> in(PlanRequest request) {
      Map<Series, Map<Instant, Value>> expected = new HashMap<>();
      for (Binding binding : Objects.requireNonNull(request.bindings())) {
        samples.forEach((series, all) -> {
          Map<Instant, Value> wanted = new TreeMap<>();
          all.forEach((at, value) -> {
            if (request.scope().times().contains(at.time())) {
              wanted.put(at, value);
            }
          });
          Set<String> fields = request.scope().fields();
          boolean fieldWanted = fields == null || fields.contains(series.field());
          if (series.key().equals(binding.key()) && !wanted.isEmpty() && fieldWanted) {
            expected.put(series, wanted);
          }
        });
      }
      return expected;
    }

    Census census() {
      return new Census() {
        @Override
        public OptionalLong seriesOfMetric(String metric) {
          return OptionalLong.of(
              builders.keySet().stream().filter(key -> key.metric().equals(metric)).count());
        }

        @Override
        public OptionalLong cells(Binding binding, TimeRange times) {
          return OptionalLong.of(
              samples.entrySet().stream()
                  .filter(entry -> entry.getKey().key().equals(binding.key()))
                  .flatMap(entry -> entry.getValue().keySet().stream())
                  .filter(at -> times.contains(at.time()))
                  .count());
        }

        @Override
        public OptionalLong buckets(Binding binding, TimeRange times) {
          return cells(binding, times);
        }

        @Override
        public Optional<TimeRange> times() {
          return Optional.of(new TimeRange(-300, 300));
        }
      };
    }
  }
}
