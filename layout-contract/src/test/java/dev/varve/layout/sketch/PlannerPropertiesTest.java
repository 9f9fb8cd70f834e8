package dev.varve.layout.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyPart;
import dev.varve.layout.ReadScope;
import dev.varve.layout.contract.LayoutTables;
import dev.varve.layout.contract.PlanReader.Found;
import dev.varve.layout.contract.TableSource;
import dev.varve.layout.contract.Written;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Capabilities.RowOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/** Whatever the row key: a plan reads every sample that was asked for, and none of other series. */
class PlannerPropertiesTest {
  private static final long WIDTH = 10;

  @Property(tries = 1000)
  void readsWhatWasAskedFor(@ForAll long seed) {
    Random random = new Random(seed);
    SketchLayout layout = layout(random);
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      Written written = new Written();
      for (int i = 0; i < 1 + random.nextInt(40); i++) {
        add(written, key(random), random);
      }
      written.groups().forEach(tables::write);
      PlanRequest request = request(random, written, tables);
      Plan plan;
      try {
        plan = tables.plan(request);
      } catch (PlanRefusedException e) {
        Statistics.collect("refused");
        assertThat(mayRefuse(layout, request)).as(e.getMessage()).isTrue();
        return;
      }
      Statistics.collect(plan.alternatives().isEmpty() ? "nothing" : kindOf(plan));
      check(layout, tables, request, plan, written);
    }
  }

  private static void check(
      SketchLayout layout, LayoutTables tables, PlanRequest request, Plan plan, Written written) {
    String what = layout + "\n" + request + "\n" + plan;
    try {
      Found found = tables.read(request);
      assertThat(found.damages()).as(what).isEmpty();
      assertThat(found.latest(request.scope().recurring())).as(what).isEqualTo(written.in(request));
      if (request.apart()) {
        assertThat(plan.groups()).allSatisfy(group -> assertThat(group.bindings()).hasSize(1));
      }
    } catch (AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  private static String kindOf(Plan plan) {
    String name = plan.alternatives().getFirst().name();
    return name.startsWith("range") ? "range" : name.startsWith("all") ? "prefix" : name;
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

  private static PlanRequest request(Random random, Written written, LayoutTables tables) {
    List<Binding> bindings = new ArrayList<>();
    for (GroupKey key : written.keys()) {
      if (random.nextInt(3) > 0) {
        bindings.add(tables.bind(key));
      }
    }
    if (random.nextInt(4) == 0) {
      bindings.add(tables.bind(GroupKey.of("none", Tags.of("host", "x", "site", ""))));
    }
    Collections.shuffle(bindings, random);
    int newestFirst = random.nextInt(3) == 0 ? 1 + random.nextInt(20) : 0;
    ReadScope scope =
        new ReadScope(
            times(random),
            random.nextBoolean() ? null : Set.of("value", "other"),
            ReadScope.Versions.LATEST,
            false,
            newestFirst == 0 && random.nextInt(3) == 0 ? recurring(random) : null);
    Census census = random.nextBoolean() ? Census.UNKNOWN : written.census();
    RowOrder order = random.nextBoolean() ? RowOrder.TABLE : RowOrder.PARTITION;
    return new PlanRequest(
        bindings,
        scope,
        census,
        newestFirst,
        random.nextInt(10) == 0,
        order,
        random.nextInt(4) == 0);
  }

  private static Recurring recurring(Random random) {
    long step = 2 + random.nextLong(100);
    return new Recurring(random.nextLong(-200, 200), step, 1 + random.nextLong(step - 1));
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
  private static boolean mayRefuse(SketchLayout layout, PlanRequest request) {
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
    boolean unpartitioned =
        request.order() == RowOrder.TABLE || layout.rows().partitionParts() == 0;
    return request.apart() || !(keyLeads && oneTime && unsalted && unsequenced && unpartitioned);
  }

  private static void add(Written written, GroupKey key, Random random) {
    String field = random.nextInt(3) == 0 ? "other" : "value";
    long time = random.nextLong(-300, 300);
    Value value =
        random.nextInt(3) == 0
            ? new Value.Int64(random.nextLong())
            : new Value.Real(random.nextDouble());
    written.add(key, field, time, value);
  }
}
