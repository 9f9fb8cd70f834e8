package dev.varve.layout.contract;

import dev.varve.layout.Layout;
import dev.varve.layout.heroic.HeroicLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.List;
import java.util.Map;

class HeroicContractTest extends LayoutContract {
  private static final GroupKey KEY =
      new GroupKey("system", Tags.of("site", "gew"), Tags.of("host", "database.example.com"));

  @Override
  protected LayoutFixture fixture() {
    return new LayoutFixture() {
      @Override
      public Layout layout() {
        return HeroicLayout.of(Map.of());
      }

      @Override
      public String identity() {
        return "heroic{}";
      }

      @Override
      public List<Outside> outside() {
        Value raw = new Value.Raw(Bytes.of((byte) 1));
        return List.of(
            new Outside.Key(GroupKey.of("x".repeat(4000), Tags.EMPTY), "heroic.rowkey"),
            new Outside.Key(GroupKey.of("x\ud800", Tags.EMPTY), "heroic.text"),
            new Outside.Sample(KEY, "value", 1, new Value.Int64(1), "heroic.kind"),
            new Outside.Sample(KEY, "value", -1, new Value.Real(1), "heroic.time"),
            new Outside.Sample(KEY, "other", 1, new Value.Real(1), "heroic.field"),
            new Outside.Attribute(new Attribute(KEY, "unit", 1L, raw), "heroic.attribute"),
            new Outside.Attribute(
                new Attribute(KEY, "distribution", null, raw), "heroic.attribute"),
            new Outside.Attribute(new Attribute(KEY, "distribution", -1L, raw), "heroic.time"));
      }

      @Override
      public List<Attribute> attributes() {
        return List.of(
            new Attribute(KEY, "distribution", 0L, new Value.Raw(Bytes.of(new byte[32]))),
            new Attribute(KEY, "distribution", 1_300_000_000_000L, new Value.Raw(Bytes.EMPTY)));
      }
    };
  }
}
