package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Binding;
import dev.varve.layout.Layout;
import dev.varve.layout.ReadScope;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.contract.PlanReader.Found;
import dev.varve.layout.contract.PlanReader.Hit;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Checks that what was written is read back. */
final class RoundTrip {
  private final LayoutLab lab;
  private final LayoutFixture fixture;
  private final Layout layout;
  private final RandomWrites writes;
  private final Random random;

  RoundTrip(LayoutLab lab, Random random) {
    this.lab = lab;
    this.fixture = lab.fixture();
    this.layout = lab.layout();
    this.writes = new RandomWrites(fixture, random);
    this.random = random;
  }

  void givesBackWhatItWasGiven() {
    try (LayoutTables tables = lab.open()) {
      long center = lab.time(random);
      Written written = writes.around(center, 4, 30);
      writes.apply(written, tables);
      PlanRequest request = request(tables, written.keys(), writes.stretch(center));
      Found found = tables.read(request);

      assertThat(found.damages()).isEmpty();
      assertThat(found.latest()).isEqualTo(written.all());
    }
  }

  void theLastAcceptedWinsWhateverItsKind() {
    GroupKey key = fixture.key(random);
    long time = fixture.holdable(lab.time(random));
    for (String field : fixture.fields()) {
      List<Kind> kinds = fixture.kinds(field);
      for (Kind last : kinds) {
        try (LayoutTables tables = lab.open()) {
          Value value = null;
          for (int i = 1; i <= kinds.size(); i++) {
            Kind kind = kinds.get((kinds.indexOf(last) + i) % kinds.size());
            value = write(tables, key, field, time, kind);
          }
          Found found = tables.read(request(tables, List.of(key), TimeRange.closed(time, time)));
          Hit winner =
              found.hits().stream()
                  .filter(hit -> hit.series().field().equals(field))
                  .max(Comparator.comparingLong(Hit::stamp))
                  .orElseThrow();

          assertThat(winner.value()).as("the last of %s", kinds).isEqualTo(value);
          assertThat(found.hits())
              .as("with the highest stamp")
              .filteredOn(hit -> hit.series().equals(winner.series()))
              .filteredOn(hit -> hit.stamp() == winner.stamp())
              .hasSize(1);
        }
      }
    }
  }

  /** Writes one value of the kind, and all other fields if they must be written together. */
  private Value write(LayoutTables tables, GroupKey key, String field, long time, Kind kind) {
    Value value = fixture.value(kind, random);
    Written written = new Written();
    for (String each : fixture.fieldsComeTogether() ? fixture.fields() : List.of(field)) {
      Kind of = each.equals(field) ? kind : fixture.kinds(each).getFirst();
      written.add(key, each, time, each.equals(field) ? value : fixture.value(of, random));
    }
    writes.apply(written, tables);
    return value;
  }

  void givesBackAttributes() {
    List<Attribute> attributes = fixture.attributes();
    assertThat(attributes.isEmpty())
        .as("the fixture has attributes where the domain has them")
        .isEqualTo(!layout.domain().attributes());
    for (Attribute attribute : attributes) {
      try (LayoutTables tables = lab.open()) {
        tables.write(attribute);
        Long time = attribute.time();
        TimeRange times = writes.stretch(time == null ? lab.time(random) : time);
        ReadScope scope = new ReadScope(times, null, Versions.LATEST, true);
        Found found = tables.read(tables.request(List.of(tables.bind(attribute.key())), scope));

        assertThat(found.attributes()).containsExactly(attribute);
        assertThat(found.damages()).isEmpty();
        assertThat(found.hits()).isEmpty();
      }
    }
  }

  void keepsWhatAmendmentsReplaced() {
    if (!layout.domain().versions()) {
      return;
    }
    try (LayoutTables tables = lab.open()) {
      GroupKey key = fixture.key(random);
      long time = fixture.holdable(lab.time(random));
      String field = fixture.fields().getFirst();
      Kind kind = fixture.kinds(field).getFirst();
      List<Value> values =
          List.of(
              write(tables, key, field, time, kind),
              write(tables, key, field, time, kind),
              write(tables, key, field, time, kind));
      List<Hit> all =
          read(tables, key, field, time, Versions.ALL).hits().stream()
              .filter(hit -> hit.series().field().equals(field))
              .sorted(Comparator.comparingLong(Hit::stamp))
              .toList();

      assertThat(all).extracting(Hit::value).isEqualTo(values);
      for (Hit hit : all) {
        Found then = read(tables, key, field, time, new Versions.AsOf(hit.stamp()));
        assertThat(then.latest().get(hit.series())).containsValue(hit.value()).hasSize(1);
      }
      assertThat(read(tables, key, field, time, Versions.LATEST).latest().get(key.field(field)))
          .containsValue(values.getLast())
          .hasSize(1);
    }
  }

  private Found read(
      LayoutTables tables, GroupKey key, String field, long time, Versions versions) {
    ReadScope scope = new ReadScope(TimeRange.closed(time, time), Set.of(field), versions, false);
    return tables.read(tables.request(List.of(tables.bind(key)), scope));
  }

  void findsKeysAgainByTheirRows() {
    try (LayoutTables tables = lab.open()) {
      Written written = writes.around(lab.time(random), 4, 10);
      writes.apply(written, tables);
      Map<Bytes, GroupKey> keyOfSignature = new HashMap<>();
      for (GroupKey key : written.keys()) {
        Binding binding = tables.find(key).orElseThrow();
        assertThat(binding.key()).isEqualTo(key);
        assertThat(keyOfSignature.put(layout.rows().signature(binding), key))
            .as("another key with the rows of %s", key)
            .isNull();
      }
      for (Cell cell : tables.cells(layout.dataTable())) {
        GroupKey key = tables.run(layout.identify(cell.row()));
        Bytes signature = layout.rows().signature(tables.find(key).orElseThrow());
        assertThat(written.keys()).contains(key);
        assertThat(SignatureOf.row(layout, cell.row())).isEqualTo(signature);
      }
    }
  }

  private PlanRequest request(LayoutTables tables, List<GroupKey> keys, TimeRange times) {
    return tables.request(keys.stream().map(tables::bind).toList(), ReadScope.of(times));
  }
}
