package dev.varve.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.relabel.RelabelConfig;
import dev.varve.server.relabel.Relabelling;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DoorTest {
  private static RelabelConfig rule(
      @Nullable String source, @Nullable String regex, @Nullable String target, String action) {
    return new RelabelConfig(
        source == null ? null : List.of(source), null, regex, null, target, null, action);
  }

  private static Door door(RelabelConfig... rules) {
    return new Door(Relabelling.of(List.of(rules)), LabelLimits.DEFAULTS);
  }

  @Test
  void rulesRewriteTagsNamesAndResources() {
    Door door =
        door(
            rule("__name__", "old_(.*)", "__name__", "replace"),
            rule("host", null, "node", "replace"),
            rule(null, "host|pod", null, "labeldrop"));
    GroupKey key =
        new GroupKey("old_m", Tags.of("host", "a", "x", "1"), Tags.of("pod", "p", "zone", "z"));
    for (int i = 0; i < 2; i++) {
      assertThat(door.enter(key).key())
          .isEqualTo(new GroupKey("m", Tags.of("node", "a", "x", "1"), Tags.of("zone", "z")));
    }
    GroupKey both = new GroupKey("m", Tags.of("zone", "tag"), Tags.of("zone", "resource"));
    assertThat(door.enter(both).key()).isEqualTo(both);
  }

  @Test
  void rulesDropAndMustLeaveAName() {
    Door door = door(rule("x", "drop", null, "drop"));
    assertThat(door.enter(GroupKey.of("m", Tags.of("x", "drop"))))
        .isEqualTo(new Door.Entry(null, null));
    Door nameless = door(rule(null, "__name__", null, "labeldrop"));
    assertThat(
            Objects.requireNonNull(nameless.enter(GroupKey.of("m", Tags.EMPTY)).refusal()).rule())
        .isEqualTo("relabel.name");
  }

  @Test
  void remembersASeriesUntilManyOthersCame() {
    Door door = door(rule("x", null, "y", "replace"));
    GroupKey first = GroupKey.of("m", Tags.of("x", "first"));
    Door.Entry entry = door.enter(first);
    assertThat(door.enter(first)).isSameAs(entry);
    for (int i = 0; i < 100_000; i++) {
      String value = Integer.toString(i);
      assertThat(door.enter(GroupKey.of("m", Tags.of("x", value))).key())
          .isEqualTo(GroupKey.of("m", Tags.of("x", value, "y", value)));
    }
    assertThat(door.enter(first)).isEqualTo(entry).isNotSameAs(entry);
  }

  @Test
  void refusalsNameTheLimit() {
    Door door = new Door(Relabelling.NONE, new LabelLimits(2, 5, 7));
    assertThat(door.enter(GroupKey.of("m", Tags.of("a", "1", "b", "2"))).refusal()).isNull();
    refused(
        door,
        "3 labels, at most 2",
        new GroupKey("m", Tags.of("a", "1", "b", "2"), Tags.of("c", "3")));
    refused(door, "the name of the metric has 6 characters", GroupKey.of("metric", Tags.EMPTY));
    refused(door, "label 'toolong...' has 7", GroupKey.of("m", Tags.of("toolong", "1")));
    refused(door, "the value of label 'a' has 8", GroupKey.of("m", Tags.of("a", "12345678")));
  }

  private static void refused(Door door, String message, GroupKey key) {
    assertThat(Objects.requireNonNull(door.enter(key).refusal()).message()).contains(message);
  }
}
