package dev.varve.engine.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import org.junit.jupiter.api.Test;

class SeenHashesTest {
  @Test
  void knowsWhatWasAddedAndNothingElse() {
    SeenHashes seen = new SeenHashes();
    for (int i = 0; i < 5000; i++) {
      seen.add(Bytes.utf8("series " + i));
      seen.add(Bytes.utf8("series " + i / 2));
    }
    for (int i = 0; i < 10_000; i++) {
      assertThat(seen.contains(Bytes.utf8("series " + i))).isEqualTo(i < 5000);
    }
  }
}
