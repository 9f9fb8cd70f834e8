package dev.varve.store.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CellWeightTest {
  @Test
  void risesAtOnceAndFallsToTheSizeOfSmallerCells() {
    CellWeight weight = new CellWeight();
    weight.learn(10, 1_000);
    assertThat(weight.bytes()).isEqualTo(100);
    weight.learn(1, 5_000);
    assertThat(weight.bytes()).isEqualTo(5_000);
    weight.learn(10, 500);
    assertThat(weight.bytes()).isBetween(4_900L, 4_950L);
    for (int page = 0; page < 1_000; page++) {
      weight.learn(10, 500);
    }
    assertThat(weight.bytes()).isEqualTo(50);
  }
}
