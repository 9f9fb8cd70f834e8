package dev.varve.layout.heroic;

import dev.varve.layout.Binding;
import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;

/** A key with the encoded parts of its row keys, all but the base. */
record HeroicBinding(GroupKey key, Bytes metric, Bytes tags, Bytes resource) implements Binding {
  private static final int BASE_BYTES = 8;

  static HeroicBinding of(GroupKey key) {
    KeyBytes metric = new KeyBytes();
    HeroicText.writeSizedTwice(key.metric(), metric);
    KeyBytes tags = new KeyBytes();
    TagsPart.write(key.tags(), tags);
    KeyBytes resource = new KeyBytes();
    ResourcePart.write(key.resource(), resource);
    return new HeroicBinding(key, metric.toBytes(), tags.toBytes(), resource.toBytes());
  }

  int rowKeyLength() {
    return metric.length() + tags.length() + BASE_BYTES + resource.length();
  }
}
